/* SPDX-License-Identifier: Apache-2.0 */
/* The options of who allocates: heap's, and those that snapshot --heap has of them. */
#include "cli/options_parts.h"

#include "cli/values.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RATE_MOST (1ull << 30) /* bytes */
#define OVERHEAD_MOST 100000   /* percent: whoever wants no cap */
#define LOOK_LEAST 1	       /* seconds: below it nothing is seen to grow */

int options_set_action(const char *text, struct cli_options *o, const char *verb,
		       struct buffer *message)
{
	static const char *const names[] = {
		[ACTION_START] = "start",
		[ACTION_STOP] = "stop",
		[ACTION_STATUS] = "status",
	};

	for (size_t i = ACTION_START; i < COUNT(names); i++)
		if (!strcmp(text, names[i]))
			return o->action = i, 0;
	return usage(message, verb, "cannot \"%s\"; there are start, stop, status", text);
}

static int set_tier(struct cli_probes *p, const char *text, const char *verb,
		    struct buffer *message)
{
	static const char *const names[] = { "growth", "trace", "auto" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (!strcmp(text, names[i]))
			return p->tier = names[i], 0;
	return usage(message, verb, "unknown tier \"%s\"; there are growth, trace, auto", text);
}

static int set_for(struct cli_options *o, const char *text, const char *verb,
		   struct buffer *message)
{
	if (!value_time(text, &o->seconds) && o->seconds >= LOOK_LEAST)
		return 0;
	return usage(message, verb,
		     "\"%s\" is not a time to sample for (60, 60s, 5m or 1h; %d to %d s)", text,
		     LOOK_LEAST, SPPROF_SECONDS_MAX);
}

int options_set_heap(int key, const char *text, struct cli_options *o, const char *verb,
		     struct buffer *message)
{
	switch (key) {
	case OPT_TIER:
		return set_tier(&o->probes, text, verb, message);
	case OPT_RATE:
		if (!value_bytes(text, 1, RATE_MOST, &o->probes.rate))
			return 0;
		return usage(message, verb,
			     "\"%s\" is not a rate in bytes (65536, 64KiB or 1MiB; 1 B to 1 GiB)",
			     text);
	case OPT_MAX_OVERHEAD:
		if (!value_whole(text, 1, OVERHEAD_MOST, &o->probes.max_overhead))
			return 0;
		return usage(message, verb, "\"%s\" is not an overhead in percent (1 to %d)", text,
			     OVERHEAD_MOST);
	default: /* OPT_FOR */
		return set_for(o, text, verb, message);
	}
}

/* The first option that only sampling heeds, or NULL. */
static const char *probes_name(const struct cli_probes *p)
{
	if (p->tier)
		return "tier";
	if (p->rate)
		return "rate";
	return p->max_overhead ? "max-overhead" : NULL;
}

static int check_action(const struct cli_options *o, const char *name, struct buffer *message)
{
	const char *only_start = probes_name(&o->probes);

	if (!only_start && o->seconds > 0)
		only_start = "for";
	if (o->action == ACTION_UNSAID)
		return usage(message, name, "needs start, stop or status, before its options");
	if (only_start && o->action != ACTION_START)
		return usage(message, name, "--%s is for start", only_start);
	return 0;
}

/* Of a snapshot. */
static int check_look(const struct cli_options *o, const char *name, struct buffer *message)
{
	const char *option = probes_name(&o->probes);
	bool is_heap = o->page.parts & PART_HEAP;

	if (option && !(is_heap && o->seconds > 0))
		return usage(message, name, "--%s needs --heap with --duration", option);
	if (o->seconds > 0 && (o->page.parts & PART_TYPES))
		return usage(message, name,
			     "--duration is of the processor, or with --heap of who allocates; "
			     "types are counted at once");
	if (is_heap && o->seconds > 0 && o->seconds < LOOK_LEAST)
		return usage(message, name, "--duration of a heap is at least %d s", LOOK_LEAST);
	return 0;
}

int options_check_heap(struct cli_options *o, const char *name, struct buffer *message)
{
	if (o->verb == FOR_HEAP)
		return check_action(o, name, message);
	return check_look(o, name, message);
}
