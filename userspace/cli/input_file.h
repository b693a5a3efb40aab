/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input_file - a file to read, in memory but not taking it: a mapping that lets go of what
 * was read. What cannot be mapped (a pipe) is copied into a file without a name first.
 */
#ifndef SPPROF_CLI_INPUT_FILE_H
#define SPPROF_CLI_INPUT_FILE_H

#include "base/buffer.h"

#include <signal.h>
#include <stddef.h>

struct input_file {
	const char *bytes; /* never NULL */
	size_t len;
	size_t let_go; /* bytes from the beginning */
	struct sigaction before;
};

/*
 * @name "-": standard input. 0, or -errno, and what is wrong in @why. While it is open, a file
 * that another program cuts short ends this one: with one line of error and exit code 1.
 */
int input_file_open(struct input_file *f, const char *name, struct buffer *why);

/* @arg is a struct input_file; what is before @at, if that is in it, need not stay. */
void input_file_passed(void *arg, const char *at);

/* Does nothing to zeroed memory. */
void input_file_fini(struct input_file *f);

static inline void input_file_cleanup(struct input_file *f)
{
	input_file_fini(f);
}

#endif
