/* SPDX-License-Identifier: Apache-2.0 */
/* Types, and blocks of objects of them, in the shape of one version: beside a python_image. */
#ifndef SPPROF_TESTS_HEAP_IMAGE_H
#define SPPROF_TESTS_HEAP_IMAGE_H

#include "python_image.h"
#include "python/object_shape.h"
#include "resolve/heap_tally.h"

#define HEAP_IMAGE_START 0x7f0000100000ull /* of the blocks, which are told, not read */
#define HEAP_IMAGE_MOST_BLOCKS 64
#define HEAP_IMAGE_BLOCK_BYTES 128

struct heap_image {
	struct image image;
	struct interpreter in;
	uint32_t root; /* the type of types */
	unsigned int minor;
	uint8_t blocks[HEAP_IMAGE_MOST_BLOCKS][HEAP_IMAGE_BLOCK_BYTES];
	uint32_t block_count;

	/* What the allocator says of the blocks; how large it makes them, or NULL. */
	enum heap_use use;
	uint64_t (*sizes)(uint64_t asked);
};

/* What a type says of itself. */
struct heap_image_type {
	const char *name;
	uint32_t flags, basicsize;
	uint32_t type;	    /* 0: the type of types */
	const char *module; /* its __module__, if it is on the heap; NULL: it has no dict */
	uint32_t base;
};

void heap_image_begin(struct heap_image *h, unsigned int minor);

/* A type's address. */
uint32_t heap_image_add_type(struct heap_image *h, const struct heap_image_type *type);

/* Words at @block_at in a new block; its number. Words that are not given are 0. */
uint32_t heap_image_add_block(struct heap_image *h, size_t block_at, const uint64_t *words,
			      size_t count);

/* An object that begins at @start of a new block. */
uint32_t heap_image_add_object(struct heap_image *h, size_t start, uint64_t references,
			       uint64_t type);

/* Address of the block with that number. */
uint64_t heap_image_block(uint32_t number);

/* Room in memory that is read, at least @bytes. */
uint32_t heap_image_make(struct heap_image *h, uint32_t bytes);
void heap_image_put(struct heap_image *h, uint64_t address, uint64_t value);

/* Tells a tally of all blocks and finishes it: what it or the finishing said. */
int heap_image_tally(struct heap_image *h, struct heap_census *out);

#endif
