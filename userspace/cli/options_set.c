/* SPDX-License-Identifier: Apache-2.0 */
/* From an option's text to its value. */
#include "cli/options_parts.h"

#include "cli/match.h"
#include "cli/values.h"

#include <string.h>

#define PID_MOST (1u << 22) /* the kernel's PID_MAX_LIMIT */
#define DELAY_LEAST 0.1
#define COUNT_MOST 1000000000

static bool has_pid(const struct cli_targets *t, pid_t pid)
{
	for (unsigned int i = 0; i < t->pid_count; i++)
		if (t->pids[i] == pid)
			return true;
	return false;
}

static int add_pid(struct cli_targets *t, const char *text, size_t len, const char *verb,
		   struct buffer *message)
{
	char one[24];
	unsigned int pid;

	snprintf(one, sizeof(one), "%.*s", (int)len, text);
	if (len >= sizeof(one) || value_whole(one, 1, PID_MOST, &pid))
		return usage(message, verb, "\"%.*s\" is not a process id (1 to %u)", (int)len,
			     text, PID_MOST);
	if (has_pid(t, pid))
		return 0;
	if (t->pid_count == SPPROF_PIDS_MAX)
		return usage(message, verb, "--pid takes at most %d processes", SPPROF_PIDS_MAX);
	t->pids[t->pid_count++] = pid;
	return 0;
}

/* "12" or "12,34". */
static int set_pids(struct cli_targets *t, const char *text, const char *verb,
		    struct buffer *message)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		int err = add_pid(t, text, len, verb, message);

		if (err || !text[len])
			return err;
		text += len + 1;
	}
}

int options_set_text(const char **field, const char *text, const char *name, const char *verb,
		     struct buffer *message)
{
	if (*field)
		return usage(message, verb, "--%s may be given once", name);
	if (!*text)
		return usage(message, verb, "--%s needs a value that is not empty", name);
	*field = text;
	return 0;
}

static int set_match(struct cli_targets *t, const char *text, const char *verb,
		     struct buffer *message)
{
	OWNS(buffer) struct buffer why = { 0 };
	int err = options_set_text(&t->match, text, "match", verb, message);
	OWNS(match) struct match *m = err ? NULL : match_new(text, &why);

	if (!err && !m)
		return usage(message, verb, "cannot read the regular expression of --match: %s",
			     why.data ? why.data : "out of memory");
	return err;
}

static int set_format(struct cli_options *o, const char *text, const char *verb,
		      struct buffer *message)
{
	bool may_be_json = o->verb == FOR_SNAPSHOT;

	o->format = exporter_find(text);
	o->page.to_json = may_be_json && !strcmp(text, "json");
	if (o->format || o->page.to_json)
		return 0;
	usage(message, verb, "unknown format \"%s\"; there are", text);
	for (unsigned int i = 0; exporter_at(i); i++)
		buffer_print(message, "%s %s", i ? "," : "", exporter_at(i)->name);
	if (may_be_json)
		buffer_add_text(message, ", json");
	return SPPROF_EXIT_USAGE;
}

static int set_order(struct cli_options *o, const char *text, const char *verb,
		     struct buffer *message)
{
	for (int order = 0; order < TOP_ORDERS; order++)
		if (!strcmp(text, top_order_name(order)))
			return o->order = order, 0;
	usage(message, verb, "cannot sort by \"%s\"; there are", text);
	for (int order = 0; order < TOP_ORDERS; order++)
		buffer_print(message, "%s %s", order ? "," : "", top_order_name(order));
	return SPPROF_EXIT_USAGE;
}

static int set_seconds(struct cli_options *o, const char *text, const char *verb,
		       struct buffer *message)
{
	if (!value_seconds(text, &o->seconds))
		return 0;
	return usage(message, verb, "\"%s\" is not a duration in seconds (above 0, at most %d)",
		     text, SPPROF_SECONDS_MAX);
}

static int set_last(struct cli_options *o, const char *text, const char *verb,
		    struct buffer *message)
{
	if (!value_time(text, &o->last))
		return 0;
	return usage(message, verb,
		     "\"%s\" is not a time to look back (60, 60s, 5m or 1h; at most %d s)", text,
		     SPPROF_SECONDS_MAX);
}

