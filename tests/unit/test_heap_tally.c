/* SPDX-License-Identifier: Apache-2.0 */
/* What lives in blocks, over images of memory in the shape of each version. */
#include "resolve/heap_tally.h"

#include "heap_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define OLDEST 8
#define NEWEST 15
#define ON_HEAP OBJECT_TYPE_ON_HEAP
#define HAS_GC OBJECT_TYPE_HAS_GC
#define MANAGED OBJECT_TYPE_MANAGED_DICT
#define BLOCK HEAP_IMAGE_BLOCK_BYTES

#define CENSUS(name) __attribute__((cleanup(heap_census_cleanup))) struct heap_census name = { 0 }

static const struct heap_census_type *row_of(const struct heap_census *c, const char *module,
					     const char *name)
{
	for (uint32_t i = 0; i < c->type_count; i++)
		if (!strcmp(c->types[i].name, name) && !strcmp(c->types[i].module, module))
			return &c->types[i];
	return NULL;
}

static uint64_t objects_of(const struct heap_census *c, const char *module, const char *name)
{
	const struct heap_census_type *row = row_of(c, module, name);

	return row ? row->objects : 0;
}

static struct heap_image *image_of(unsigned int minor)
{
	struct heap_image *h = malloc(sizeof(*h));

	heap_image_begin(h, minor);
	return h;
}

Test(heap_tally, object_begins_where_its_type_says)
{
	static const struct {
		uint32_t flags;
		size_t start;
		unsigned int since;
	} rows[] = {
		{ 0, 0, 8 },
		{ HAS_GC, 16, 8 },
		{ HAS_GC | MANAGED, 32, 11 },
	};

	for (unsigned int minor = OLDEST; minor <= NEWEST; minor++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			OWNS_MEM struct heap_image *h = image_of(minor);
			CENSUS(c);
			uint32_t type;

			if (minor < rows[i].since)
				continue;
			type = heap_image_add_type(
				h, &(struct heap_image_type){ .name = "m.T",
							      .flags = rows[i].flags,
							      .basicsize = 32 });
			for (size_t start = 0; start <= 48; start += 8)
				heap_image_add_object(h, start, 1, type);
			heap_image_add_object(h, rows[i].start, 3, type);
			cr_assert(eq(int, heap_image_tally(h, &c), 0), "3.%u", minor);
			cr_assert(eq(u64, objects_of(&c, "m", "T"), 2), "3.%u row %zu", minor, i);
			cr_assert(eq(u64, c.explained_bytes, 2 * BLOCK));
		}
}

Test(heap_tally, reference_count_tells_live_objects_from_unused_ones_and_from_none)
{
	enum { NONE, LIVE, UNUSED };
	static const struct {
		unsigned int from, to;
		uint64_t word;
		int state;
	} rows[] = {
		{ 8, 15, 1, LIVE },
		{ 8, 15, 1000000, LIVE },
		{ 8, 15, 0, UNUSED },
		{ 12, 13, 0xffffffff, LIVE },
		{ 14, 15, 3ull << 30, LIVE },
		{ 14, 15, 1 | 5ull << 48, LIVE },
		{ 8, 13, HEAP_IMAGE_START + 64, NONE },
		{ 14, 15, HEAP_IMAGE_START + 64, UNUSED },
		{ 14, 15, HEAP_IMAGE_START - 64, NONE },
		{ 8, 15, 0x7f00deadbee8, NONE },
		{ 8, 15, ~0ull, NONE },
		{ 14, 15, 1ull << 48, NONE },
		{ 8, 13, 1ull << 32, NONE },
		{ 8, 13, 0x955ec8,
		  NONE }, /* a pointer to a constant of a program at a fixed place */
	};

	for (unsigned int minor = OLDEST; minor <= NEWEST; minor++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			OWNS_MEM struct heap_image *h = image_of(minor);
			CENSUS(c);
			uint32_t type;

			if (minor < rows[i].from || minor > rows[i].to)
				continue;
			type = heap_image_add_type(
				h, &(struct heap_image_type){ .name = "T", .basicsize = 16 });
			heap_image_add_object(h, 0, 1, type);
			heap_image_add_object(h, 0, rows[i].word, type);
			cr_assert(eq(int, heap_image_tally(h, &c), 0));
			cr_assert(eq(u64, objects_of(&c, "builtins", "T"),
				     1 + (rows[i].state == LIVE)),
				  "3.%u row %zu", minor, i);
			cr_assert(eq(u64, c.unused_objects, rows[i].state == UNUSED),
				  "3.%u row %zu", minor, i);
		}
}

