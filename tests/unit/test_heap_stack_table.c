/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/stack_table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
	NATIVE,
	PYTHON,
};

#define ALL ((struct stack_limits){ 0 })
#define DEPTH 5

/* Stack @i: its innermost frame is its own, outer ones it shares with others. */
static void make_frames(uint32_t i, struct stack_frame frames[DEPTH])
{
	for (uint32_t d = 0; d < DEPTH; d++)
		frames[d] = (struct stack_frame){ 0x400000 + (i >> 3 * d) * 16ull, NATIVE, 7 };
}

static int64_t intern(struct stack_table *t, uint32_t i)
{
	struct stack_frame frames[DEPTH];

	make_frames(i, frames);
	return stack_table_intern(t, frames, DEPTH, 0);
}

/* Whether the stack @id has the frames of stack @i. */
static bool has_frames_of(const struct stack_table *t, uint32_t id, uint32_t i)
{
	struct stack_frame frames[DEPTH], got;
	struct stack_view view;

	make_frames(i, frames);
	if (stack_table_read(t, id, &view) || view.depth != DEPTH)
		return false;
	for (uint32_t d = 0; d < DEPTH; d++) {
		got = frame_table_get(stack_table_frames(t), view.frames[d]);
		if (!stack_frame_same(&got, &frames[d]))
			return false;
	}
	return true;
}

Test(heap_stack_table, ids_count_up_and_never_change)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);

	for (uint32_t i = 0; i < 9000; i++)
		cr_assert(eq(i64, intern(t, i), i));
	for (uint32_t i = 0; i < 9000; i++) {
		cr_assert(eq(i64, intern(t, i), i));
		cr_assert(has_frames_of(t, i, i), "%u", i);
	}
	cr_expect(eq(u64, stack_table_stats(t).stacks, 9000));
}

Test(heap_stack_table, an_empty_one_has_no_stack)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);
	struct stack_frame frame = { 1, NATIVE, 1 };
	struct stack_view view;

	cr_expect(eq(int, stack_table_read(t, 0, &view), -ENOENT));
	cr_expect(eq(int, stack_table_read(t, STACK_TABLE_MOST, &view), -ENOENT));
	cr_expect(eq(i64, stack_table_intern(t, &frame, 0, 0), -EINVAL));
	cr_expect(not(stack_table_resolve(t, 0)));
	cr_expect(stack_table_new((struct stack_limits){ .stacks = STACK_TABLE_MOST + 1 }) == NULL);
	cr_expect(stack_table_new((struct stack_limits){ .depth = STACK_TABLE_DEPTH + 1 }) == NULL);
}

/* Pairs that are two stacks. */
static struct row {
	const char name[40];
	struct stack_frame one[2], other[2];
	uint16_t depth, other_depth;
	uint16_t flags, other_flags;
} rows[] = {
	{ "another address",
	  { { 1, 0, 1 }, { 2, 0, 1 } },
	  { { 1, 0, 1 }, { 3, 0, 1 } },
	  2,
	  2,
	  0,
	  0 },
	{ "the other order",
	  { { 1, 0, 1 }, { 2, 0, 1 } },
	  { { 2, 0, 1 }, { 1, 0, 1 } },
	  2,
	  2,
	  0,
	  0 },
	{ "a Python frame instead",
	  { { 1, 0, 1 }, { 2, 0, 1 } },
	  { { 1, 0, 1 }, { 2, PYTHON, 1 } },
	  2,
	  2,
	  0,
	  2 },
	{ "another process",
	  { { 1, 0, 1 }, { 2, 0, 1 } },
	  { { 1, 0, 2 }, { 2, 0, 2 } },
	  2,
	  2,
	  0,
	  0 },
	{ "the start of the other", { { 1, 0, 1 }, { 2, 0, 1 } }, { { 1, 0, 1 } }, 2, 1, 0, 0 },
	{ "cut where the other ends", { { 1, 0, 1 } }, { { 1, 0, 1 } }, 1, 1, 0, STACK_TRUNCATED },
};

