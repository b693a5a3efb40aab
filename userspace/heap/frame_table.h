/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_table - each distinct frame of a call stack once, under a number, and what it is called.
 *
 * Numbers count up from 0 and never change. Room for the most is reserved at once and touched as
 * it is used, so nothing ever moves. Any thread may call any function at any time.
 */
#ifndef SPPROF_FRAME_TABLE_H
#define SPPROF_FRAME_TABLE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAME_TABLE_MOST 131072		  /* frames */
#define FRAME_TABLE_TEXT_BYTES (3u << 20) /* for the texts of names */

/* What a frame is, is the caller's matter: frames are the same if all three members are. */
struct stack_frame {
	uint64_t address; /* or whatever else identifies it */
	uint32_t kind;
	uint32_t process; /* whose address that is; 0 if that makes no difference */
};

/* What a frame is called. The texts end with a NUL; from the table they live as long as it. */
struct frame_names {
	const char *function;
	const char *file;
	uint32_t line; /* 0: unknown */
	bool is_python;
};

struct frame_table;

/* NULL when out of memory. */
struct frame_table *frame_table_new(void);
void frame_table_free(struct frame_table *t); /* NULL is fine */
DEFINE_OWNS(frame_table);

static inline bool stack_frame_same(const struct stack_frame *a, const struct stack_frame *b)
{
	return a->address == b->address && a->kind == b->kind && a->process == b->process;
}

/* The number of @frame, or -ENOSPC. */
int64_t frame_table_intern(struct frame_table *t, const struct stack_frame *frame);

/* @number is one that was given. */
struct stack_frame frame_table_get(const struct frame_table *t, uint32_t number);

/*
 * Give a frame its names, once: texts are copied, equal ones share their bytes.
 * Returns 0, -EEXIST if it has names or gets them now, or -ENOSPC: dropped and counted.
 */
int frame_table_name(struct frame_table *t, uint32_t number, const struct frame_names *names);

/* 0, or -ENOENT while the frame has no names. */
int frame_table_names(const struct frame_table *t, uint32_t number, struct frame_names *names);

uint32_t frame_table_count(const struct frame_table *t);
uint64_t frame_table_dropped_names(const struct frame_table *t);

/* Bytes that it has touched, at most; bytes of one that is full in every respect. */
size_t frame_table_bytes(const struct frame_table *t);
size_t frame_table_most_bytes(void);

#endif