Test(heap_tally, python_without_modules_is_still_starting)
{
	for (unsigned int minor = OLDEST; minor <= NEWEST; minor++) {
		struct heap_image *h = calloc(1, sizeof(*h));
		struct heap_census c = { 0 };
		uint64_t heads, interp;

		heap_image_begin(h, minor);
		heads = IMAGE_BASE + h->image.py.runtime_interpreters_head;
		memcpy(&interp, h->image.bytes + (heads - IMAGE_BASE), sizeof(interp));
		heap_image_put(h, interp + h->image.at.interp_modules, 0);
		cr_assert(eq(int, heap_image_tally(h, &c), -EAGAIN), "3.%u", minor);
		heap_image_put(h, heads + 8, 0);
		cr_assert(eq(int, heap_image_tally(h, &c), -EAGAIN), "3.%u", minor);
		free(h);
	}
}

Test(heap_tally, type_is_believed_if_its_own_type_is_one)
{
	OWNS_MEM struct heap_image *h = image_of(11);
	struct heap_image_type said = { .name = "a.T", .basicsize = 16 };
	uint32_t types[6];
	CENSUS(c);

	types[0] = heap_image_add_type(h, &said);
	said = (struct heap_image_type){ .name = "Meta",
					 .flags = OBJECT_TYPE_IS_TYPE | ON_HEAP,
					 .basicsize = 400 };
	types[1] = heap_image_add_type(h, &said);
	said = (struct heap_image_type){ .name = "b.T", .basicsize = 16, .type = types[1] };
	types[2] = heap_image_add_type(h, &said);
	said.name = "c.T"; /* its type's objects are no types */
	said.type = types[0];
	types[3] = heap_image_add_type(h, &said);
	said.name = "d.T"; /* its type is itself, but not the type of types */
	said.type = IMAGE_BASE + h->image.used;
	types[4] = heap_image_add_type(h, &said);
	types[5] = h->image.int_type; /* has no type at all */
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		heap_image_add_object(h, 0, 1, types[i]);
	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u64, objects_of(&c, "a", "T"), 1));
	cr_assert(eq(u64, objects_of(&c, "b", "T"), 1));
	cr_assert(eq(u32, c.type_count, 2));
	cr_assert(eq(u64, c.explained_bytes, 2 * BLOCK));
}

Test(heap_tally, object_that_is_larger_than_its_block_is_none)
{
	OWNS_MEM struct heap_image *h = image_of(12);
	struct heap_image_type said = { .name = "T", .basicsize = BLOCK - 16, .flags = HAS_GC };
	CENSUS(c);

	heap_image_add_object(h, 16, 1, heap_image_add_type(h, &said));
	said.name = "U";
	said.basicsize++;
	heap_image_add_object(h, 16, 1, heap_image_add_type(h, &said));
	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u32, c.type_count, 1));
	cr_assert(eq(str, c.types[0].name, "T"));
}

Test(heap_tally, names_are_the_last_part_and_what_goes_before_it)
{
	static const struct {
		struct heap_image_type type;
		const char *module, *name;
	} rows[] = {
		{ { .name = "int" }, "builtins", "int" },
		{ { .name = "collections.deque" }, "collections", "deque" },
		{ { .name = "a.b.C" }, "a.b", "C" },
		{ { .name = "Node", .flags = ON_HEAP, .module = "app.model" },
		  "app.model",
		  "Node" },
		{ { .name = "_ssl.Spec", .flags = ON_HEAP, .module = "ssl" }, "ssl", "Spec" },
		{ { .name = "_ssl.Spec", .flags = ON_HEAP }, "_ssl", "Spec" },
		{ { .name = "Lost", .flags = ON_HEAP }, "", "Lost" },
		{ { .name = "odd." }, "", "odd." },
		{ { .name = "b\xff" }, "builtins", "b\xef\xbf\xbd" },
	};

	for (unsigned int minor = OLDEST; minor <= NEWEST; minor++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			OWNS_MEM struct heap_image *h = image_of(minor);
			struct heap_image_type type = rows[i].type;
			CENSUS(c);

			type.basicsize = 16;
			heap_image_add_object(h, 0, 1, heap_image_add_type(h, &type));
			cr_assert(eq(int, heap_image_tally(h, &c), 0));
			cr_assert(eq(u32, c.type_count, 1));
			cr_assert(eq(str, c.types[0].name, (char *)rows[i].name), "3.%u row %zu",
				  minor, i);
			cr_assert(eq(str, c.types[0].module, (char *)rows[i].module),
				  "3.%u row %zu", minor, i);
		}
}

