/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_ask.h"

#include "cli/fail.h"
#include "cli/heap_input.h"

#include <errno.h>

void heap_ask_add_target(pid_t pid, struct buffer *target)
{
	buffer_print(target, "/v1/heap?pid=%d", pid);
}

static int read_answer(const struct control_reply *r, struct heap_types *out, struct buffer *why)
{
	OWNS(buffer) struct buffer reason = { 0 };
	int err = heap_input_read(r->body.data ? r->body.data : "", r->body.len, 0, out, &reason);

	if (!err)
		return 0;
	why->len = 0;
	if (err == -ENOMEM || buffer_error(&reason))
		buffer_add_text(why, "out of memory");
	else
		buffer_print(why, "cannot understand the heap that spprofd answered: %s",
			     reason.data);
	return SPPROF_EXIT_FAILED;
}

int heap_ask(const char *socket, pid_t pid, const struct control_watch *watch,
	     struct heap_types *out, struct buffer *why)
{
	OWNS(control_reply) struct control_reply reply = { 0 };
	OWNS(buffer) struct buffer target = { 0 };
	int err;

	heap_ask_add_target(pid, &target);
	err = buffer_error(&target);
	if (!err)
		err = control_call(socket, "GET", target.data, watch, &reply);
	if (err)
		return fail_call_reason(err, socket, why);
	err = fail_reply_reason(&reply, why);
	return err ? err : read_answer(&reply, out, why);
}
