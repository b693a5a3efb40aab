/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's walk, compiled for the host over a memory image: the target's addresses
 * are ours, and what is not listed as mapped faults. Checklist C-01, C-02, C-03 (depth, which
 * end is kept) and C-06 (shim frames).
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#define MAPPED_MOST 16

static struct {
	__u64 start, end;
} mapped[MAPPED_MOST];
static unsigned int mapped_count;
static unsigned int reads; /* that succeeded */

static void map(const void *start, size_t len)
{
	cr_assert(lt(uint, mapped_count, MAPPED_MOST));
	mapped[mapped_count].start = (__u64)start;
	mapped[mapped_count++].end = (__u64)start + len;
}

static inline long sp_read_target(void *dst, __u32 len, __u64 addr)
{
	for (unsigned int i = 0; i < mapped_count; i++)
		if (addr >= mapped[i].start && addr <= mapped[i].end &&
		    len <= mapped[i].end - addr) {
			memcpy(dst, (const void *)addr, len);
			reads++;
			return 0;
		}
	return -14; /* EFAULT */
}

#include "bpf/py_walk.bpf.h"

/* As small as the walk allows, in the shape of 3.13: owner marks shims. */
struct code {
	__u64 head[8];
	__u32 firstlineno, spare;
	__u32 version, spare_too;
	__u64 filename, name, qualname, linetable;
	__u8 bytecode[64];
};

struct frame {
	struct code *executable;
	struct frame *previous;
	__u8 *instr;
	__u8 owner, spare[7];
	__u64 locals[7]; /* 88 bytes, as 3.14's */
};

struct chunk {
	struct chunk *previous;
	__u64 size;
	__u64 top;
	__u64 data[];
};

/* 3.11 and 3.12: the newest frame is behind a _PyCFrame, which a new evaluation links first. */
struct cframe {
	struct frame *current_frame;
	struct cframe *previous;
};

struct tstate {
	struct frame *current_frame;
	__u64 thread_id, native_thread_id;
	struct chunk *datastack_chunk;
	__u64 stack_top, stack_limit, exc_state[2];
	struct cframe root_cframe;
};

static const struct sp_pylayout layout = {
	.tstate_cframe = SP_NO_FIELD,
	.tstate_current_frame = offsetof(struct tstate, current_frame),
	.tstate_thread_id = offsetof(struct tstate, thread_id),
	.tstate_native_thread_id = offsetof(struct tstate, native_thread_id),
	.tstate_datastack_chunk = offsetof(struct tstate, datastack_chunk),
	.frame_executable = offsetof(struct frame, executable),
	.frame_previous = offsetof(struct frame, previous),
	.frame_instr = offsetof(struct frame, instr),
	.frame_owner = offsetof(struct frame, owner),
	.frame_tlbc_index = SP_NO_FIELD,
	.code_firstlineno = offsetof(struct code, firstlineno),
	.code_filename = offsetof(struct code, filename),
	.code_qualname = offsetof(struct code, qualname),
	.code_linetable = offsetof(struct code, linetable),
	.code_bytecode = offsetof(struct code, bytecode),
	.code_version = offsetof(struct code, version),
	.code_tlbc = SP_NO_FIELD,
	.unicode_kind = 2,
	.owner_shim = 3,
};

#define FRAMES_MOST SP_MAX_FRAMES

/* A thread whose frames lie one after another in a chunk, oldest first. */
static struct image {
	struct tstate tstate;
	struct chunk *chunk;
	struct frame *frames;
	struct code codes[FRAMES_MOST];
	struct sp_walk walk;
	union {
		struct sp_sample sample;
		__u8 room[sizeof(struct sp_sample) + SP_MAX_FRAMES * sizeof(struct sp_frame)];
	};
} im;

static struct chunk *chunk_new(size_t size)
{
	struct chunk *c = aligned_alloc(4096, size);

	memset(c, 0, size);
	c->size = size;
	return c;
}

