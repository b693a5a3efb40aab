/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpreter - the CPython in a process: where it is and how it is laid out.
 *
 * Recognised by what the mapped ELF files hold, never by their names; a layout is
 * believed only after every field of it was tried on the live process.
 */
#ifndef SPPROF_INTERPRETER_H
#define SPPROF_INTERPRETER_H

#include "base/cleanup.h"
#include "spprof_pylayout.h"
#include "spprof_target.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct interpreter {
	struct sp_pylayout layout;
	uint64_t runtime; /* address of _PyRuntime */
	int32_t slots[2]; /* as sp_target.slot, where the layout has no autoTSSkey */

	/* The next process of this file can be followed from its exec on, if it is_executable. */
	struct sp_binary_id file;
	uint64_t runtime_offset; /* of _PyRuntime from mm->start_code; see bpf/process.bpf.c */
	bool is_executable;	 /* the program's own file, not a shared library */
};

/* Remembers what files were found to be, by device, inode, time of change and size. One thread. */
struct file_memory;
struct file_memory *file_memory_new(void);
void file_memory_free(struct file_memory *m); /* NULL is fine */
DEFINE_OWNS(file_memory);

/*
 * Looks for a CPython in @pid.
 * Returns 0 and *@out, its layout confirmed by interpreter_check();
 * -ENOENT no mapped file is a Python; -EAGAIN it is one that has not started yet (*@out
 * is filled as far as known); -ENOTSUP and *@why, a text for people that lives as long as
 * the program: one that we refuse; -ESRCH it is gone; -EPERM we may not look.
 */
int interpreter_find(pid_t pid, struct file_memory *files, struct interpreter *out,
		     const char **why);

/*
 * Tries every field of @in->layout on the live process. 0; -EAGAIN nothing runs there
 * yet to try them on; -ENOTSUP and *@why, the field that does not fit; -ESRCH.
 */
int interpreter_check(pid_t pid, const struct interpreter *in, const char **why);

#endif