static int set_hz(struct cli_options *o, const char *text, const char *verb, struct buffer *message)
{
	if (!value_whole(text, SPPROF_HZ_MIN, SPPROF_HZ_MAX, &o->hz))
		return 0;
	return usage(message, verb, "\"%s\" is not a rate in Hz (%d to %d)", text, SPPROF_HZ_MIN,
		     SPPROF_HZ_MAX);
}

static int set_count(struct cli_options *o, const char *text, const char *verb,
		     struct buffer *message)
{
	if (!value_whole(text, 1, COUNT_MOST, &o->count))
		return 0;
	return usage(message, verb, "\"%s\" is not a count (1 to %d)", text, COUNT_MOST);
}

static int set_delay(struct cli_options *o, const char *text, const char *verb,
		     struct buffer *message)
{
	double delay;

	if (!value_seconds(text, &delay) && delay >= DELAY_LEAST)
		return o->delay = delay, 0;
	return usage(message, verb, "\"%s\" is not a delay in seconds (%g to %d)", text,
		     DELAY_LEAST, SPPROF_SECONDS_MAX);
}

static int set_output(struct cli_options *o, const char *text, const char *verb,
		      struct buffer *message)
{
	if (!*text)
		return usage(message, verb, "--output needs a file's name");
	o->output = text;
	return 0;
}

int options_set(int key, const char *text, struct cli_options *o, const char *verb,
		struct buffer *message)
{
	switch (key) {
	case 'p':
		return set_pids(&o->targets, text, verb, message);
	case OPT_MATCH:
		return set_match(&o->targets, text, verb, message);
	case OPT_UNIT:
		return options_set_text(&o->targets.unit, text, "unit", verb, message);
	case OPT_CGROUP:
		return options_set_text(&o->targets.cgroup, text, "cgroup", verb, message);
	case 'f':
		return set_format(o, text, verb, message);
	case 'd':
		return set_seconds(o, text, verb, message);
	case OPT_LAST:
		return set_last(o, text, verb, message);
	case 'r':
		return set_hz(o, text, verb, message);
	case 'o':
		return set_output(o, text, verb, message);
	case OPT_COUNT:
		return set_count(o, text, verb, message);
	case OPT_DELAY:
		return set_delay(o, text, verb, message);
	case OPT_SORT:
		return set_order(o, text, verb, message);
	case OPT_DIFF:
	case OPT_EVERY:
		return options_set_page(key, text, o, verb, message);
	case OPT_TIER:
	case OPT_RATE:
	case OPT_MAX_OVERHEAD:
	case OPT_FOR:
		return options_set_heap(key, text, o, verb, message);
	case 'S':
		o->socket = text;
		return 0;
	case OPT_INPUT:
	case OPT_EVENT:
	case OPT_SYMFS:
	case OPT_ORDER:
	case OPT_TARGETS:
	case OPT_TARGETS_FILE:
		return options_set_input(key, text, o, verb, message);
	default:
		return options_set_tree(key, text, o, verb, message);
	}
}

void options_set_flag(int key, struct cli_options *o)
{
	switch (key) {
	case OPT_ALL:
		o->targets.all = true;
		break;
	case OPT_JSON:
		o->as_json = true;
		break;
	case OPT_CPU:
		o->page.parts |= PART_CPU;
		break;
	case OPT_HEAP:
		o->page.parts |= PART_HEAP;
		break;
	case OPT_TYPES:
		o->page.parts |= PART_TYPES;
		break;
	case OPT_EXPLAIN:
		o->hierarchy.explains = true;
		break;
	case OPT_SELF:
		o->hierarchy.by_self = true;
		break;
	case OPT_INVERT:
		o->tree.is_inverted = true;
		break;
	case OPT_LINES:
		o->shape.with_lines = true;
		break;
	case OPT_SAMPLES:
		o->shape.as_samples = true;
		break;
	case 't':
		o->shape.with_threads = true;
		break;
	default: /* 'h' */
		o->wants_help = true;
	}
}
