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

/* control_call() on @socket returned @err. */
int fail_call(int err, const char *socket);

/* The error that @r carries, also in the body of an answer that began well; 0 if none. */
int fail_reply(const struct control_reply *r);

#endif
