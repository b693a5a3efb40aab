/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A free-threaded CPython of which every struct was padded, as a memory image: its own table of
 * debug offsets leads the walk to the right frames, and to the right instruction in whichever
 * copy of the bytecode a thread runs.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

#include "python/pylayout.h"

static unsigned int reads;

/* The image is this test's own memory; addresses below a page are in nobody's. */
static inline long sp_read_target(void *dst, __u32 len, __u64 addr)
{
	if (addr < 4096)
		return -14; /* EFAULT */
	memcpy(dst, (const void *)addr, len);
	reads++;
	return 0;
}

#include "bpf/py_walk.bpf.h"

#define UNITS 40

struct object {
	__u64 thread, counts, padding[2];
	void *type;
};

struct string {
	struct object head;
	__u64 padding, length, hash;
	__u8 interned;
	__u8 kind : 3, compact : 1, ascii : 1;
	__u8 spare[6], wide[16];
	char text[128]; /* more than the key reads */
};

struct copies {
	__s64 size;
	__u8 *entries[3];
};

struct code {
	struct object head;
	__u64 padding, size, consts;
	__s32 flags, args[4];
	__s32 first_line;
	__s32 counts[5];
	__u32 version;
	__u64 spare, filename, name, qualname, linetable, unused[3];
	struct copies *tlbc;
	__u64 more;
	__u8 bytecode[UNITS * 2];
};

struct frame {
	__u64 padding, executable;
	struct frame *previous;
	__u64 function, globals, builtins;
	__u8 *instr;
	__u64 stack_pointer;
	__u32 tlbc_index;
	__u16 return_offset;
	__u8 spare, owner;
	__u64 locals[2];
};

struct tstate {
	__u64 padding[2];
	struct tstate *prev, *next;
	__u64 interp, more[3];
	struct frame *current_frame;
	__u64 unused, thread_id, native_id, also[2], chunk;
};

struct interp {
	__u64 padding;
	struct tstate *threads;
	__u64 dead_codes;
	__u32 next_index, tlbc_generation;
};

/* Places in the table of 3.14, and what the structs above make of them. */
#define WORD(place, value)   \
	{                    \
		place, value \
	}
static const struct word {
	__u32 place;
	__u64 value;
} table_words[] = {
	WORD(8, 0x030e07f0),
	WORD(16, 1), /* free_threaded */
	WORD(40, 1016),
	WORD(72, offsetof(struct interp, threads)),
	WORD(160, offsetof(struct interp, dead_codes)),
	WORD(168, offsetof(struct interp, tlbc_generation)),
	WORD(184, offsetof(struct tstate, prev)),
	WORD(192, offsetof(struct tstate, next)),
	WORD(200, offsetof(struct tstate, interp)),
	WORD(208, offsetof(struct tstate, current_frame)),
	WORD(216, offsetof(struct tstate, thread_id)),
	WORD(224, offsetof(struct tstate, native_id)),
	WORD(232, offsetof(struct tstate, chunk)),
	WORD(256, offsetof(struct frame, previous)),
	WORD(264, offsetof(struct frame, executable)),
	WORD(272, offsetof(struct frame, instr)),
	WORD(288, offsetof(struct frame, owner)),
	WORD(304, offsetof(struct frame, tlbc_index)),
	WORD(320, offsetof(struct code, filename)),
	WORD(336, offsetof(struct code, qualname)),
	WORD(344, offsetof(struct code, linetable)),
	WORD(352, offsetof(struct code, first_line)),
	WORD(384, offsetof(struct code, bytecode)),
	WORD(392, offsetof(struct code, tlbc)),
	WORD(408, offsetof(struct object, type)),
	WORD(600, 48), /* bytes_object */
	WORD(608, 64),
	WORD(624, offsetof(struct string, interned)),
	WORD(632, offsetof(struct string, length)),
	WORD(640, offsetof(struct string, wide)),
};

struct table {
	__u64 words[760 / 8];
};

static struct table make_table(void)
{
	struct table t = { .words = { 0 } };

	memcpy(t.words, "xdebugpy", 8);
	for (size_t i = 0; i < sizeof(table_words) / sizeof(*table_words); i++)
		t.words[table_words[i].place / 8] = table_words[i].value;
	return t;
}

static int find(const struct table *t, struct sp_pylayout *at)
{
	const char *why = NULL;

	return pylayout_find(0, (const uint8_t *)t->words, sizeof(t->words), at, &why);
}

#define DEEP 6