static void intern_row(const struct row *r, struct stack_table *t, uint64_t hash)
{
	uint64_t one = hash ? hash : stack_table_hash(t, r->one, r->depth, r->flags);
	uint64_t other =
		hash ? hash : stack_table_hash(t, r->other, r->other_depth, r->other_flags);

	cr_expect(eq(i64, stack_table_intern_hashed(t, one, r->one, r->depth, r->flags), 0), "%s",
		  r->name);
	cr_expect(eq(i64,
		     stack_table_intern_hashed(t, other, r->other, r->other_depth, r->other_flags),
		     1),
		  "%s", r->name);
	cr_expect(eq(i64, stack_table_intern_hashed(t, one, r->one, r->depth, r->flags), 0), "%s",
		  r->name);
}

Test(heap_stack_table, what_differs_in_anything_has_an_id_of_its_own)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);

		intern_row(&rows[i], t, 0);
		cr_expect(eq(u64, stack_table_stats(t).collisions, 0), "%s", rows[i].name);
	}
}

Test(heap_stack_table, so_it_has_if_the_hashes_are_equal_and_that_is_counted)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);

		intern_row(&rows[i], t, 42);
		cr_expect(eq(u64, stack_table_stats(t).collisions, 1), "%s", rows[i].name);
	}
}

/* The bytes of a frame as memory has them, and the flag after the last one. */
Test(heap_stack_table, hash_is_fnv_1a_of_the_frames_and_of_what_was_cut)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);
	struct stack_frame f = { 0x1122334455667788, 0x99aabbcc, 0xddeeff00 };
	static const uint8_t bytes[] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xcc,
					 0xbb, 0xaa, 0x99, 0x00, 0xff, 0xee, 0xdd, 0x04 };
	uint64_t expect = 0xcbf29ce484222325;

	for (size_t i = 0; i < sizeof(bytes); i++)
		expect = (expect ^ bytes[i]) * 0x100000001b3;
	cr_expect(eq(u64, stack_table_hash(t, &f, 1, STACK_TRUNCATED), expect));
	cr_expect(ne(u64, stack_table_hash(t, &f, 1, 0), expect));
}

Test(heap_stack_table, more_frames_than_the_limit_are_cut_and_marked)
{
	OWNS(stack_table)
	struct stack_table *t = stack_table_new((struct stack_limits){ .depth = 3 });
	struct stack_frame frames[5] = { { .address = 1 },
					 { .address = 2 },
					 { .address = 3 },
					 { .address = 4 },
					 { .address = 5 } };
	struct stack_view view;

	cr_assert(eq(i64, stack_table_intern(t, frames, 5, STACK_PYTHON_ATTR), 0));
	cr_assert(eq(int, stack_table_read(t, 0, &view), 0));
	cr_expect(eq(u16, view.depth, 3));
	cr_expect(eq(u16, view.flags, STACK_PYTHON_ATTR | STACK_TRUNCATED));
	cr_expect(eq(i64, stack_table_intern(t, frames, 4, 0), 0));
	cr_expect(eq(i64, stack_table_intern(t, frames, 3, 0), 1));
}

Test(heap_stack_table, grows_from_4096_to_its_limit_then_drops_and_counts)
{
	OWNS(stack_table)
	struct stack_table *t = stack_table_new((struct stack_limits){ .stacks = 10000 });

	cr_expect(eq(u64, stack_table_stats(t).capacity, 4096));
	for (uint32_t i = 0; i < 4097; i++)
		intern(t, i);
	cr_expect(eq(u64, stack_table_stats(t).capacity, 8192));
	for (uint32_t i = 0; i < 10000; i++)
		cr_assert(eq(i64, intern(t, i), i));
	cr_expect(eq(u64, stack_table_stats(t).capacity, 10000));
	for (uint32_t i = 10000; i < 10010; i++)
		cr_expect(eq(i64, intern(t, i), -ENOSPC));
	cr_expect(eq(i64, intern(t, 10009), -ENOSPC));
	cr_expect(eq(i64, intern(t, 77), 77));
	cr_expect(eq(u64, stack_table_stats(t).dropped[STACK_DROP_FULL], 11));
	cr_expect(eq(u64, stack_table_stats(t).dropped_all, 11));
}

