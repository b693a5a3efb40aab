/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: one line on standard error, and the exit code that goes with it. */
#ifndef SPPROF_CLI_FAIL_H
#define SPPROF_CLI_FAIL_H

#include "base/buffer.h"
#include "control/client.h"
#include "spprof_api.h"

/* "spprofctl: …", made harmless for a terminal. Returns @exit. */
int fail(int exit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of each line of @lines, after "NAME: " unless @name is NULL. */
void fail_lines(const char *name, const struct buffer *lines);

/* The same with what was put into @why; nothing if @exit is 0. */
int fail_reason(int exit, const struct buffer *why);

/* control_call() on @socket returned @err. */
int fail_call(int err, const char *socket);

/* The same as text, which is put into @why instead of being printed. */
int fail_call_reason(int err, const char *socket, struct buffer *why);
int fail_reply_reason(const struct control_reply *r, struct buffer *why);

/* The error that @r carries, also in the body of an answer that began well; 0 if none. */
int fail_reply(const struct control_reply *r);

#endif
