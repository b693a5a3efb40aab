/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's walk over frames that are objects, as CPython 3.8 to 3.10 has them: over our
 * own memory, in which everything but one frame is mapped.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include <linux/types.h>

static __u64 unmapped; /* what lies there cannot be read */
static unsigned int reads;

static inline long sp_read_target(void *dst, __u32 len, __u64 addr)
{
	if (addr < 4096 || unmapped - addr < len)
		return -14; /* EFAULT */
	memcpy(dst, (const void *)addr, len);
	reads++;
	return 0;
}

#include "bpf/py_walk.bpf.h"

struct string {
	__u64 head[2], length, hash, state, wstr;
	char text[80];
};

struct code {
	__u64 head[5];
	__u32 firstlineno, spare;
	__u64 words[7];
	__u64 filename, name, lnotab, rest[7];
};

struct frame {
	__u64 head[3];
	struct frame *back;
	struct code *code;
	__u64 words[7];
	__u64 gen;
	__s32 lasti, lineno;
};

struct tstate {
	__u64 prev, next, interp;
	struct frame *frame;
	__u64 words[18], thread_id;
};

static const struct sp_pylayout layout = {
	.version = 0x030912f0,
	.tstate_prev = 0,
	.tstate_next = 8,
	.tstate_interp = 16,
	.tstate_cframe = SP_NO_FIELD,
	.tstate_current_frame = offsetof(struct tstate, frame),
	.tstate_thread_id = offsetof(struct tstate, thread_id),
	.tstate_native_thread_id = SP_NO_FIELD,
	.tstate_datastack_chunk = SP_NO_FIELD,
	.cframe_current_frame = SP_NO_FIELD,
	.frame_executable = offsetof(struct frame, code),
	.frame_previous = offsetof(struct frame, back),
	.frame_instr = offsetof(struct frame, lasti),
	.frame_owner = SP_NO_FIELD,
	.frame_tlbc_index = SP_NO_FIELD,
	.code_tlbc = SP_NO_FIELD,
	.code_firstlineno = offsetof(struct code, firstlineno),
	.code_filename = offsetof(struct code, filename),
	.code_qualname = offsetof(struct code, name),
	.code_linetable = offsetof(struct code, lnotab),
	.code_bytecode = SP_NO_FIELD,
	.code_version = SP_NO_FIELD,
	.unicode_length = offsetof(struct string, length),
	.unicode_state = offsetof(struct string, state),
	.ascii_size = offsetof(struct string, text),
	.compact_size = 72,
	.unicode_kind = 2,
	.owner_shim = SP_OWNER_NONE,
	.frame_instr_kind = SP_INSTR_LASTI_BYTES,
};

#define FRAMES 4
#define ASCII_STATE (1 << 2 | 1 << 5 | 1 << 6) /* kind 1, compact, ascii */

static struct {
	struct tstate tstate;
	struct frame frames[FRAMES]; /* oldest first */
	struct code codes[FRAMES];
	struct string names[FRAMES];
	struct sp_walk walk;
	union {
		struct sp_sample sample;
		__u8 room[sizeof(struct sp_sample) + SP_MAX_FRAMES * sizeof(struct sp_frame)];
	};
} im;

static void build(void)
{
	unmapped = 0;
	reads = 0;
	memset(&im, 0, sizeof(im));
	for (int i = 0; i < FRAMES; i++) {
		im.names[i] = (struct string){ .length = 2, .state = ASCII_STATE, .text = "f" };
		im.names[i].text[1] = '0' + i;
		im.codes[i].name = (__u64)&im.names[i];
		im.frames[i] = (struct frame){
			.back = i ? &im.frames[i - 1] : NULL,
			.code = &im.codes[i],
			.lasti = 2 * i,
			.lineno = 0x7fffffff, /* it is not read as part of f_lasti */
		};
	}
	im.tstate.frame = &im.frames[FRAMES - 1];
	im.tstate.thread_id = 7;
}

static void walk_as(const struct sp_pylayout *at)
{
	struct sp_thread thread;

	cr_assert(eq(uint, sp_read_thread(at, (__u64)&im.tstate, &im.walk, &thread), 0));
	cr_expect(eq(u64, thread.ident, 7));
	cr_expect(eq(u64, thread.native_id, 0));
	sp_walk_python(at, &thread, SP_MAX_FRAMES, &im.walk, &im.sample);
}