static void link_frames(struct frame *frames, unsigned int count, unsigned int first_code)
{
	for (unsigned int i = 0; i < count; i++) {
		struct code *code = &im.codes[first_code + i];

		code->version = first_code + i + 1;
		frames[i].executable = code;
		frames[i].previous = i ? &frames[i - 1] : NULL;
		frames[i].instr = code->bytecode + 2 * (i % 8);
	}
}

static void build(unsigned int count, size_t chunk_bytes)
{
	mapped_count = 0;
	reads = 0;
	im.chunk = chunk_new(chunk_bytes);
	im.frames = (struct frame *)im.chunk->data;
	link_frames(im.frames, count, 0);
	im.tstate = (struct tstate){
		.current_frame = &im.frames[count - 1],
		.thread_id = 7,
		.native_thread_id = 8,
		.datastack_chunk = im.chunk,
	};
	map(&im.tstate, sizeof(im.tstate));
	map(im.codes, sizeof(im.codes));
	map(im.chunk, chunk_bytes);
}

static void walk_to(unsigned int depth)
{
	struct sp_thread thread;

	cr_assert(eq(uint, sp_read_thread(&layout, (__u64)&im.tstate, &im.walk, &thread), 0));
	cr_assert(eq(u64, thread.ident, 7));
	cr_assert(eq(u64, thread.native_id, 8));
	sp_walk_python(&layout, &thread, depth, &im.walk, &im.sample);
}

static void walk(void)
{
	walk_to(SP_FRAMES_USUAL);
}

/* Frame @i of the result is code @number, at the instruction that link_frames() gave it. */
static void expect_frame(unsigned int i, unsigned int number)
{
	cr_expect(eq(u64, im.sample.frames[i].code, (__u64)&im.codes[number]), "frame %u", i);
}

static void expect_newest_first(unsigned int count)
{
	cr_expect(eq(uint, im.sample.frame_count, count));
	for (unsigned int i = 0; i < im.sample.frame_count; i++)
		expect_frame(i, count - 1 - i);
}

TestSuite(py_walk);

Test(py_walk, frames_come_newest_first)
{
	build(5, 16384);
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	expect_newest_first(5);
	cr_expect(eq(uint, im.sample.frames[0].instr, 4));
	free(im.chunk);
}

Test(py_walk, an_instruction_before_the_first_is_marked)
{
	build(1, 16384);
	im.frames[0].instr = im.codes[0].bytecode - 2;
	walk();
	cr_expect(eq(uint, im.sample.frames[0].instr, SP_INSTR_BEFORE));
	free(im.chunk);
}

Test(py_walk, a_window_saves_a_read_a_frame)
{
	build(40, 16384);
	walk();
	expect_newest_first(40);
	/* thread state, one window, a key a code object */
	cr_expect(eq(uint, reads, 1 + 1 + 40));
	free(im.chunk);
}

Test(py_walk, a_frame_that_straddles_the_window_is_read_in_the_next)
{
	/* 46.5 frames of 88 bytes fill a window of 4,096. */
	build(120, 16384);
	walk();
	expect_newest_first(120);
	cr_expect(eq(uint, reads, 1 + 3 + 120));
	free(im.chunk);
}

Test(py_walk, the_window_is_cut_at_the_chunk)
{
	/* Nothing is mapped below the chunk: a longer window would fault. */
	build(2, 16384);
	walk();
	expect_newest_first(2);
	cr_expect(eq(uint, im.walk.window_faults, 0));
	free(im.chunk);
}

Test(py_walk, a_fault_keeps_the_frames_already_read)
{
	build(4, 16384);
	im.frames[1].previous = (struct frame *)8;
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_FAULT));
	cr_expect(eq(uint, im.sample.frame_count, 3));
	expect_frame(0, 3);
	free(im.chunk);
}

Test(py_walk, a_fault_in_the_window_falls_back_to_single_frames)
{
	build(40, 16384);
	mapped_count = 0;
	map(&im.tstate, sizeof(im.tstate));
	map(im.codes, sizeof(im.codes));
	map(&im.frames[20], 20 * sizeof(struct frame)); /* frames 20 to 39 are resident */
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_FAULT));
	cr_expect(eq(uint, im.sample.frame_count, 20));
	cr_expect(im.walk.window_faults > 0);
	free(im.chunk);
}

