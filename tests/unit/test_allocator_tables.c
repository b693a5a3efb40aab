/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/allocator_tables.h"

#include "allocator_image.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define OBJ_TABLE (AI_TABLES + 80)
#define OBJ_HOOK (AI_TABLES + 216) /* what the debug hooks know of objects */
#define SAVED (AI_STATICS + 0x1000)
#define SAVED_TOO (AI_STATICS + 0x1040)

static int read_tables(struct allocator_image *m, struct allocator_chain out[ALLOCATOR_DOMAINS])
{
	struct target_reader memory = allocator_image_reader(m);

	return allocator_tables_read(&memory, &m->places, out);
}

Test(allocator_tables, they_are_found_in_runtime)
{
	static const uint64_t ats[] = { AI_RUNTIME, AI_RUNTIME + 0x60, AI_RUNTIME + 0x2c0,
					AI_RUNTIME + 4096 - 264 };

	for (size_t i = 0; i < sizeof(ats) / sizeof(ats[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct allocator_chain c[ALLOCATOR_DOMAINS];

		cr_assert(eq(int, read_tables(m, c), -ENOENT));
		allocator_image_tables(m, ats[i], AI_PYMALLOC);
		cr_assert(eq(int, read_tables(m, c), 0), "row %zu", i);
		cr_assert(eq(u64, c[ALLOCATOR_RAW].last.functions[0], AI_MALLOC));
		cr_assert(eq(u64, c[ALLOCATOR_OBJ].last.functions[3], AI_PYMALLOC + 48));
		cr_assert(
			allocator_tables_are_same(&c[ALLOCATOR_OBJ].last, &c[ALLOCATOR_MEM].last));
		cr_assert(not(
			allocator_tables_are_same(&c[ALLOCATOR_OBJ].last, &c[ALLOCATOR_RAW].last)));
	}
}

Test(allocator_tables, other_pointers_to_code_are_none)
{
	static const struct {
		uint64_t offset, word;
	} rows[] = {
		{ 8, AI_RUNTIME }, /* no code */
		{ 80 + 32, 0 },	   { 120, 'm' }, { 168, 'r' }, { 216, 0 }, { 224 + 8, 7 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct allocator_chain c[ALLOCATOR_DOMAINS];

		allocator_image_tables(m, AI_TABLES, AI_PYMALLOC);
		allocator_image_put(m, AI_TABLES + rows[i].offset, rows[i].word);
		cr_assert(eq(int, read_tables(m, c), -ENOENT), "row %zu", i);
	}
}

/* The three, as they were up to 3.11. */
static void put_statics(struct allocator_image *m)
{
	allocator_image_exports(m);
	allocator_image_table(m, AI_STATICS, 0, AI_MALLOC);
	allocator_image_table(m, AI_STATICS + 40, 0, AI_PYMALLOC);
	allocator_image_table(m, AI_STATICS + 80, 0, AI_PYMALLOC);
}

Test(allocator_tables, they_are_found_by_the_code_that_uses_them)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct allocator_chain c[ALLOCATOR_DOMAINS];

	put_statics(m);
	cr_assert(eq(int, read_tables(m, c), 0));
	cr_assert(eq(u64, c[ALLOCATOR_RAW].last.functions[0], AI_MALLOC));
	cr_assert(eq(u64, c[ALLOCATOR_MEM].last.functions[0], AI_PYMALLOC));
	cr_assert(eq(u64, c[ALLOCATOR_OBJ].last.functions[0], AI_PYMALLOC));
	cr_assert(c[ALLOCATOR_OBJ].is_last_known);
}

Test(allocator_tables, a_load_may_be_of_something_else)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct allocator_chain c[ALLOCATOR_DOMAINS];

	put_statics(m);
	/* Only the function is loaded: ctx stands before it. */
	memset(m->bytes + (AI_CODE + 0x740 - AI_BASE), 0x90, 7);
	cr_assert(eq(int, read_tables(m, c), 0));
	cr_assert(eq(u64, c[ALLOCATOR_OBJ].last.functions[0], AI_PYMALLOC));
	/* What it loads from another file's variables is no table of this one. */
	allocator_image_exports(m);
	allocator_image_put_u32(m, AI_CODE + 0x740 + 3, AI_HEAP - (AI_CODE + 0x740 + 7));
	allocator_image_table(m, AI_HEAP, 0, AI_FOREIGN);
	cr_assert(eq(int, read_tables(m, c), 0));
	cr_assert(eq(u64, c[ALLOCATOR_OBJ].last.functions[0], AI_PYMALLOC));
	allocator_image_put(m, AI_STATICS + 80 + 16, 0);
	cr_assert(eq(int, read_tables(m, c), -ENOENT));
}

Test(allocator_tables, hooks_are_followed)
{
	enum {
		NONE,
		DEBUG,
		TRACE,
		DEBUG_TRACE,
		FOREIGN,
		FOREIGN_SAVED,
		FOREIGN_DEBUG,
		FOREIGN_LIKE,
		ROWS
	};
	static const struct {
		bool has_debug, is_traced, is_hooked, is_known;
	} rows[ROWS] = {
		[NONE] = { false, false, false, true },
		[DEBUG] = { true, false, false, true },
		[TRACE] = { false, true, true, true },
		[DEBUG_TRACE] = { true, true, true, true },
		[FOREIGN] = { false, false, true, false },
		[FOREIGN_SAVED] = { false, false, true, true },
		[FOREIGN_DEBUG] = { true, false, true, true },
		[FOREIGN_LIKE] = { false, false, true, false }, /* its ctx looks like theirs */
	};

	for (int i = 0; i < ROWS; i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct allocator_chain c[ALLOCATOR_DOMAINS], *obj = &c[ALLOCATOR_OBJ];
		uint64_t ctx = i == FOREIGN ? 0 : i == FOREIGN_LIKE ? OBJ_HOOK : SAVED;
		bool has_more = i == DEBUG_TRACE || i == FOREIGN_DEBUG;

		allocator_image_tables(m, AI_TABLES, AI_PYMALLOC);
		allocator_image_table(m, SAVED, has_more ? OBJ_HOOK : 0,
				      has_more ? AI_DEBUG : AI_PYMALLOC);
		if (i == DEBUG)
			allocator_image_table(m, OBJ_TABLE, OBJ_HOOK, AI_DEBUG);
		else if (i == TRACE || i == DEBUG_TRACE)
			allocator_image_table(m, OBJ_TABLE, SAVED, AI_TRACE);
		else if (i != NONE)
			allocator_image_table(m, OBJ_TABLE, ctx, AI_FOREIGN);
		cr_assert(eq(int, read_tables(m, c), 0), "row %d", i);
		cr_assert(eq(int, obj->has_debug_hooks, rows[i].has_debug), "row %d", i);
		cr_assert(eq(int, obj->is_traced, rows[i].is_traced), "row %d", i);
		cr_assert(eq(int, obj->is_hooked, rows[i].is_hooked), "row %d", i);
		cr_assert(eq(int, obj->is_last_known, rows[i].is_known), "row %d", i);
		cr_assert(eq(u64, obj->last.functions[0],
			     rows[i].is_known ? AI_PYMALLOC : AI_FOREIGN));
		cr_assert(not(c[ALLOCATOR_MEM].has_debug_hooks || c[ALLOCATOR_MEM].is_hooked));
	}
}

Test(allocator_tables, debug_hooks_of_another_domain_are_none)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct allocator_chain c[ALLOCATOR_DOMAINS];

	allocator_image_tables(m, AI_TABLES, AI_PYMALLOC);
	allocator_image_table(m, OBJ_TABLE, AI_TABLES + 120, AI_DEBUG);
	cr_assert(eq(int, read_tables(m, c), 0));
	cr_assert(not(c[ALLOCATOR_OBJ].has_debug_hooks || c[ALLOCATOR_OBJ].is_last_known));
}

Test(allocator_tables, hooks_that_lead_in_a_circle_are_left)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct allocator_chain c[ALLOCATOR_DOMAINS];

	allocator_image_tables(m, AI_TABLES, AI_PYMALLOC);
	allocator_image_table(m, OBJ_TABLE, SAVED, AI_TRACE);
	allocator_image_table(m, SAVED, SAVED_TOO, AI_TRACE);
	allocator_image_table(m, SAVED_TOO, SAVED, AI_FOREIGN);
	cr_assert(eq(int, read_tables(m, c), 0));
	cr_assert(not(c[ALLOCATOR_OBJ].is_last_known));
	cr_assert(c[ALLOCATOR_OBJ].is_hooked);
}

Test(allocator_tables, what_the_reader_says_is_passed_on)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct allocator_chain c[ALLOCATOR_DOMAINS];

	m->fails_with = -ESRCH;
	cr_assert(eq(int, read_tables(m, c), -ESRCH));
	m->fails_with = -EPERM;
	cr_assert(eq(int, read_tables(m, c), -EPERM));
	m->fails_with = -EFAULT;
	cr_assert(eq(int, read_tables(m, c), -ENOENT));
}
