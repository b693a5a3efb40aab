/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of an interpreter made of its tables, its books and its list of interpreters. */
#include "resolve/allocator_search.h"

#include "allocator_image.h"
#include "python_image.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define TABLE_BYTES 1024	   /* of debug offsets */
#define STATE (AI_STATICS + 0x200) /* pymalloc's, of the main interpreter, from 3.13 on */
#define TO_ARENAS 0x200		   /* from its begin */
#define TO_BOOKS 0xf78		   /* from an interpreter's: measured for 3.12.1 */
#define ARRAY_BYTES 1024
#define OBJ_TABLE (AI_TABLES + 80)

static const struct allocator_array main_array = {
	.at = AI_HEAP, .entries = 16, .used = 4, .pool_bytes = 16384, .arena_bytes = 1 << 20
};

/* A process of one version. */
struct process {
	struct allocator_image *memory;
	struct interpreter in;
	uint32_t next; /* in an interpreter */
	uint64_t last; /* interpreter in the list */
};

static void process_cleanup(struct process *p)
{
	free(p->memory);
}

/* The main interpreter has number 0; the others are malloc'ed. */
static uint64_t interpreter_at(uint32_t i)
{
	return i ? AI_END - i * 0x4000 : AI_MAIN;
}

/* Where interpreter @i has its books, if it has its own. */
static uint64_t books_of(const struct process *p, uint32_t i)
{
	if (p->in.layout.version >= 0x030d0000)
		return i ? interpreter_at(i) + 0x3000 : STATE;
	return interpreter_at(i) + TO_BOOKS;
}

static struct process begin(unsigned int minor)
{
	OWNS_MEM struct image *named = malloc(sizeof(*named));
	struct process p = { .memory = allocator_image_new(), .last = AI_MAIN };
	uint64_t heads;

	image_begin(named, minor, false);
	p.in = (struct interpreter){ .layout = named->py, .runtime = AI_RUNTIME };
	p.next = named->at.interp_next;
	heads = AI_RUNTIME + named->py.runtime_interpreters_head;
	memcpy(p.memory->bytes + (AI_RUNTIME - AI_BASE), named->bytes, TABLE_BYTES);
	allocator_image_put(p.memory, heads, AI_MAIN);
	allocator_image_put(p.memory, heads + 8, AI_MAIN);
	allocator_image_tables(p.memory, AI_TABLES, AI_PYMALLOC);
	allocator_image_array(p.memory, &main_array);
	allocator_image_put(p.memory, minor < 12 ? STATE : books_of(&p, 0) + TO_ARENAS,
			    main_array.at);
	if (minor >= 13)
		allocator_image_put(p.memory, AI_MAIN + 0x2a30, STATE);
	return p;
}

/* An interpreter with number @i, as old ones are listed last, whose books are at @books. */
static void add_interpreter(struct process *p, uint32_t i, uint64_t books)
{
	uint64_t heads = AI_RUNTIME + p->in.layout.runtime_interpreters_head;

	allocator_image_put(p->memory, heads, interpreter_at(i));
	allocator_image_put(p->memory, interpreter_at(i) + p->next, p->last);
	if (p->in.layout.version >= 0x030d0000)
		allocator_image_put(p->memory, interpreter_at(i) + 0x2a30, books);
	p->last = interpreter_at(i);
}

static void add_own_heap(struct process *p, uint32_t i)
{
	struct allocator_array a = main_array;

	a.at = AI_HEAP + i * ARRAY_BYTES;
	a.first_arena = i * 8;
	allocator_image_array(p->memory, &a);
	add_interpreter(p, i, books_of(p, i));
	allocator_image_put(p->memory, books_of(p, i) + TO_ARENAS, a.at);
}

static int search(const struct process *p, struct allocator *out, const char **why)
{
	struct target_reader memory = allocator_image_reader(p->memory);

	*why = NULL;
	return allocator_search(&memory, &p->memory->places, &p->in, out, why);
}

Test(allocator_search, each_version_has_its_main_heap)
{
	for (unsigned int minor = 8; minor <= 15; minor++) {
		OWNS(process) struct process p = begin(minor);
		struct allocator a;
		const char *why;

		cr_assert(eq(int, search(&p, &a, &why), 0), "3.%u", minor);
		cr_assert(eq(int, a.kind, ALLOCATOR_PYMALLOC));
		cr_assert(eq(u32, a.pool_bytes, 16384));
		cr_assert(eq(u32, a.arena_bytes, 1 << 20));
		cr_assert(eq(u32, a.heap_count, 1));
		cr_assert(eq(u64, a.heaps[0].at, minor < 12 ? STATE : books_of(&p, 0) + TO_ARENAS));
		cr_assert(eq(u64, a.heaps[0].arenas, main_array.at));
		cr_assert(eq(u32, a.heaps[0].arena_count, 16));
		cr_assert(eq(u32, a.heaps_left_out, 0));
		add_interpreter(&p, 1, books_of(&p, 0)); /* up to 3.11 there is one heap */
		cr_assert(eq(int, search(&p, &a, &why), 0));
		cr_assert(eq(u32, a.heap_count + a.heaps_left_out, 1), "3.%u", minor);
		cr_assert(not(a.has_debug_hooks || a.is_hooked || a.is_traced));
	}
}

