/* SPDX-License-Identifier: Apache-2.0 */
/* Types that were met, and what is no type: each read once. */
#include "resolve/type_table.h"

#include "heap_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

#define MANY 10

struct tried {
	struct heap_image h;
	struct object_shape shape;
	struct heap_ranges ranges;
	struct target_reader below;
	struct type_table types;
	unsigned int reads;
};

static int count_reads(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct tried *t = ctx;

	t->reads++;
	return t->below.read(t->below.ctx, address, dst, len);
}

static struct tried *try_new(void)
{
	struct tried *t = calloc(1, sizeof(*t));
	const struct image *m = &t->h.image;

	heap_image_begin(&t->h, 12);
	t->below = image_reader(&t->h.image);
	cr_assert(eq(int, object_shape_find(&m->py, &m->at, ~0ull, false, &t->shape), 0));
	t->types.memory = (struct target_reader){ .read = count_reads, .ctx = t };
	t->types.shape = &t->shape;
	t->types.ranges = &t->ranges;
	t->types.factor = 0x9e3779b97f4a7c15ull;
	cr_assert(eq(int, type_table_init(&t->types, t->h.root), 0));
	t->reads = 0;
	return t;
}

static void try_free(struct tried *t)
{
	type_table_fini(&t->types);
	heap_ranges_fini(&t->ranges);
	free(t);
}

Test(type_table, type_is_read_once)
{
	struct tried *t = try_new();
	struct heap_image_type said = { .name = "T",
					.flags = OBJECT_TYPE_ON_HEAP,
					.basicsize = 16 };
	uint32_t address = heap_image_add_type(&t->h, &said), count;
	unsigned int reads;
	int err = 0;

	cr_assert(type_table_find(&t->types, address) == NULL);
	cr_assert(type_table_look(&t->types, address, &err) != NULL);
	reads = t->reads;
	count = t->types.count;
	cr_assert(type_table_look(&t->types, address, &err) == type_table_find(&t->types, address));
	cr_assert(eq(u32, t->reads, reads));
	cr_assert(eq(u32, t->types.count, count));
	cr_assert(eq(int, err, 0));
	try_free(t);
}

Test(type_table, what_is_no_type_is_read_once)
{
	struct tried *t = try_new();
	uint32_t address = heap_image_make(&t->h, 600);
	int err = 0;

	cr_assert(type_table_look(&t->types, address, &err) == NULL);
	cr_assert(eq(u32, t->reads, 1));
	cr_assert(type_table_look(&t->types, address, &err) == NULL);
	cr_assert(eq(u32, t->reads, 1));
	cr_assert(eq(int, err, 0));
	try_free(t);
}

Test(type_table, what_cannot_be_one_is_not_read)
{
	static const uint64_t rows[] = { 0, 8, 0x10004, 1ull << 47, ~0ull, HEAP_IMAGE_START + 64 };
	struct tried *t = try_new();
	int err = 0;

	cr_assert(
		eq(int, heap_ranges_add(&t->ranges, HEAP_IMAGE_START, HEAP_IMAGE_START + 4096), 0));
	heap_ranges_seal(&t->ranges);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_assert(type_table_look(&t->types, rows[i], &err) == NULL);
	cr_assert(eq(u32, t->reads, 0));
	t->types.has_types_inside = true;
	cr_assert(type_table_look(&t->types, HEAP_IMAGE_START + 64, &err) == NULL);
	cr_assert(eq(u32, t->reads, 1));
	try_free(t);
}

Test(type_table, reads_are_bounded_and_the_last_is_said)
{
	struct tried *t = try_new();
	int err = 0;

	t->types.looks_left = MANY;
	for (uint64_t i = 0; i < 2 * MANY; i++)
		cr_assert(type_table_look(&t->types, 0x7000000 + 4096 * i, &err) == NULL);
	cr_assert(eq(u32, t->reads, MANY));
	cr_assert(t->types.was_spared);
	try_free(t);
}

/* A chain of types that are each the next one's type ends somewhere. */
Test(type_table, types_of_types_may_not_go_on_for_ever)
{
	struct tried *t = try_new();
	uint32_t first = IMAGE_BASE, step = 16;
	int err = 0;

	for (uint32_t at = first; at + 512 < IMAGE_BASE + IMAGE_BYTES; at += step) {
		heap_image_put(&t->h, at, 1ull << 31 | 1 << 12);
		heap_image_put(&t->h, at + 8, at + step);
	}
	cr_assert(type_table_look(&t->types, first, &err) == NULL);
	cr_assert(eq(int, err, 0));
	try_free(t);
}