Test(py_walk, a_frame_loop_ends_at_the_limit)
{
	build(3, 16384);
	im.frames[0].previous = &im.frames[2];
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_DEPTH));
	cr_expect(eq(uint, im.sample.frame_count, SP_FRAMES_USUAL));
	free(im.chunk);
}

Test(py_walk, a_loop_of_shims_ends_too)
{
	build(2, 16384);
	im.frames[0].owner = im.frames[1].owner = 3;
	im.frames[0].previous = &im.frames[1];
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_DEPTH));
	cr_expect(eq(uint, im.sample.frame_count, 0));
	free(im.chunk);
}

Test(py_walk, depth_at_the_limit_is_complete)
{
	build(SP_FRAMES_USUAL, 16384);
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	expect_newest_first(SP_FRAMES_USUAL);
	free(im.chunk);
}

Test(py_walk, beyond_the_limit_the_newest_are_kept_and_the_cut_is_marked)
{
	build(SP_FRAMES_USUAL + 1, 16384);
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_DEPTH));
	cr_expect(eq(uint, im.sample.frame_count, SP_FRAMES_USUAL));
	expect_frame(0, SP_FRAMES_USUAL);
	expect_frame(SP_FRAMES_USUAL - 1, 1);
	free(im.chunk);
}

Test(py_walk, the_limit_is_what_the_configuration_says)
{
	build(SP_MAX_FRAMES, 1 << 20);
	walk_to(SP_MAX_FRAMES);
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	expect_newest_first(SP_MAX_FRAMES);
	walk_to(1);
	cr_expect(eq(uint, im.sample.end, SP_END_DEPTH));
	cr_expect(eq(uint, im.sample.frame_count, 1));
	expect_frame(0, SP_MAX_FRAMES - 1);
	free(im.chunk);
}

Test(py_walk, shim_frames_are_not_shown)
{
	struct frame shim = { .executable = &im.codes[300], .owner = 3 };

	build(6, 16384);
	map(&shim, sizeof(shim));
	shim.previous = &im.frames[2]; /* C code between frames 3 and 2 */
	im.frames[3].previous = &shim;
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	expect_newest_first(6);
	/* The shim is read alone and does not cost the window. */
	cr_expect(eq(uint, reads, 1 + 1 + 1 + 6));
	free(im.chunk);
}

Test(py_walk, a_generators_frame_lies_elsewhere)
{
	struct frame generator = { .executable = &im.codes[300], .owner = 1 };

	build(4, 16384);
	map(&generator, sizeof(generator));
	generator.previous = &im.frames[3];
	im.tstate.current_frame = &generator;
	walk();
	cr_expect(eq(uint, im.sample.frame_count, 5));
	expect_frame(0, 300);
	expect_frame(1, 3);
	expect_frame(4, 0);
	free(im.chunk);
}

Test(py_walk, the_stack_goes_on_in_the_chunk_before)
{
	struct chunk *older;
	struct frame *frames;

	build(50, 16384);
	older = chunk_new(16384);
	frames = (struct frame *)older->data;
	map(older, 16384);
	link_frames(frames, 60, 100);
	im.chunk->previous = older;
	im.frames[0].previous = &frames[59];
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	cr_expect(eq(uint, im.sample.frame_count, 110));
	expect_frame(49, 0);
	expect_frame(50, 159);
	expect_frame(109, 100);
	/* Far fewer reads than frames, but for a key each: the older chunk has windows too. */
	cr_expect(lt(uint, reads, 110 + 12));
	free(older);
	free(im.chunk);
}

Test(py_walk, a_longer_chunk_is_measured)
{
	build(300, 65536); /* the newest frames lie beyond the first 16 KiB */
	walk();
	cr_expect(eq(uint, im.sample.frame_count, SP_FRAMES_USUAL));
	expect_frame(0, 299);
	cr_expect(lt(uint, reads, SP_FRAMES_USUAL + 10));
	free(im.chunk);
}