/* 60 frames each: the arena has room for 40 times 65,536. */
Test(heap_stack_table, full_of_deep_stacks_it_keeps_to_its_bytes)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);
	struct stack_frame frames[60];
	struct stack_stats s;
	int64_t id;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < 50000; i++) {
		for (uint32_t d = 0; d < 60; d++)
			frames[d] = (struct stack_frame){ d ? d : 1000 + i, NATIVE, 1 };
		id = stack_table_intern(t, frames, 60, 0);
		if (id >= 0)
			kept++;
		else
			cr_assert(id == -ENOSPC, "%ld", id);
	}
	s = stack_table_stats(t);
	cr_expect(eq(u32, kept, 40 * STACK_TABLE_MOST / 60));
	cr_expect(eq(u64, s.stacks, kept));
	cr_expect(eq(u64, s.dropped[STACK_DROP_ARENA], 50000 - kept));
	cr_expect(le(u64, s.bytes, stack_table_most_bytes()));
	cr_expect(le(u64, stack_table_most_bytes(), 23200000));
}

Test(heap_stack_table, a_flood_of_one_hash_ends_in_drops_and_not_in_long_searches)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);
	struct stack_frame f = { 0 };

	for (f.address = 0; f.address < 1034; f.address++)
		stack_table_intern_hashed(t, 42, &f, 1, 0);
	cr_expect(eq(u64, stack_table_stats(t).stacks, 1024));
	cr_expect(eq(u64, stack_table_stats(t).dropped[STACK_DROP_SEARCH], 10));
	f.address = 3;
	cr_expect(eq(i64, stack_table_intern_hashed(t, 42, &f, 1, 0), 3));
	cr_expect(eq(i64, stack_table_intern_hashed(t, 43, &f, 1, 0), 1024));
}

Test(heap_stack_table, frames_get_their_names_once_and_then_a_stack_is_resolved)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);
	struct frame_table *frames = stack_table_frames(t);
	struct frame_names names = {
		.function = "main", .file = "a.py", .line = 3, .is_python = true
	};
	struct frame_names other = { .function = "walk", .file = "a.py" };
	struct stack_frame two[2] = { { 1, PYTHON, 1 }, { 2, NATIVE, 1 } };
	struct frame_names got[2];
	struct stack_view view;

	stack_table_intern(t, two, 2, STACK_PYTHON_ATTR);
	stack_table_read(t, 0, &view);
	cr_expect(eq(int, frame_table_names(frames, view.frames[0], &got[0]), -ENOENT));
	cr_expect(eq(int, frame_table_name(frames, view.frames[0], &names), 0));
	cr_expect(not(stack_table_resolve(t, 0)));
	cr_expect(eq(int, frame_table_name(frames, view.frames[1], &other), 0));
	cr_expect(eq(int, frame_table_name(frames, view.frames[1], &names), -EEXIST));
	cr_expect(stack_table_resolve(t, 0));
	stack_table_read(t, 0, &view);
	cr_expect(eq(u16, view.flags, STACK_PYTHON_ATTR | STACK_RESOLVED));
	for (int i = 0; i < 2; i++)
		cr_assert(eq(int, frame_table_names(frames, view.frames[i], &got[i]), 0));
	cr_expect(eq(str, (char *)got[0].function, "main"));
	cr_expect(eq(u32, got[0].line, 3));
	cr_expect(got[0].is_python);
	cr_expect(eq(str, (char *)got[1].function, "walk"));
	cr_expect(not(got[1].is_python));
	cr_expect(eq(ptr, (void *)got[0].file, (void *)got[1].file)); /* once, not twice */
}

