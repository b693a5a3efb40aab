/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's walk over a target_reader: the user-space end of its one seam. Each file
 * that includes this has a seam of its own, set before each use.
 */
#ifndef SPPROF_WALK_TARGET_H
#define SPPROF_WALK_TARGET_H

#include "resolve/target_memory.h"

#include "../../bpf/py_walk.bpf.h"
#include "spprof_target.h"

#include <errno.h>

struct walk_seam {
	struct target_reader reader;
	int err; /* the last error, as target_read() gives it; 0 if there was none */
};

static _Thread_local struct walk_seam walk_seam;

static inline long sp_read_target(void *dst, __u32 len, __u64 addr)
{
	int err = walk_seam.reader.read(walk_seam.reader.ctx, addr, dst, len);

	if (err)
		walk_seam.err = err;
	return err;
}

static inline void walk_from(struct target_reader reader)
{
	walk_seam = (struct walk_seam){ .reader = reader };
}

/*
 * The thread's number as its own PID namespace has it. Up to 3.10 Python does not keep it, but
 * glibc does, in what thread_id is the address of. 0: it cannot be told.
 */
static inline uint64_t native_id_of(const struct sp_pylayout *at, const struct sp_thread *t)
{
	uint32_t tid = 0;

	if (at->tstate_native_thread_id != SP_NO_FIELD)
		return t->native_id;
	if (t->ident)
		sp_read_target(&tid, sizeof(tid), t->ident + SP_PTHREAD_TID);
	return tid;
}

/* -ESRCH or -EPERM if that is why something could not be read, else 0. */
static inline int walk_error(void)
{
	return walk_seam.err == -ESRCH || walk_seam.err == -EPERM ? walk_seam.err : 0;
}

#endif