Test(heap_tally, types_of_one_name_are_one_row_and_the_largest_is_first)
{
	OWNS_MEM struct heap_image *h = image_of(13);
	struct heap_image_type said = { .name = "m.Small", .basicsize = 16 };
	CENSUS(c);

	heap_image_add_object(h, 0, 1, heap_image_add_type(h, &said));
	said.name = "m.Twice";
	heap_image_add_object(h, 0, 1, heap_image_add_type(h, &said));
	heap_image_add_object(h, 0, 1, heap_image_add_type(h, &said));
	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u32, c.type_count, 2));
	cr_assert(eq(str, c.types[0].name, "Twice"));
	cr_assert(eq(u64, c.types[0].objects, 2));
	cr_assert(eq(u64, c.types[0].bytes, 2 * BLOCK));
	cr_assert(eq(str, c.types[1].name, "Small"));
}

Test(heap_tally, free_blocks_are_not_counted)
{
	OWNS_MEM struct heap_image *h = image_of(10);
	struct heap_image_type said = { .name = "T", .basicsize = 16 };
	struct heap_tally_facts facts = { .memory = image_reader(&h->image), .in = &h->in };
	uint64_t free_bits = 5;
	CENSUS(c);
	int err;
	OWNS(heap_tally) struct heap_tally *t = heap_tally_new(&facts, &err);
	uint32_t type = heap_image_add_type(h, &said);
	struct heap_blocks blocks = { .address = HEAP_IMAGE_START,
				      .bytes = h->blocks[0],
				      .length = sizeof(h->blocks),
				      .block_bytes = BLOCK,
				      .count = 4,
				      .free_bits = &free_bits };

	for (int i = 0; i < 4; i++)
		heap_image_add_object(h, 0, 1, type);
	cr_assert(eq(int, heap_tally_add(t, &blocks), 0));
	cr_assert(eq(int, heap_tally_finish(t, &c), 0));
	cr_assert(eq(u64, objects_of(&c, "builtins", "T"), 2));
}

Test(heap_tally, objects_of_a_type_are_counted_by_the_size_of_their_blocks)
{
	OWNS_MEM struct heap_image *h = image_of(10);
	struct heap_tally_facts facts = { .memory = image_reader(&h->image), .in = &h->in };
	uint64_t none_free = 0;
	CENSUS(c);
	int err;
	OWNS(heap_tally) struct heap_tally *t = heap_tally_new(&facts, &err);
	struct heap_blocks blocks = { .address = HEAP_IMAGE_START,
				      .bytes = h->blocks[0],
				      .length = sizeof(h->blocks),
				      .block_bytes = BLOCK,
				      .count = 3,
				      .free_bits = &none_free };

	for (unsigned int i = 0; i < 10; i++) {
		char name[8];
		struct heap_image_type said = { .name = name, .basicsize = 16 };
		uint32_t type;

		snprintf(name, sizeof(name), "T%u", i);
		type = heap_image_add_type(h, &said);
		h->block_count = 0;
		for (int j = 0; j < 3; j++)
			heap_image_add_object(h, 0, 1, type);
		blocks.block_bytes = BLOCK;
		blocks.count = 3;
		cr_assert(eq(int, heap_tally_add(t, &blocks), 0));
		blocks.block_bytes = BLOCK / 2; /* every other one has nothing in it */
		blocks.count = 4;
		cr_assert(eq(int, heap_tally_add(t, &blocks), 0));
	}
	cr_assert(eq(int, heap_tally_finish(t, &c), 0));
	cr_assert(eq(u32, c.type_count, 10));
	cr_assert(eq(u32, c.kind_count, 20));
	for (uint32_t i = 0; i < c.kind_count; i++)
		cr_assert(eq(u64, c.kinds[i].objects, c.kinds[i].block_bytes == BLOCK ? 3 : 2));
	for (uint32_t i = 0; i < c.kind_count; i += 2)
		cr_assert(eq(u64, c.kinds[i].type, c.kinds[i + 1].type));
	cr_assert(ne(u64, c.kinds[0].type, c.kinds[2].type));
}

Test(heap_tally, last_block_may_be_cut)
{
	OWNS_MEM struct heap_image *h = image_of(10);
	struct heap_image_type said = { .name = "T", .basicsize = 16 };
	struct heap_tally_facts facts = { .memory = image_reader(&h->image), .in = &h->in };
	uint32_t type = heap_image_add_type(h, &said);

	heap_image_add_object(h, 0, 1, type);
	for (size_t length = 0; length <= BLOCK; length += 8) {
		OWNS_MEM uint8_t *bytes = malloc(length + 1); /* for the sanitizer to see its end */
		uint64_t none_free = 0;
		int err;
		OWNS(heap_tally) struct heap_tally *t = heap_tally_new(&facts, &err);
		struct heap_blocks blocks = { .address = HEAP_IMAGE_START,
					      .bytes = bytes,
					      .length = length,
					      .block_bytes = BLOCK,
					      .count = 1,
					      .free_bits = &none_free };
		CENSUS(c);

		memcpy(bytes, h->blocks[0], length);
		cr_assert(eq(int, heap_tally_add(t, &blocks), 0));
		cr_assert(eq(int, heap_tally_finish(t, &c), 0));
		cr_assert(eq(u64, objects_of(&c, "builtins", "T"), length >= 16));
	}
}

