/* SPDX-License-Identifier: Apache-2.0 */
/* Whether options go together. */
#include "cli/options_parts.h"

#include <string.h>
#include <sys/un.h>

#define DELAY_DEFAULT 1

static int check_targets(enum cli_verb_bit verb, const struct cli_options *o, const char *name,
			 struct buffer *message)
{
	const struct cli_targets *t = &o->targets;
	int kinds = !!t->pid_count + !!t->match + !!t->unit + !!t->cgroup + t->all + !!o->command;

	if (kinds <= 1)
		return 0;
	return usage(message, name, "needs only one of --pid, --match, --unit, --cgroup%s",
		     verb == FOR_RECORD ? ", --all or -- PROGRAM" : " or --all");
}

static int check_last(const struct cli_options *o, const char *name, struct buffer *message)
{
	const char *other = o->seconds > 0 ? "--duration" : o->hz ? "--rate" : NULL;

	if (o->command)
		other = "-- PROGRAM";
	if (o->last > 0 && other)
		return usage(message, name, "--last takes what was sampled already, without %s",
			     other);
	return 0;
}

/* The first option that only a file heeds, or NULL. */
static const char *file_option(const struct cli_input *in)
{
	if (in->event)
		return "event";
	if (in->symfs)
		return "symfs";
	return in->order ? "order" : NULL;
}

/* What calls are looked for in: a process is never chosen for the user. */
static int check_source(const struct cli_options *o, const char *name, struct buffer *message)
{
	const struct cli_targets *t = &o->targets;
	bool is_live = t->pid_count || t->match || t->unit || t->cgroup || t->all;

	if (!o->input.count && !is_live)
		return usage(message, name,
			     "needs --input, or --pid, --match, --unit, --cgroup or --all");
	if (o->input.count && (is_live || o->seconds > 0 || o->last > 0))
		return usage(message, name,
			     "--input is a file: it does not go with a process or time");
	if (o->seconds > 0 && o->last > 0)
		return usage(message, name,
			     "--last looks back, --duration ahead: only one of them");
	if (!o->input.count && file_option(&o->input))
		return usage(message, name, "--%s needs --input", file_option(&o->input));
	return 0;
}

static int check_tree(struct cli_options *o, const char *name, struct buffer *message)
{
	if (o->input.count > 1)
		return usage(message, name, "--input may be given once");
	if (o->tree.by == TREE_BY_UNSAID)
		o->tree.by = o->input.count ? TREE_BY_NONE : TREE_BY_THREAD;
	return 0;
}

static int check_hierarchy(const struct cli_options *o, const char *name, struct buffer *message)
{
	if (!o->hierarchy.list_count)
		return usage(message, name, "needs --targets or --targets-file");
	if (o->hierarchy.explains && o->as_json)
		return usage(message, name, "--explain prints text; it does not go with --json");
	return 0;
}

static int check_socket(struct cli_options *o, const char *name, struct buffer *message)
{
	const char *inherited = getenv(SPPROF_SOCKET_ENV);
	size_t most = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

	if (!o->socket)
		o->socket = inherited && *inherited ? inherited : SPPROF_SOCKET_DEFAULT;
	if (!*o->socket)
		return usage(message, name, "--socket needs a path");
	if (strlen(o->socket) > most)
		return usage(message, name, "the socket's path is longer than %zu bytes: %s", most,
			     o->socket);
	return 0;
}

int options_check(enum cli_verb_bit verb, struct cli_options *o, const char *name,
		  struct buffer *message)
{
	int err = check_targets(verb, o, name, message);

	if (!err && verb == FOR_RECORD)
		err = check_last(o, name, message);
	if (!err && (verb == FOR_SNAPSHOT || verb == FOR_TREE))
		err = options_check_page(o, name, message);
	if (!err && verb == FOR_HEAP)
		err = options_check_heap(o, name, message);
	if (!err && verb == FOR_TREE)
		err = check_tree(o, name, message);
	if (!err && verb == FOR_HIERARCHY)
		err = check_hierarchy(o, name, message);
	if (!err && (verb == FOR_TREE || verb == FOR_HIERARCHY))
		err = check_source(o, name, message);
	if (!err)
		err = check_socket(o, name, message);
	if (err)
		return err;
	if (verb == FOR_RECORD && !o->format)
		o->format = &export_speedscope;
	if (!o->hz)
		o->hz = SPPROF_HZ_DEFAULT;
	if (o->delay <= 0)
		o->delay = DELAY_DEFAULT;
	return 0;
}