Test(py_walk, a_chain_of_chunks_that_loops_ends)
{
	struct frame elsewhere = { .executable = &im.codes[300] };

	build(2, 16384);
	map(&elsewhere, sizeof(elsewhere));
	im.chunk->previous = im.chunk;
	im.frames[0].previous = &elsewhere;
	elsewhere.previous = &elsewhere;
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_DEPTH));
	free(im.chunk);
}

Test(py_walk, a_recycled_code_object_has_another_key)
{
	__u32 before;

	build(1, 16384);
	walk();
	before = im.sample.frames[0].key;
	walk();
	cr_expect(eq(u32, im.sample.frames[0].key, before));
	im.codes[0].version++; /* co_version; all else is the same */
	walk();
	cr_expect(ne(u32, im.sample.frames[0].key, before));
	free(im.chunk);
}

/* 3.11: no co_version, so the text of co_qualname is in the key. The string is ASCII. */
static struct sp_pylayout layout_with_text(void)
{
	struct sp_pylayout old = layout;

	old.code_version = SP_NO_FIELD;
	old.unicode_length = 16;
	old.unicode_state = 32;
	old.ascii_size = 48;
	old.compact_size = 72;
	return old;
}

struct string {
	__u64 head[2], length, hash, state, wstr;
	char text[128];
};

#define ASCII_STATE (1 << 2 | 1 << 5 | 1 << 6) /* kind 1, compact, ascii */

Test(py_walk, without_a_version_the_name_makes_the_key)
{
	struct sp_pylayout old = layout_with_text();
	struct string name = { .length = 2, .state = ASCII_STATE, .text = "f1" };
	__u32 before;

	build(1, 16384);
	map(&name, sizeof(name));
	im.codes[0].qualname = (__u64)&name;
	before = sp_code_key(&old, (__u64)&im.codes[0], &im.walk.keys);
	cr_expect(ne(u32, before, 0));
	name.text[1]++; /* another text at the same address */
	cr_expect(ne(u32, sp_code_key(&old, (__u64)&im.codes[0], &im.walk.keys), before));
	free(im.chunk);
}

Test(py_walk, what_changes_around_a_name_is_not_in_the_key)
{
	struct sp_pylayout old = layout_with_text();
	struct string name = { .length = 2, .state = ASCII_STATE, .text = "f1" };
	__u32 before;

	build(1, 16384);
	map(&name, sizeof(name));
	im.codes[0].qualname = (__u64)&name;
	before = sp_code_key(&old, (__u64)&im.codes[0], &im.walk.keys);
	name.hash = 7;			 /* asked for meanwhile */
	name.state |= 1;		 /* interned meanwhile */
	memset(name.text + 3, 0xff, 64); /* the object behind it */
	cr_expect(eq(u32, sp_code_key(&old, (__u64)&im.codes[0], &im.walk.keys), before));
	free(im.chunk);
}

Test(py_walk, a_name_at_the_end_of_its_page_needs_no_other)
{
	struct sp_pylayout old = layout_with_text();
	__u8 *page = aligned_alloc(4096, 4096), *name = page + 4096 - 64;
	struct string made = { .length = 8, .state = ASCII_STATE, .text = "function" };
	__u32 before;

	build(1, 16384);
	map(page, 4096);
	memcpy(name, &made, 64);
	im.codes[0].qualname = (__u64)name;
	before = sp_code_key(&old, (__u64)&im.codes[0], &im.walk.keys);
	cr_expect(ne(u32, before, 0));
	name[offsetof(struct string, text) + 7]++;
	cr_expect(ne(u32, sp_code_key(&old, (__u64)&im.codes[0], &im.walk.keys), before));
	free(page);
	free(im.chunk);
}