/* --- storage --- */

static void add_list(struct heap_image *h, uint32_t type, uint64_t items, uint64_t allocated)
{
	uint64_t words[] = { 1, type, 1, items, allocated };

	heap_image_add_block(h, 16, words, 5);
}

Test(heap_tally, items_of_lists_are_what_lists_say)
{
	static const struct heap_image_type said = { .name = "list",
						     .flags = HAS_GC | OBJECT_TYPE_IS_LIST,
						     .basicsize = 40 };
	OWNS_MEM struct heap_image *h = image_of(12);
	uint32_t list = heap_image_add_type(h, &said);
	CENSUS(c);

	add_list(h, list, heap_image_block(10), 13);
	add_list(h, list, 0x55550000, 1000); /* malloc's: 8,000 and the chunk's head, rounded */
	add_list(h, list, 0, 0);	     /* empty */
	add_list(h, list, 0x55550000, 4);    /* too small to be outside */
	add_list(h, list, 0x55550000, 1ull << 50); /* torn */
	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_LIST].blocks, 2));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_LIST].bytes, 112 + 8008));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_LIST].outside_bytes, 8008));
	cr_assert(eq(u64, c.explained_bytes, 5 * BLOCK), "never more than there is");
}

Test(heap_tally, tables_of_sets_and_of_their_subclasses_are_what_they_say)
{
	struct heap_image_type said = { .name = "set", .flags = HAS_GC, .basicsize = 64 };
	OWNS_MEM struct heap_image *h = image_of(9);
	uint32_t set = heap_image_add_type(h, &said), subclass;
	uint64_t small = heap_image_block(0) + 16 + 16 + 48;
	CENSUS(c);

	said = (struct heap_image_type){
		.name = "Tags", .flags = HAS_GC | ON_HEAP, .basicsize = 64, .base = set
	};
	subclass = heap_image_add_type(h, &said);
	heap_image_add_block(h, 16, (uint64_t[]){ 1, set, 2, 2, 7, small }, 6);
	heap_image_add_block(h, 16, (uint64_t[]){ 1, set, 9, 9, 31, heap_image_block(20) }, 6);
	heap_image_add_block(h, 16, (uint64_t[]){ 1, subclass, 9, 9, 127, 0x5555000 }, 6);
	heap_image_add_block(h, 16, (uint64_t[]){ 1, set, 9, 9, 30, heap_image_block(20) }, 6);
	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_SET].blocks, 2));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_SET].bytes, 512 + 2056));
	cr_assert(eq(u64, c.storage[HEAP_STORAGE_SET].outside_bytes, 2056));
}

Test(heap_tally, keys_of_dicts_are_recognised_and_those_outside_counted_once)
{
	static const uint64_t sized[] = { 2, 8, 0x7f0000001230, 5, 0 },
			      log2ed[] = { 2, 65539 + 768, 5, 0 };

	for (unsigned int minor = OLDEST; minor <= NEWEST; minor++) {
		OWNS_MEM struct heap_image *h = image_of(minor);
		bool is_old = h->image.at.keys == PYDICT_SIZED;
		uint32_t keys = heap_image_make(h, 48);
		CENSUS(c);

		/* 8 slots take 168 bytes, or 120 with keys that are strings; 64 take more than 512 */
		heap_image_add_block(h, 0, is_old ? sized : log2ed, is_old ? 5 : 4);
		heap_image_put(h, keys, 2);
		heap_image_put(h, keys + 8, is_old ? 64 : 65542 + 1536);
		heap_image_put(h, keys + 16, is_old ? 0x7f0000001230 : 42);
		heap_image_put(h, keys + 24, is_old ? 42 : 0);
		for (int i = 0; i < 2; i++)
			heap_image_add_block(
				h, 16, (uint64_t[]){ 1, h->image.dict_type, 0, 0, keys, 0 }, 6);
		cr_assert(eq(int, heap_image_tally(h, &c), 0));
		cr_assert(eq(u64, c.storage[HEAP_STORAGE_DICT].blocks, is_old ? 1 : 2), "3.%u",
			  minor);
		cr_assert(eq(u64, c.storage[HEAP_STORAGE_DICT].outside_bytes, is_old ? 1112 : 776),
			  "3.%u", minor);
		cr_assert(eq(u64, c.explained_bytes, (is_old ? 2 : 3) * BLOCK));
	}
}

