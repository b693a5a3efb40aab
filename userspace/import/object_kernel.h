/* SPDX-License-Identifier: Apache-2.0 */
/* object_kernel - the symbols of the kernel that runs, for who recorded the same one. */
#ifndef SPPROF_IMPORT_OBJECT_KERNEL_H
#define SPPROF_IMPORT_OBJECT_KERNEL_H

#include "base/buffer.h"
#include "native/kallsyms.h"

/* Where the recorded kernel had a symbol. */
struct kernel_reference {
	char symbol[16]; /* "": not known */
	uint64_t address;
	char release[65]; /* as `uname -r` says; "": not known */
};

void kernel_reference_set(struct kernel_reference *r, const char *symbol, uint64_t address);
void kernel_reference_set_release(struct kernel_reference *r, const char *release);

struct object_kernel {
	struct kallsyms *symbols;
	uint64_t shift; /* from a recorded address to one of ours */
};

/*
 * Without a @build_id, of which recordings in a pipe have none, this machine's kernel is
 * believed to be the recorded one if release and reference are the same.
 *
 * 0; -ENODATA: @build_id is none, and they are not; -ESTALE: this machine runs another kernel; -EACCES: it
 * does not show its addresses; other -errno.
 */
int object_kernel_open(struct object_kernel *k, const struct build_id *build_id,
		       const struct kernel_reference *reference);
void object_kernel_fini(struct object_kernel *k);

/* The name of the function around the recorded @address, or NULL. */
const char *object_kernel_name(const struct object_kernel *k, uint64_t address);

/* Appends a line that says what @err of object_kernel_open() was; nothing for 0. */
void object_kernel_warn(int err, struct buffer *out);

#endif