Test(py_walk, an_unreadable_code_object_has_no_key)
{
	build(2, 16384);
	im.frames[1].executable = (struct code *)4096;
	walk();
	cr_expect(eq(uint, im.sample.frame_count, 2));
	cr_expect(eq(u32, im.sample.frames[0].key, 0));
	expect_frame(1, 0);
	free(im.chunk);
}

Test(py_walk, tags_of_references_are_masked)
{
	build(1, 16384);
	im.frames[0].executable = (struct code *)((__u64)&im.codes[0] | 1);
	walk();
	expect_frame(0, 0);
	free(im.chunk);
}

/* Walks as the kernel does: what user space was told of is remembered from walk to walk. */
static void walk_and_tell(__u32 epoch, __u32 generation)
{
	struct sp_thread thread;

	cr_assert(eq(uint, sp_read_thread(&layout, (__u64)&im.tstate, &im.walk, &thread), 0));
	sp_walk_begin(&thread, SP_FRAMES_USUAL, epoch, generation, &im.walk, &im.sample);
	while (!sp_walk_step(&layout, &im.walk, &im.sample))
		;
	for (unsigned int i = 0; i < im.walk.keys.fresh_count; i++) {
		const struct sp_frame *f = &im.sample.frames[im.walk.keys.fresh[i]];

		sp_remember(&im.walk.keys, f->code, f->key);
	}
}

Test(py_walk, user_space_is_told_of_each_code_object_once)
{
	build(100, 16384);
	walk_and_tell(1, 0);
	cr_expect(eq(uint, im.walk.keys.fresh_count, 100));
	walk_and_tell(1, 0);
	cr_expect(eq(uint, im.walk.keys.fresh_count, 0));
	free(im.chunk);
}

Test(py_walk, user_space_is_told_of_a_recycled_code_object)
{
	build(3, 16384);
	walk_and_tell(1, 0);
	im.codes[1].version += 1000;
	walk_and_tell(1, 0);
	cr_expect(eq(uint, im.walk.keys.fresh_count, 1));
	cr_expect(eq(uint, im.walk.keys.fresh[0], 1));
	free(im.chunk);
}

Test(py_walk, user_space_is_told_of_the_same_address_in_each_process)
{
	build(3, 16384);
	walk_and_tell(1, 0);
	walk_and_tell(2, 0);
	cr_expect(eq(uint, im.walk.keys.fresh_count, 3));
	free(im.chunk);
}

Test(py_walk, keys_are_read_once_as_long_as_no_code_object_dies)
{
	unsigned int first;

	build(40, 16384);
	walk_and_tell(1, 5);
	first = reads;
	walk_and_tell(1, 5);
	cr_expect(eq(uint, reads - first, 2)); /* thread state, window */
	expect_newest_first(40);
	free(im.chunk);
}

Test(py_walk, after_a_death_every_key_is_read_again)
{
	__u32 before;

	build(2, 16384);
	walk_and_tell(1, 5);
	before = im.sample.frames[0].key;
	im.codes[1].version += 1000; /* recycled */
	walk_and_tell(1, 6);
	cr_expect(ne(u32, im.sample.frames[0].key, before));
	cr_expect(eq(uint, im.walk.keys.fresh_count, 1)); /* the other is what it was */
	free(im.chunk);
}

Test(py_walk, keys_of_another_process_are_not_believed)
{
	__u32 before;

	build(1, 16384);
	walk_and_tell(1, 5);
	before = im.sample.frames[0].key;
	im.codes[0].version++; /* the same addresses, elsewhere */
	walk_and_tell(2, 5);
	cr_expect(ne(u32, im.sample.frames[0].key, before));
	free(im.chunk);
}

Test(py_walk, a_generation_changes_with_the_counter_and_the_interpreter)
{
	struct sp_pylayout at = layout;
	__u64 interps[2][2] = { { 0, 5 }, { 0, 5 } };
	__u32 before;

	build(1, 16384);
	map(interps, sizeof(interps));
	cr_expect(eq(u32, sp_generation(&at, (__u64)interps[0]), 0)); /* before 3.14 */
	at.interp_code_generation = 8;
	before = sp_generation(&at, (__u64)interps[0]);
	cr_expect(ne(u32, before, 0));
	cr_expect(ne(u32, sp_generation(&at, (__u64)interps[1]), before));
	interps[0][1]++;
	cr_expect(ne(u32, sp_generation(&at, (__u64)interps[0]), before));
	free(im.chunk);
}