/* --- large objects --- */

/* One that malloc gave: the chunk's size, the GC head, the object. */
static uint32_t add_large(struct heap_image *h, uint64_t chunk, uint64_t type)
{
	uint32_t at = heap_image_make(h, 128) + 64;

	heap_image_put(h, at - 8, chunk);
	heap_image_put(h, at + 16, 1);
	heap_image_put(h, at + 24, type);
	heap_image_put(h, at + 32, 0);
	return at;
}

/* Two large objects: what malloc says of the first counts, of the second what was asked for. */
static uint32_t add_two_large(struct heap_image *h, uint64_t wrong_chunk, uint32_t *second)
{
	static const struct heap_image_type said = { .name = "Large",
						     .flags = HAS_GC,
						     .basicsize = 600 };
	uint32_t type = heap_image_add_type(h, &said);

	*second = add_large(h, wrong_chunk, type);
	return add_large(h, 640 | 1, type);
}

static uint32_t add_small(struct heap_image *h, uint64_t next, uint64_t previous)
{
	static const struct heap_image_type said = { .name = "Small",
						     .flags = HAS_GC,
						     .basicsize = 32 };
	uint32_t type = heap_image_add_type(h, &said);

	heap_image_add_block(h, 0, (uint64_t[]){ next, previous, 1, type }, 4);
	return type;
}

static void check_two_large(struct heap_image *h)
{
	CENSUS(c);

	cr_assert(eq(int, heap_image_tally(h, &c), 0));
	cr_assert(eq(u64, objects_of(&c, "builtins", "Small"), 1));
	cr_assert(eq(u64, objects_of(&c, "builtins", "Large"), 2));
	cr_assert(eq(u64, c.large_objects, 2));
	cr_assert(eq(u64, c.large_bytes, 632 + 616));
	cr_assert(eq(u64, c.explained_bytes, BLOCK));
}

Test(heap_tally, large_objects_are_found_behind_their_neighbours)
{
	OWNS_MEM struct heap_image *h = image_of(11);
	uint32_t second, first = add_two_large(h, 99984, &second);

	add_small(h, first | 1, 0);
	heap_image_put(h, first, second);
	heap_image_put(h, second, first); /* a loop */
	check_two_large(h);
}

Test(heap_tally, large_objects_are_found_before_their_neighbours)
{
	OWNS_MEM struct heap_image *h = image_of(11);
	uint32_t second, first = add_two_large(h, 96, &second), type, end;

	type = add_small(h, heap_image_block(3), first | 3);
	end = add_large(h, 640, type + 8); /* no object: the list's own head */
	heap_image_put(h, first + 8, second | 2);
	heap_image_put(h, second + 8, end);
	check_two_large(h);
}

Test(heap_tally, what_the_gc_does_not_know_is_not_in_its_lists)
{
	OWNS_MEM struct heap_image *h = image_of(11);
	uint32_t second, first = add_two_large(h, 96, &second), other;
	static const struct heap_image_type said = { .name = "Other", .basicsize = 16 };

	other = add_large(h, 640, heap_image_add_type(h, &said));
	add_small(h, first, 0);
	heap_image_put(h, first, second);
	heap_image_put(h, second, other);
	check_two_large(h);
}

/* --- bad memory --- */

Test(heap_tally, needs_a_type_of_types)
{
	for (unsigned int minor = OLDEST; minor <= NEWEST; minor++) {
		OWNS_MEM struct heap_image *h = image_of(minor);
		CENSUS(c);

		heap_image_put(h, h->root + h->image.at.object_type, h->image.dict_type);
		cr_assert(eq(int, heap_image_tally(h, &c), -EBADMSG), "3.%u", minor);
	}
}

Test(heap_tally, memory_may_become_unreadable_at_any_moment)
{
	for (uint32_t reads = 1; reads < 40; reads++) {
		OWNS_MEM struct heap_image *h = image_of(12);
		struct heap_image_type said = {
			.name = "T", .flags = ON_HEAP, .basicsize = 16, .module = "m"
		};
		CENSUS(c);
		int err;

		heap_image_add_object(h, 0, 1, heap_image_add_type(h, &said));
		h->image.reads_left = reads;
		err = heap_image_tally(h, &c);
		cr_assert(err <= 0);
		cr_assert(c.type_count <= 1);
	}
}
