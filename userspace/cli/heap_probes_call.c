/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_probes_call.h"

#include "cli/output.h"

#include <inttypes.h>

/* Uses @target up. */
static int call(const struct cli_options *o, const char *method, struct buffer *target,
		const struct control_watch *watch, json_t **json, struct buffer *why)
{
	int err = SPPROF_EXIT_FAILED;

	if (buffer_error(target))
		buffer_add_text(why, "out of memory");
	else
		err = output_call(o->socket, method, target->data, watch, json, why);
	buffer_fini(target);
	return err;
}

int heap_probes_start(const struct cli_options *o, pid_t pid, unsigned int seconds,
		      const struct control_watch *watch, json_t **session, struct buffer *why)
{
	const struct cli_probes *p = &o->probes;
	struct buffer target = { 0 };

	buffer_print(&target, "/v1/heap/start?pid=%d", pid);
	if (p->tier)
		buffer_print(&target, "&tier=%s", p->tier);
	if (p->rate)
		buffer_print(&target, "&rate=%" PRIu64, p->rate);
	if (p->max_overhead)
		buffer_print(&target, "&max_overhead=%u", p->max_overhead);
	if (seconds)
		buffer_print(&target, "&seconds=%u", seconds);
	return call(o, "POST", &target, watch, session, why);
}

int heap_probes_stop(const struct cli_options *o, pid_t pid, json_t **session, struct buffer *why)
{
	struct buffer target = { 0 };

	buffer_print(&target, "/v1/heap/stop?pid=%d", pid);
	return call(o, "POST", &target, NULL, session, why);
}

int heap_probes_discard(const struct cli_options *o, pid_t pid, struct buffer *why)
{
	struct buffer target = { 0 };
	json_t *session = NULL;
	int err;

	buffer_print(&target, "/v1/heap/stop?pid=%d&discard=1", pid);
	err = call(o, "POST", &target, NULL, &session, why);
	json_decref(session);
	return err;
}

int heap_probes_status(const struct cli_options *o, pid_t pid, json_t **sessions,
		       struct buffer *why)
{
	struct buffer target = { 0 };

	buffer_add_text(&target, "/v1/heap/status");
	if (pid)
		buffer_print(&target, "?pid=%d", pid);
	return call(o, "GET", &target, NULL, sessions, why);
}
