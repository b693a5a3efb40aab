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

/* The first option that only a profile heeds, or NULL. */
static const char *shape_name(const struct export_options *shape)
{
	if (shape->with_lines)
		return "lines";
	if (shape->as_samples)
		return "samples";
	return shape->with_threads ? "threads" : NULL;
}

/* A page is printed, or a profile is written. */
static int check_snapshot(struct cli_options *o, const char *name, struct buffer *message)
{
	const char *shape = shape_name(&o->shape);
	bool is_profile = o->format || o->output;

	if (is_profile && o->as_json)
		return usage(message, name, "--json prints the page; it does not go with --%s",
			     o->format ? "format" : "output");
	if (!is_profile && shape)
		return usage(message, name, "--%s needs --format or --output", shape);
	if (is_profile && !o->format)
		o->format = &export_speedscope;
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
	if (!err && verb == FOR_SNAPSHOT)
		err = check_snapshot(o, name, message);
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
