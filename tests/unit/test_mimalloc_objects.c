/* SPDX-License-Identifier: Apache-2.0 */
/* What the tally takes from mimalloc: uses, sizes; and how objects without a GIL are counted. */
#include "python/mimalloc_size.h"
#include "resolve/heap_tally.h"

#include "heap_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define CENSUS(name) __attribute__((cleanup(heap_census_cleanup))) struct heap_census name = { 0 }
#define IS_LIST (1u << 25)
#define LIST_BYTES 40

/* --- free-threaded objects --- */

/* Of ob_ref_shared; the count lies above them. */
#define FLAG_QUEUED 2
#define FLAG_MERGED 3

Test(object_shape, references_without_a_gil_are_counted_in_two_halves)
{
	static const struct {
		uint64_t thread;
		uint32_t flags, local;
		int64_t shared;
		enum object_state state;
	} rows[] = {
		{ 0x7f1234567740, 0, 1, 0, OBJECT_LIVE },
		{ 0, 0, 0, 1 << 2 | FLAG_MERGED, OBJECT_LIVE },
		{ 0x7f1234567740, 0, 3, -2 * 4, OBJECT_LIVE },
		{ 0, 0, UINT32_MAX, 0, OBJECT_LIVE },			       /* immortal */
		{ 0x7f1234567740, 0x21020000, 1, INT64_MAX / 8, OBJECT_LIVE }, /* deferred */
		{ 0x7f1234567740, 0, 2, FLAG_QUEUED, OBJECT_LIVE },
		{ 0x7f1234567740, 0, 1, FLAG_QUEUED, OBJECT_UNUSED }, /* its thread will drop it */
		{ 0, 0, 0, FLAG_MERGED, OBJECT_UNUSED },
		{ 0x7f1234567740, 0, 0, 0, OBJECT_UNUSED }, /* its thread may stay */
		{ 0, 0, 2, -2 * 4, OBJECT_UNUSED },
		{ 0, 0, 1, -2 * 4, OBJECT_NONE },
		{ 0, 0, 0, INT64_MIN, OBJECT_NONE },
		{ 1ull << 47, 0, 1, 0, OBJECT_NONE }, /* no thread pointer */
		{ 0, 0x00040000, 1, 0, OBJECT_NONE }, /* no lock */
	};
	const struct object_shape shape = { .count = OBJECT_COUNT_SPLIT };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t words[] = { rows[i].thread, rows[i].flags | (uint64_t)rows[i].local << 32,
				     (uint64_t)rows[i].shared, 0x10000 };

		cr_assert(eq(int, object_state(&shape, (const uint8_t *)words), rows[i].state),
			  "row %zu", i);
	}
}

Test(object_shape, without_a_gil_there_is_no_gc_head)
{
	const struct sp_pylayout python = { .version = 0x030d05f0, .is_free_threaded = 1 };
	const struct pynames_layout at = { .object_type = 24, .object_size = 32 };
	struct object_shape shape;

	cr_assert(eq(int, object_shape_find(&python, &at, 1ull << 40, false, &shape), 0));
	cr_assert(eq(int, shape.count, OBJECT_COUNT_SPLIT));
	cr_assert(eq(u32, shape.start_count, 2));
	cr_assert(eq(u16, shape.starts[0], 0));
	cr_assert(eq(u16, shape.starts[1], HEAP_USE_GC_PRE_BYTES));
}

/* --- uses and sizes --- */

static uint64_t objects_of(const struct heap_census *c, const char *name)
{
	for (uint32_t i = 0; i < c->type_count; i++)
		if (!strcmp(c->types[i].name, name))
			return c->types[i].objects;
	return 0;
}

Test(heap_tally, object_is_looked_for_only_where_the_allocator_says)
{
	static const struct {
		enum heap_use use;
		uint64_t plain, behind;
	} rows[] = {
		{ HEAP_USE_ANY, 1, 1 }, { HEAP_USE_MEMORY, 0, 0 }, { HEAP_USE_OBJECT, 1, 0 },
		{ HEAP_USE_GC, 1, 0 },	{ HEAP_USE_GC_PRE, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct heap_image *h = malloc(sizeof(*h));
		uint32_t plain, behind;
		CENSUS(c);

		heap_image_begin(h, 13);
		plain = heap_image_add_type(
			h, &(struct heap_image_type){ .name = "m.Plain", .basicsize = 32 });
		behind = heap_image_add_type(h,
					     &(struct heap_image_type){ .name = "m.Behind",
									.flags = OBJECT_TYPE_HAS_GC,
									.basicsize = 32 });
		heap_image_add_object(h, 0, 1, plain);
		heap_image_add_object(h, HEAP_USE_GC_PRE_BYTES, 1, behind);
		h->use = rows[i].use;
		cr_assert(eq(int, heap_image_tally(h, &c), 0));
		cr_assert(eq(u64, objects_of(&c, "Plain"), rows[i].plain), "row %zu", i);
		cr_assert(eq(u64, objects_of(&c, "Behind"), rows[i].behind), "row %zu", i);
	}
}

Test(heap_tally, storage_is_as_large_as_the_allocator_makes_it)
{
	OWNS_MEM struct heap_image *h = malloc(sizeof(*h));
	uint64_t list[] = { 1, 0, 100, heap_image_block(10), 100 };
	CENSUS(c);

	heap_image_begin(h, 13);
	list[1] = heap_image_add_type(h, &(struct heap_image_type){ .name = "list",
								    .flags = IS_LIST,
								    .basicsize = LIST_BYTES });
	heap_image_add_block(h, 0, list, 5);
	h->sizes = mimalloc_2_1_block_bytes;
	h->use = HEAP_USE_OBJECT;
	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_LIST].blocks, 1));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_LIST].bytes, 896)); /* for 800 */
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_LIST].outside_bytes, 0));
}