static struct image {
	struct sp_pylayout at;
	struct interp interp;
	struct tstate tstate;
	struct frame frames[DEEP]; /* oldest first */
	struct code codes[DEEP];
	struct copies tlbc[DEEP];
	__u8 copies[DEEP][3][UNITS * 2]; /* [0] is in the code object */
	struct sp_walk walk;
	union {
		struct sp_sample sample;
		__u8 room[sizeof(struct sp_sample) + SP_MAX_FRAMES * sizeof(struct sp_frame)];
	};
} im;

/* Frame @i stands at unit 10 + @i of the copy that the thread has: @index. */
static void enter(unsigned int i, struct code *code, __u32 index)
{
	im.frames[i] = (struct frame){
		.executable = (__u64)code | 1, /* a tagged reference */
		.previous = i ? &im.frames[i - 1] : NULL,
		.instr = code->tlbc->entries[index] + 2 * (10 + i),
		.tlbc_index = index,
	};
}

static void build(__u32 index)
{
	struct table t = make_table();

	cr_assert(eq(int, find(&t, &im.at), 0));
	im.interp = (struct interp){ .dead_codes = 5, .next_index = 3, .tlbc_generation = 3 };
	for (unsigned int i = 0; i < DEEP; i++) {
		im.codes[i].version = i + 1;
		im.codes[i].tlbc = &im.tlbc[i];
		im.tlbc[i] = (struct copies){
			3, { im.codes[i].bytecode, im.copies[i][1], im.copies[i][2] }
		};
		enter(i, &im.codes[i], index);
	}
	im.tstate = (struct tstate){ .interp = (__u64)&im.interp,
				     .thread_id = 7,
				     .current_frame = &im.frames[DEEP - 1] };
	reads = 0;
}

/* As the kernel does; @epoch 0: nothing is remembered. */
static void walk(__u32 epoch)
{
	struct sp_thread thread;
	__u32 generation;

	cr_assert(eq(uint, sp_read_thread(&im.at, (__u64)&im.tstate, &im.walk, &thread), 0));
	generation = sp_generation(&im.at, thread.interp);
	sp_walk_begin(&thread, SP_FRAMES_USUAL, epoch, generation, &im.walk, &im.sample);
	im.walk.keys.copies_generation = sp_copies_generation(&im.at, thread.interp, generation);
	while (!sp_walk_step(&im.at, &im.walk, &im.sample))
		;
	for (unsigned int i = 0; i < im.walk.keys.fresh_count; i++) {
		const struct sp_frame *f = &im.sample.frames[im.walk.keys.fresh[i]];

		sp_remember(&im.walk.keys, SP_CODE_ADDRESS(f->code), sp_frame_key(f));
	}
}

static void expect_right(void)
{
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	cr_assert(eq(uint, im.sample.frame_count, DEEP));
	for (unsigned int i = 0; i < DEEP; i++) {
		const struct sp_frame *f = &im.sample.frames[DEEP - 1 - i];

		cr_expect(eq(u64, SP_CODE_ADDRESS(f->code), (__u64)&im.codes[i]), "frame %u", i);
		cr_expect(eq(u32, f->instr, 10 + i), "frame %u", i);
	}
}

Test(free_threaded, padded_structs_are_read_through_their_own_table)
{
	for (__u32 index = 0; index < 3; index++) {
		build(index);
		walk(0);
		expect_right();
	}
}

Test(free_threaded, a_field_pushed_from_its_neighbour_is_refused)
{
	struct table t = make_table();
	struct sp_pylayout at;

	t.words[336 / 8] += 8; /* co_qualname */
	cr_expect(eq(int, find(&t, &at), -EBADMSG));
}

static const struct bad_copies {
	const char *name;
	__u32 place;
	__u64 value;
} bad_copies[] = {
	{ "no co_tlbc", 392, 0 },
	{ "co_tlbc behind the bytecode", 392, offsetof(struct code, bytecode) + 8 },
	{ "co_tlbc between words", 392, offsetof(struct code, tlbc) + 4 },
	{ "no tlbc_index", 304, 0 },
	{ "tlbc_index behind the owner", 304, sizeof(struct frame) },
	{ "tlbc_index between ints", 304, offsetof(struct frame, tlbc_index) + 2 },
	{ "no tlbc_generation", 168, 0 },
	{ "no code_object_generation", 160, 0 },
	{ "a tlbc_generation without an end", 168, 1ull << 40 },
};