static void walk(void)
{
	walk_as(&layout);
}

static void expect_stack(unsigned int count, enum sp_stack_end end)
{
	cr_expect(eq(uint, im.sample.frame_count, count));
	cr_expect(eq(uint, im.sample.end, end));
	for (unsigned int i = 0; i < im.sample.frame_count; i++)
		cr_expect(eq(u64, SP_CODE_ADDRESS(im.sample.frames[i].code),
			     (__u64)&im.codes[FRAMES - 1 - i]),
			  "frame %u", i);
}

TestSuite(py_walk_objects, .init = build);

Test(py_walk_objects, frames_come_newest_first)
{
	walk();
	expect_stack(FRAMES, SP_END_COMPLETE);
}

Test(py_walk_objects, a_frame_takes_one_read)
{
	walk();
	/* thread state; of each frame itself, its code object, its name */
	cr_expect(eq(uint, reads, 1 + 3 * FRAMES));
}

Test(py_walk_objects, f_lasti_is_in_bytes_or_in_units)
{
	struct sp_pylayout units = layout;

	walk();
	cr_expect(eq(u32, im.sample.frames[0].instr, FRAMES - 1));
	units.frame_instr_kind = SP_INSTR_LASTI_UNITS;
	walk_as(&units);
	cr_expect(eq(u32, im.sample.frames[0].instr, 2 * (FRAMES - 1)));
}

Test(py_walk_objects, a_frame_that_is_about_to_run_is_before_its_first_instruction)
{
	struct sp_pylayout units = layout;

	im.frames[FRAMES - 1].lasti = -1;
	walk();
	cr_expect(eq(u32, im.sample.frames[0].instr, SP_INSTR_BEFORE));
	units.frame_instr_kind = SP_INSTR_LASTI_UNITS;
	walk_as(&units);
	cr_expect(eq(u32, im.sample.frames[0].instr, SP_INSTR_BEFORE));
}

Test(py_walk_objects, a_generator_stands_above_who_resumed_it)
{
	im.frames[2].gen = 8;
	walk();
	expect_stack(FRAMES, SP_END_COMPLETE);
}

/* 3.9: generator.throw(), passed on to the generator that it waits for. */
Test(py_walk_objects, a_generator_that_nobody_resumed_is_not_taken_for_the_root)
{
	im.frames[2].gen = 8;
	im.frames[2].back = NULL;
	walk();
	expect_stack(2, SP_END_FAULT);
}

Test(py_walk_objects, a_fault_keeps_the_frames_already_read)
{
	unmapped = (__u64)&im.frames[1].code;
	walk();
	expect_stack(2, SP_END_FAULT);
}

Test(py_walk_objects, a_loop_ends)
{
	im.frames[0].back = &im.frames[2];
	walk();
	cr_expect(eq(uint, im.sample.end, SP_END_DEPTH));
	cr_expect(eq(uint, im.sample.frame_count, SP_MAX_FRAMES));
}

Test(py_walk_objects, no_frame_is_no_stack)
{
	im.tstate.frame = NULL;
	walk();
	expect_stack(0, SP_END_COMPLETE);
}

Test(py_walk_objects, a_frame_on_the_heap_is_no_shim)
{
	struct sp_thread thread;

	cr_assert(eq(uint, sp_read_thread(&layout, (__u64)&im.tstate, &im.walk, &thread), 0));
	thread.stack_pointer = (__u64)&thread;
	thread.ident = (__u64)&thread + 4096;
	sp_walk_python(&layout, &thread, SP_MAX_FRAMES, &im.walk, &im.sample);
	expect_stack(FRAMES, SP_END_COMPLETE);
}

Test(py_walk_objects, a_recycled_code_object_has_another_key)
{
	__u64 before, by_name;

	before = sp_code_key(&layout, (__u64)&im.codes[0], &im.walk.keys);
	cr_expect(ne(u64, before, 0));
	im.names[0].text[1]++; /* another name at the same address */
	by_name = sp_code_key(&layout, (__u64)&im.codes[0], &im.walk.keys);
	cr_expect(ne(u64, by_name, before));
	im.codes[0].firstlineno++;
	cr_expect(ne(u64, sp_code_key(&layout, (__u64)&im.codes[0], &im.walk.keys), by_name));
}