Test(allocator_search, interpreters_may_have_heaps_of_their_own)
{
	for (unsigned int minor = 12; minor <= 15; minor++) {
		OWNS(process) struct process p = begin(minor);
		struct allocator a;
		const char *why;

		add_own_heap(&p, 1);
		add_interpreter(&p, 2, books_of(&p, 0)); /* shares the main one's */
		add_own_heap(&p, 3);
		cr_assert(eq(int, search(&p, &a, &why), 0), "3.%u", minor);
		cr_assert(eq(u32, a.heap_count, 3), "3.%u", minor);
		cr_assert(eq(u64, a.heaps[0].arenas, main_array.at));
		cr_assert(eq(u64, a.heaps[1].arenas, main_array.at + 3 * ARRAY_BYTES));
		cr_assert(eq(u64, a.heaps[1].at, books_of(&p, 3) + TO_ARENAS));
		cr_assert(eq(u64, a.heaps[2].arenas, main_array.at + ARRAY_BYTES));
		cr_assert(eq(u32, a.heaps_left_out, 0));
	}
}

Test(allocator_search, what_is_left_out_is_counted)
{
	for (unsigned int minor = 12; minor <= 15; minor++) {
		OWNS(process) struct process p = begin(minor);
		struct allocator a;
		const char *why;

		add_own_heap(&p, 1);
		add_own_heap(&p, 2);
		add_own_heap(&p, 3);
		allocator_image_put(p.memory, main_array.at + ARRAY_BYTES, 8); /* no arena */
		allocator_image_put(p.memory, books_of(&p, 2) + TO_ARENAS, 0x1230);
		cr_assert(eq(int, search(&p, &a, &why), 0), "3.%u", minor);
		cr_assert(eq(u32, a.heap_count, 2), "3.%u", minor);
		cr_assert(eq(u32, a.heaps_left_out, 2), "3.%u", minor);
	}
}

Test(allocator_search, interpreters_listed_in_a_circle_end)
{
	OWNS(process) struct process p = begin(12);
	struct allocator a;
	const char *why;

	add_own_heap(&p, 1);
	allocator_image_put(p.memory, AI_MAIN + p.next, interpreter_at(1));
	cr_assert(eq(int, search(&p, &a, &why), 0));
	cr_assert(eq(u32, a.heap_count, 2));
	cr_assert(eq(u32, a.heaps_left_out, 1)); /* perhaps: the list was left */
}

Test(allocator_search, without_a_way_the_others_are_left_out)
{
	OWNS(process) struct process p = begin(13);
	struct allocator a;
	const char *why;

	add_own_heap(&p, 1);
	allocator_image_put(p.memory, AI_MAIN + 0x2a30, 0);
	cr_assert(eq(int, search(&p, &a, &why), 0));
	cr_assert(eq(u32, a.heap_count, 1));
	cr_assert(eq(u32, a.heaps_left_out, 1));
}

Test(allocator_search, what_cannot_be_read_is_refused_with_a_reason)
{
	enum { MALLOC, NO_TABLES, NO_BOOKS, FOREIGN, ROWS };
	static const char *const words[ROWS] = { "PYTHONMALLOC=malloc", "allocates its objects",
						 "arenas", "not Python's own" };

	for (int i = 0; i < ROWS; i++) {
		OWNS(process) struct process p = begin(13);
		struct allocator a;
		const char *why;

		if (i == MALLOC)
			allocator_image_tables(p.memory, AI_TABLES, AI_MALLOC);
		else if (i == NO_TABLES)
			allocator_image_put(p.memory, OBJ_TABLE + 8, 0);
		else
			allocator_image_put(p.memory, STATE + TO_ARENAS, 0);
		if (i == FOREIGN)
			allocator_image_table(p.memory, OBJ_TABLE, 0, AI_FOREIGN);
		cr_assert(eq(int, search(&p, &a, &why), -ENOTSUP), "row %d", i);
		cr_assert(why && strstr(why, words[i]), "row %d: %s", i, why);
	}
}

Test(allocator_search, mimalloc_has_functions_for_each_domain)
{
	OWNS(process) struct process p = begin(13);
	struct allocator a;
	const char *why;

	allocator_image_tables(p.memory, AI_TABLES, AI_MIMALLOC);
	allocator_image_table(p.memory, AI_TABLES + 40, 0, AI_MIMALLOC + 0x80);
	cr_assert(eq(int, search(&p, &a, &why), 0));
	cr_assert(eq(int, a.kind, ALLOCATOR_MIMALLOC));
	allocator_image_table(p.memory, AI_TABLES + 40, 0, AI_MIMALLOC);
	p.in.layout.is_free_threaded = 1;
	cr_assert(eq(int, search(&p, &a, &why), 0));
	cr_assert(eq(int, a.kind, ALLOCATOR_MIMALLOC));
	cr_assert(eq(u32, a.heap_count, 0));
}

Test(allocator_search, pymalloc_is_read_behind_who_stands_before_it)
{
	OWNS(process) struct process p = begin(13);
	struct allocator a;
	const char *why;

	allocator_image_table(p.memory, OBJ_TABLE, 0, AI_FOREIGN);
	cr_assert(eq(int, search(&p, &a, &why), 0));
	cr_assert(eq(int, a.kind, ALLOCATOR_PYMALLOC));
	cr_assert(a.is_hooked);
	cr_assert(not(a.is_traced || a.has_debug_hooks));
	/* The debug hooks behind it are seen in the other domains. */
	allocator_image_table(p.memory, AI_TABLES, AI_TABLES + 120, AI_DEBUG);
	cr_assert(eq(int, search(&p, &a, &why), 0));
	cr_assert(a.is_hooked && a.has_debug_hooks);
}

Test(allocator_search, a_process_that_ended_is_gone)
{
	OWNS(process) struct process p = begin(12);
	struct allocator a;
	const char *why;

	p.memory->fails_with = -ESRCH;
	cr_assert(eq(int, search(&p, &a, &why), -ESRCH));
}
