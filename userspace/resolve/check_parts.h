/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the self-check: objects, frames, threads. Each sets ->why when it fails. */
#ifndef SPPROF_CHECK_PARTS_H
#define SPPROF_CHECK_PARTS_H

#include "resolve/self_check.h"

#include <stdbool.h>

#define NOT_THERE(field) field " is not where this version keeps it"
#define CHECKED_CODES 64 /* remembered, by address */

struct check {
	const struct self_check_target *target;
	const struct sp_pylayout *at;
	const char *why; /* a static text */

	/* What was seen, over all threads. */
	uint32_t frames_in_chunks;
	uint32_t whole_texts;	  /* short strings without a zero inside */
	uint32_t torn_texts;	  /* short strings with one */
	uint32_t modules;	  /* code objects of modules */
	uint32_t modules_at_one;  /* of these, with first line 1 */
	uint32_t modules_in_file; /* of these, whose file has not the module's name */

	struct {
		uint64_t code;
		int64_t units;
	} codes[CHECKED_CODES]; /* that were found to be code objects */
};

/* Sets @c->why and evaluates to -ENOTSUP. */
#define REFUSE(c, text)            \
	({                         \
		(c)->why = (text); \
		-ENOTSUP;          \
	})

static inline int check_read(const struct check *c, uint64_t addr, void *dst, size_t len)
{
	return c->target->memory.read(c->target->memory.ctx, addr, dst, len);
}

/* Python 3.11 brought frames that are no objects, and data stacks that they lie in. */
static inline bool has_frame_objects(const struct check *c)
{
	return c->at->frame_instr_kind != SP_INSTR_POINTER;
}

/* check_objects.c: whether @code is a code object, and the code units it has. */
int check_code(struct check *c, uint64_t code, int64_t *units);

/* check_objects.c: whether @frame is a frame object, up to 3.10. */
int check_frame_object(struct check *c, uint64_t frame);

struct check_thread {
	uint64_t tstate;
	uint64_t ident;	    /* thread_id */
	uint64_t native_id; /* native_thread_id; up to 3.10 what glibc knows it by */
};

/* check_frames.c: 0; -ENOENT the thread has no frame; -EBUSY; -ENOTSUP. */
int check_frames(struct check *c, const struct check_thread *thread);

#define KEPT_THREADS 16 /* tried in full: the newest, and the oldest with the main thread */

struct check_threads {
	struct check_thread kept[KEPT_THREADS];
	size_t kept_count;
	size_t listed; /* in all */
};

/* check_threads.c: lists the threads of @interp, newest first. 0, -EAGAIN, -ENOTSUP. */
int check_thread_list(struct check *c, uint64_t interp, struct check_threads *out);

/* Tries autoTSSkey and thread_id on them; *@autotsskey 0 is searched for and filled in. */
int check_thread_specific(struct check *c, const struct check_threads *threads,
			  uint32_t *autotsskey);

/*
 * check_thread_local.c: the same for a version without autoTSSkey. Finds where thread-local
 * variables hold every thread's state. 0; -EAGAIN it cannot be told yet; -ENOTSUP.
 */
int check_thread_local(struct check *c, const struct check_threads *threads, int32_t slots[2]);

#endif
