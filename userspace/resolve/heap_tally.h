/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_tally - sums up live blocks by what they are. It is told of blocks that were copied out of
 * the process, and reads their types from there itself, each once. Not thread-safe.
 */
#ifndef SPPROF_HEAP_TALLY_H
#define SPPROF_HEAP_TALLY_H

#include "base/cleanup.h"
#include "resolve/heap_census.h"
#include "resolve/interpreter.h"
#include "resolve/target_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_tally;

/* What is known of the process beforehand. */
struct heap_tally_facts {
	struct target_reader memory;
	const struct interpreter *in;
	bool has_debug_hooks;
	bool has_types_inside; /* of the ranges; pymalloc's arenas hold none: they are too large */
};

/*
 * NULL and *@err when out of memory, if nothing there looks like a type, or -EAGAIN: this Python is
 * still starting. @facts is copied.
 */
struct heap_tally *heap_tally_new(const struct heap_tally_facts *facts, int *err);
void heap_tally_free(struct heap_tally *t); /* NULL is fine */
DEFINE_OWNS(heap_tally);

/*
 * How large a block the allocator gives for what it is asked for, where that is not the next
 * multiple of 16. Before the first blocks.
 */
void heap_tally_use_sizes(struct heap_tally *t, uint64_t (*block_bytes)(uint64_t asked));

/* Memory that blocks are scanned in: what lies outside is large. Before the first blocks. */
int heap_tally_add_range(struct heap_tally *t, uint64_t start, uint64_t end);

/*
 * What the allocator itself says of blocks. Free-threaded builds have a heap of mimalloc for each
 * but the first; every block of the last two was an object when it was given out.
 */
enum heap_use {
	HEAP_USE_ANY,	 /* memory, or an object that is found out, behind a GC header or not */
	HEAP_USE_MEMORY, /* never an object */
	HEAP_USE_OBJECT, /* begins with one that has no GC; some C code keeps memory there */
	HEAP_USE_GC,	 /* begins with an object */
	HEAP_USE_GC_PRE, /* an object begins at HEAP_USE_GC_PRE_BYTES */
};

#define HEAP_USE_GC_PRE_BYTES 16

/* Equal blocks beside each other: a pool's, or those of a mimalloc page. */
struct heap_blocks {
	uint64_t address;     /* of the first */
	const uint8_t *bytes; /* as copied */
	size_t length;	      /* that were copied: may end within the last block */
	uint64_t block_bytes;
	uint32_t count;
	const uint64_t *free_bits; /* a bit a block, the lowest first: not counted */
	enum heap_use use;
};

/* 0 or -ENOMEM. Any content is legal. */
int heap_tally_add(struct heap_tally *t, const struct heap_blocks *b);

/*
 * Follows what was found to lie outside, and makes the types' names and sums. What the caller
 * knows of pools and sizes is its own to fill in. 0, -ENOMEM, -ESRCH.
 */
int heap_tally_finish(struct heap_tally *t, struct heap_census *out);

#endif