Test(free_threaded, a_table_that_cannot_tell_copies_is_refused)
{
	for (size_t i = 0; i < sizeof(bad_copies) / sizeof(*bad_copies); i++) {
		struct table t = make_table();
		struct sp_pylayout at;

		t.words[bad_copies[i].place / 8] = bad_copies[i].value;
		cr_expect(eq(int, find(&t, &at), -EBADMSG), "%s", bad_copies[i].name);
	}
}

Test(free_threaded, with_the_gil_nobody_asks_for_copies)
{
	struct table t = make_table();
	struct sp_pylayout at;

	t.words[16 / 8] = t.words[168 / 8] = t.words[304 / 8] = t.words[392 / 8] = 0;
	cr_assert(eq(int, find(&t, &at), 0));
	cr_expect(eq(u16, at.code_tlbc, SP_NO_FIELD));
	cr_expect(eq(u16, at.frame_tlbc_index, SP_NO_FIELD));
	cr_expect(eq(u32, at.unicode_kind, 2));
}

Test(free_threaded, a_frame_with_its_index_and_not_yet_its_pointer_is_where_it_was)
{
	build(0);
	im.frames[DEEP - 1].tlbc_index = 2; /* the pointer is still one into the code object */
	walk(0);
	expect_right();
}

Test(free_threaded, a_pointer_into_no_copy_has_no_line)
{
	build(1);
	im.frames[DEEP - 1].instr = (__u8 *)8;
	im.frames[DEEP - 2].tlbc_index = SP_COPY_MOST;
	walk(0);
	cr_expect(eq(u32, im.sample.frames[0].instr, SP_INSTR_NOWHERE));
	cr_expect(ge(u32, im.sample.frames[1].instr, UNITS)); /* beyond any line table */
	cr_expect(eq(u32, im.sample.frames[2].instr, 10 + DEEP - 3));
}

Test(free_threaded, a_copy_that_cannot_be_read_has_no_line)
{
	build(1);
	im.codes[DEEP - 1].tlbc = NULL;
	walk(0);
	cr_expect(ge(u32, im.sample.frames[0].instr, UNITS));
}

Test(free_threaded, copies_are_looked_up_once_a_process_and_thread)
{
	unsigned int first, second;

	build(1);
	walk(1);
	first = reads;
	walk(1);
	second = reads - first;
	expect_right();
	/* Key, co_tlbc and entry of each code object. */
	cr_expect(eq(uint, first - second, 3 * DEEP));
}

Test(free_threaded, a_thread_s_end_moves_its_copies)
{
	build(1);
	walk(1);
	im.interp.tlbc_generation++;
	for (unsigned int i = 0; i < DEEP; i++) {
		im.tlbc[i].entries[1] = im.copies[i][2];
		enter(i, &im.codes[i], 1);
	}
	walk(1);
	expect_right();
}

Test(free_threaded, copies_of_another_process_or_thread_are_not_believed)
{
	build(1);
	walk(1);
	for (unsigned int i = 0; i < DEEP; i++)
		enter(i, &im.codes[i], 2);
	walk(1); /* another thread's, on the same processor */
	expect_right();
	for (unsigned int i = 0; i < DEEP; i++) {
		im.tlbc[i].entries[2] = im.copies[i][1];
		enter(i, &im.codes[i], 2);
	}
	walk(2); /* a fork: all addresses are the same */
	expect_right();
}

Test(free_threaded, recursion_looks_a_copy_up_once)
{
	unsigned int before;

	build(1);
	walk(0);
	before = reads;
	for (unsigned int i = 0; i < DEEP; i++)
		enter(i, &im.codes[0], 1);
	walk(0);
	cr_expect(eq(uint, before - (reads - before), 3 * (DEEP - 1)));
	for (unsigned int i = 0; i < DEEP; i++)
		cr_expect(eq(u32, im.sample.frames[i].instr, 10 + DEEP - 1 - i));
}

static __u64 key_of(struct code *code)
{
	return sp_code_key(&im.at, (__u64)code, &im.walk.keys);
}

Test(free_threaded, a_name_is_read_whatever_its_interned_byte_says)
{
	struct string name = { .length = 2, .interned = 1, .kind = 1, .compact = 1, .ascii = 1 };
	__u64 before;

	build(0);
	im.codes[0].version = 0; /* they have run out */
	im.codes[0].qualname = (__u64)&name;
	memcpy(name.wide, "f1", 2); /* ASCII text starts here */
	before = key_of(&im.codes[0]);
	cr_expect(ne(u64, before, 0));
	name.interned = 3;
	cr_expect(eq(u64, key_of(&im.codes[0]), before));
	name.wide[1]++;
	cr_expect(ne(u64, key_of(&im.codes[0]), before));
}
