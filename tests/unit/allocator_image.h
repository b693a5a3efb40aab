/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a Python as far as its allocator goes: tables, code, symbols, books, pools. */
#ifndef SPPROF_TESTS_ALLOCATOR_IMAGE_H
#define SPPROF_TESTS_ALLOCATOR_IMAGE_H

#include "resolve/allocator_places.h"
#include "resolve/target_memory.h"

#define AI_BASE 0x400000ull /* of the Python's file: its ELF header */
#define AI_CODE 0x401000ull /* its own */
#define AI_FOREIGN 0x403000ull
#define AI_RUNTIME 0x404000ull
#define AI_TABLES (AI_RUNTIME + 0x600) /* where it has them in _PyRuntime */
#define AI_MAIN 0x406000ull	       /* the main interpreter */
#define AI_STATICS 0x418000ull	       /* other variables */
#define AI_HEAP 0x41c000ull	       /* malloc'ed memory */
#define AI_END 0x43c000ull
#define AI_ARENAS 0x10000000ull /* arenas of which the first page is there, 2 MiB apart */
#define AI_ARENA_STEP 0x200000ull
#define AI_MOST_ARENAS 64

/* Functions: four in a row for each kind. */
#define AI_MALLOC (AI_CODE + 0x100)
#define AI_PYMALLOC (AI_CODE + 0x200)
#define AI_MIMALLOC (AI_CODE + 0x300) /* of objects; of memory 0x80 behind */
#define AI_DEBUG (AI_CODE + 0x400)
#define AI_TRACE (AI_CODE + 0x500)

struct allocator_image {
	uint8_t bytes[AI_END - AI_BASE];
	uint8_t pages[AI_MOST_ARENAS][65536];
	uint32_t reads; /* so far */
	int fails_with; /* every reading; 0: none */
	struct place code[2];
	struct allocator_places places;
};

/* What an array is made of. */
struct allocator_array {
	uint64_t at;
	uint32_t entries, used;
	uint32_t pool_bytes, arena_bytes;
	uint64_t moved;	      /* arenas begin so far behind a pool */
	uint32_t first_arena; /* of AI_ARENAS */
};

/* An empty one; free() it. */
struct allocator_image *allocator_image_new(void);

struct target_reader allocator_image_reader(struct allocator_image *m);

void allocator_image_put(struct allocator_image *m, uint64_t address, uint64_t word);
void allocator_image_put_u32(struct allocator_image *m, uint64_t address, uint32_t value);

/* A PyMemAllocatorEx whose functions begin at @functions. */
void allocator_image_table(struct allocator_image *m, uint64_t address, uint64_t ctx,
			   uint64_t functions);

/* The three tables of standard domains, and behind them those of the debug hooks. */
void allocator_image_tables(struct allocator_image *m, uint64_t address, uint64_t functions);

void allocator_image_array(struct allocator_image *m, const struct allocator_array *a);

/* Symbols of functions, each of which jumps through one of three tables at AI_STATICS. */
void allocator_image_exports(struct allocator_image *m);

#endif