Test(heap_stack_table, names_without_room_are_dropped_and_counted)
{
	OWNS(frame_table) struct frame_table *t = frame_table_new();
	struct stack_frame f = { 1, NATIVE, 1 };
	int64_t number = frame_table_intern(t, &f);
	static char text[4097];
	struct frame_names names = { .function = text, .file = "f" };
	uint32_t named = 0;

	memset(text, 'x', 4096);
	cr_expect(eq(int, frame_table_name(t, number, &names), -ENOSPC));
	text[4000] = 0;
	for (f.address = 2; f.address < 1000; f.address++) {
		snprintf(text + 3990, 10, "%09u", (unsigned int)f.address);
		named += !frame_table_name(t, frame_table_intern(t, &f), &names);
	}
	cr_expect(eq(u32, named, FRAME_TABLE_TEXT_BYTES / 4000));
	cr_expect(eq(u64, frame_table_dropped_names(t), 999 - named));
	cr_expect(eq(int, frame_table_name(t, 998, &names), -ENOSPC)); /* the same once more */
	names.function = "f";
	cr_expect(eq(int, frame_table_name(t, number, &names), 0));
}

/* Threads intern the same stacks in orders of their own, and read each other's. */
#define THREADS 8
#define STACKS 3000

struct shared {
	struct stack_table *table;
	_Atomic int64_t ids[STACKS]; /* plus 1; 0: not yet */
	_Atomic uint32_t wrong;
	_Atomic uint32_t starts;
};

static void *intern_all(void *arg)
{
	struct shared *s = arg;
	uint32_t start = atomic_fetch_add(&s->starts, 1);
	uint32_t i;
	int64_t id, was;

	for (uint32_t n = 0; n < STACKS; n++) {
		i = (start * 5 + n * 7) % STACKS;
		id = intern(s->table, i);
		was = 0;
		if (!atomic_compare_exchange_strong(&s->ids[i], &was, id + 1) && was != id + 1)
			atomic_fetch_add(&s->wrong, 1);
		i = (i * 31) % STACKS;
		was = atomic_load_explicit(&s->ids[i], memory_order_acquire);
		if (was && !has_frames_of(s->table, was - 1, i))
			atomic_fetch_add(&s->wrong, 1);
	}
	return NULL;
}

Test(heap_stack_table, each_stack_has_one_id_whoever_interns_it_at_the_same_time)
{
	OWNS(stack_table) struct stack_table *t = stack_table_new(ALL);
	static struct shared s;
	pthread_t threads[THREADS];

	s.table = t;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, intern_all, &s);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_expect(eq(u32, s.wrong, 0));
	cr_expect(eq(u64, stack_table_stats(t).stacks, STACKS));
	cr_expect(eq(u64, stack_table_stats(t).dropped_all, 0));
}

/* Who names a frame races with who else does, and with who reads the names. */
static void *name_all(void *arg)
{
	struct frame_table *t = arg;
	struct frame_names names, got;
	char text[16];

	for (uint32_t i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "f%u", i % 100);
		names = (struct frame_names){ .function = text, .file = "file", .line = i };
		frame_table_name(t, i, &names);
		if (!frame_table_names(t, i, &got) && (got.line != i || strcmp(got.function, text)))
			return t;
	}
	return NULL;
}

Test(heap_stack_table, names_are_whole_while_threads_give_them)
{
	OWNS(frame_table) struct frame_table *t = frame_table_new();
	pthread_t threads[THREADS];
	struct frame_names got;
	void *wrong;

	for (struct stack_frame f = { 0 }; f.address < 500; f.address++)
		frame_table_intern(t, &f);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, name_all, t);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		cr_expect(wrong == NULL);
	}
	for (uint32_t i = 0; i < 500; i++)
		cr_assert(eq(int, frame_table_names(t, i, &got), 0));
}
