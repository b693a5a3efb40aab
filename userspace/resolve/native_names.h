/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_names - the C, C++ and Rust functions of a process's call stacks. One thread.
 *
 * The symbols of a mapped file are read when the first address in it is asked for: some
 * milliseconds a file, once. What is mapped is read again when an address is met that was not.
 */
#ifndef SPPROF_NATIVE_NAMES_H
#define SPPROF_NATIVE_NAMES_H

#include "base/cleanup.h"
#include "resolve/interpreter.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct native_name {
	const char *function; /* demangled, UTF-8; "": not known */
	const char *file;     /* the mapped file's path, UTF-8 */
	uint32_t number; /* of the function or, where that is not known, of the file: 1, 2, … */
};

struct native_names;

/* Of @pid, in which @in was found. NULL when out of memory. */
struct native_names *native_names_new(pid_t pid, const struct interpreter *in);
void native_names_free(struct native_names *n); /* NULL is fine */
DEFINE_OWNS(native_names);

/*
 * The function that goes on at @address, what a call returns to. 0 and *@out, whose texts live as
 * long as @n; -ENOENT: no file is mapped there with code; -ENOSPC: too many are known already;
 * -ENOMEM. A process that ended has no more than was known of it.
 */
int native_names_find(struct native_names *n, uint64_t address, struct native_name *out);

/*
 * How many of the @count @addresses of a stack, newest first, are worth to be told above the
 * Python frames: those up to the first one in the interpreter's own file, or up to what is no
 * code, as where frame pointers lead astray.
 */
size_t native_names_above(struct native_names *n, const uint64_t *addresses, size_t count);

#endif