static struct cframe cframes[2];

static struct sp_pylayout layout_with_cframes(void)
{
	struct sp_pylayout at = layout;

	at.tstate_cframe = at.tstate_current_frame;
	at.tstate_current_frame = SP_NO_FIELD;
	at.cframe_current_frame = 0;
	return at;
}

/* A second evaluation begins: its _PyCFrame is linked, and @newest is what it holds yet. */
static void walk_entering(struct frame *newest)
{
	struct sp_pylayout at = layout_with_cframes();
	struct sp_thread thread;

	/* The C stack grows down: the newer one has the lower address. */
	cframes[1] = (struct cframe){ im.tstate.current_frame, NULL };
	cframes[0] = (struct cframe){ newest, &cframes[1] };
	im.tstate.current_frame = (struct frame *)&cframes[0];
	map(cframes, sizeof(cframes));
	cr_assert(eq(uint, sp_read_thread(&at, (__u64)&im.tstate, &im.walk, &thread), 0));
	sp_walk_python(&at, &thread, SP_FRAMES_USUAL, &im.walk, &im.sample);
}

Test(py_walk, a_new_cframe_without_its_frame_leads_to_the_frames_below)
{
	build(3, 16384);
	walk_entering((struct frame *)8); /* whatever was on the C stack */
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	expect_newest_first(3);
	free(im.chunk);
}

Test(py_walk, the_lowest_cframe_is_read_with_the_thread_state)
{
	struct sp_pylayout at = layout_with_cframes();
	struct sp_thread thread;

	build(3, 16384);
	cframes[0] = (struct cframe){ im.tstate.current_frame, &im.tstate.root_cframe };
	im.tstate.root_cframe.current_frame = &im.frames[1];
	im.tstate.current_frame = (struct frame *)&cframes[0];
	map(cframes, sizeof(cframes));
	cr_assert(eq(uint, sp_read_thread(&at, (__u64)&im.tstate, &im.walk, &thread), 0));
	cr_expect(eq(uint, reads, 2)); /* thread state, newest _PyCFrame */
	cr_expect(eq(u64, thread.frame, (__u64)&im.frames[2]));
	cr_expect(eq(u64, thread.below, (__u64)&im.frames[1]));
	free(im.chunk);
}

Test(py_walk, a_new_cframe_that_holds_an_old_frame_is_not_believed)
{
	struct frame old = { .executable = &im.codes[300] };

	build(3, 16384);
	map(&old, sizeof(old));
	walk_entering(&old);
	cr_expect(eq(uint, im.sample.end, SP_END_COMPLETE));
	expect_newest_first(3);
	free(im.chunk);
}

Test(py_walk, a_new_cframe_with_its_frame_is_believed)
{
	struct frame newest = { .executable = &im.codes[3], .owner = 1 };

	build(3, 16384);
	map(&newest, sizeof(newest));
	newest.previous = &im.frames[2];
	walk_entering(&newest);
	expect_newest_first(4);
	free(im.chunk);
}

Test(py_walk, a_frame_on_the_c_stack_is_a_shim_before_its_owner_says_so)
{
	struct frame shim = { .executable = &im.codes[300] };
	struct sp_thread thread;

	build(2, 16384);
	map(&shim, sizeof(shim));
	shim.previous = &im.frames[0];
	im.frames[1].previous = &shim;
	cr_assert(eq(uint, sp_read_thread(&layout, (__u64)&im.tstate, &im.walk, &thread), 0));
	thread.stack_pointer = (__u64)&shim - 64;
	thread.ident = (__u64)&shim + 4096;
	sp_walk_python(&layout, &thread, SP_FRAMES_USUAL, &im.walk, &im.sample);
	expect_newest_first(2);
	free(im.chunk);
}
