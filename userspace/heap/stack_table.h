/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_table - each call stack of a sampled allocation once, under an id that never changes.
 *
 * A stack is the merged one: Python and native frames, innermost first. Ids count up from 0.
 * Room for the most is reserved at once and touched as ids are given, so growth moves nothing:
 * a reader never waits, whoever interns. What finds no room is dropped and counted. 23.1 MB if
 * all is full: 65,536 stacks, 40 frames deep on average, of 131,072 distinct frames.
 *
 * Any thread may call any function at any time.
 */
#ifndef SPPROF_STACK_TABLE_H
#define SPPROF_STACK_TABLE_H

#include "heap/frame_table.h"

#define STACK_TABLE_DEPTH 64   /* frames of a stack; an outer rest is cut off */
#define STACK_TABLE_FIRST 4096 /* stacks that it starts with */
#define STACK_TABLE_MOST 65536 /* stacks that it grows to */

enum stack_flag {
	STACK_RESOLVED = 1,    /* every frame has its names */
	STACK_PYTHON_ATTR = 2, /* there is a Python frame in it */
	STACK_TRUNCATED = 4,   /* there were more frames; it is another stack than one that ends */
};

/* One stack, as read. Its frames are numbers in stack_table_frames(). */
struct stack_view {
	uint64_t hash; /* FNV-1a 64 of the frames and of STACK_TRUNCATED; never 0 */
	const uint32_t *frames;
	uint16_t depth;
	uint16_t flags; /* enum stack_flag */
};

struct stack_limits { /* 0: the most that there is */
	uint32_t stacks;
	uint32_t depth;
};

/* Why a stack was dropped. */
enum stack_drop {
	STACK_DROP_FULL,   /* as many stacks as the limit are there */
	STACK_DROP_FRAMES, /* no room for another distinct frame */
	STACK_DROP_ARENA,  /* no room for the list of its frames */
	STACK_DROP_SEARCH, /* too many hashes like its own */
	STACK_DROPS,
};

struct stack_stats {
	uint64_t stacks;     /* unique ones; ids are below that */
	uint64_t capacity;   /* 4,096, doubled as often as they need */
	uint64_t collisions; /* stacks whose hash another one has, too */
	uint64_t dropped[STACK_DROPS];
	uint64_t dropped_all;
	uint64_t bytes; /* touched at most, frames and names included */
};

struct stack_table;

/* NULL when out of memory, or when a limit is above the most. */
struct stack_table *stack_table_new(struct stack_limits limits);
void stack_table_free(struct stack_table *t); /* NULL is fine */
DEFINE_OWNS(stack_table);

/* Where the frames of its stacks have their numbers, and get their names. */
struct frame_table *stack_table_frames(const struct stack_table *t);

/*
 * The id of the stack of @depth @frames; of @flags STACK_TRUNCATED and STACK_PYTHON_ATTR count.
 * Returns an id >= 0, -EINVAL for a stack without a frame, or -ENOSPC: dropped and counted.
 */
int64_t stack_table_intern(struct stack_table *t, const struct stack_frame *frames, uint32_t depth,
			   uint16_t flags);

/* The same for who has the hash (not 0) already: two stacks may have the same one. */
int64_t stack_table_intern_hashed(struct stack_table *t, uint64_t hash,
				  const struct stack_frame *frames, uint32_t depth, uint16_t flags);
uint64_t stack_table_hash(const struct stack_table *t, const struct stack_frame *frames,
			  uint32_t depth, uint16_t flags);

/* 0, or -ENOENT if there is no such stack, or it is not complete yet. */
int stack_table_read(const struct stack_table *t, uint32_t id, struct stack_view *view);

/* Sets STACK_RESOLVED if every frame has names: whether it is set. */
bool stack_table_resolve(struct stack_table *t, uint32_t id);

struct stack_stats stack_table_stats(const struct stack_table *t);

/* Bytes of a table that is full in every respect. */
size_t stack_table_most_bytes(void);

#endif
