/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The self-check over an interpreter made of plain structs, in the shape of CPython 3.12,
 * at its own addresses. What it refuses on a live one: tests/integration/moved_fields.c.
 */
#include "resolve/self_check.h"

#include "base/cleanup.h"
#include "spprof_target.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#define CHUNK_BYTES 16384
#define THREADS 2
#define FRAMES 2 /* of each thread, above its shim */
#define KEY 3
#define OWNER_SHIM 3
#define COMPACT_ASCII (1 << 2 | 1 << 5 | 1 << 6)

struct type {
	uint64_t refs;
	const struct type *type;
	uint64_t size;
	const char *name;
	int64_t basic, item;
};

struct string {
	uint64_t refs;
	const struct type *type;
	uint64_t length, hash;
	uint32_t state, spare;
	char text[24];
};

struct bytes {
	uint64_t refs;
	const struct type *type;
	uint64_t length, hash;
	uint8_t data[8];
};

struct code {
	uint64_t refs;
	const struct type *type;
	uint64_t units;
	uint64_t consts[5];
	uint32_t stack_size, first_line;
	uint64_t spare[5];
	const struct string *file, *name, *qualname;
	const struct bytes *linetable;
	uint64_t more[5];
	const struct copies *tlbc;
	uint16_t bytecode[4];
};

/* Of the bytecode: the first is the one in the code object. */
struct copies {
	int64_t size;
	const uint16_t *entries[2];
	uint16_t second[4];
};

struct frame {
	const void *executable;
	const struct frame *previous;
	uint64_t spare[5];
	const uint16_t *instr;
	uint32_t stack_top; /* tlbc_index, where there are copies */
	uint16_t return_offset;
	uint8_t owner, tail;
	uint64_t locals[3];
};

struct chunk {
	uint64_t previous, bytes, top, skipped;
	struct frame frames[FRAMES];
	uint8_t rest[CHUNK_BYTES - 32 - FRAMES * sizeof(struct frame)];
};
_Static_assert(sizeof(struct chunk) == CHUNK_BYTES, "as the allocator gives it");

struct cframe {
	const struct frame *current;
	uint64_t previous;
};

struct tstate {
	const struct tstate *prev, *next;
	const struct interp *interp;
	uint64_t spare[4];
	const struct cframe *cframe;
	uint64_t more[9];
	uint64_t thread_id, native_thread_id;
	uint64_t rest[10];
	const struct chunk *chunk;
	const void *chunk_top;
};

struct interp {
	uint64_t spare[5], codes_died, tlbc_room;
	uint32_t tlbc_used, tlbc_generation;
	uint64_t next_thread;
	const struct tstate *threads;
	uint64_t count;
};

struct runtime {
	uint64_t spare[5];
	const struct interp *head, *main;
	uint64_t next_id, more[100];
	uint32_t tss[4];
	uint64_t rest[1000];
};

/* Made once a test: everything that a walk can reach. */
static struct {
	alignas(4096) struct chunk chunks[THREADS];
	struct runtime runtime;
	struct interp interp, other;
	struct tstate tstates[THREADS];
	struct cframe cframes[THREADS];
	struct frame shims[THREADS];
	uint64_t tsd[THREADS][(SP_TSD_BASE + SP_TSD_KEYS * SP_TSD_STRIDE) / 8];
	struct type code_type, str_type, bytes_type;
	struct code codes[FRAMES];
	struct string file, names[FRAMES];
	struct bytes table;
	struct copies copies[FRAMES];
} py;

static const pid_t tids[] = { 100, 101 };

#define AT(type, field) offsetof(struct type, field)
static const struct sp_pylayout layout = {
	.version = 0x030c01f0,
	.runtime_interpreters_head = AT(runtime, head),
	.runtime_autotsskey = AT(runtime, tss),
	.interp_threads_head = AT(interp, threads),
	.tstate_prev = AT(tstate, prev),
	.tstate_next = AT(tstate, next),
	.tstate_interp = AT(tstate, interp),
	.tstate_cframe = AT(tstate, cframe),
	.tstate_current_frame = SP_NO_FIELD,
	.tstate_thread_id = AT(tstate, thread_id),
	.tstate_native_thread_id = AT(tstate, native_thread_id),
	.tstate_datastack_chunk = AT(tstate, chunk),
	.cframe_current_frame = AT(cframe, current),
	.frame_executable = AT(frame, executable),
	.frame_previous = AT(frame, previous),
	.frame_instr = AT(frame, instr),
	.frame_owner = AT(frame, owner),
	.code_firstlineno = AT(code, first_line),
	.code_filename = AT(code, file),
	.code_qualname = AT(code, qualname),
	.code_linetable = AT(code, linetable),
	.code_bytecode = AT(code, bytecode),
	.object_type = AT(code, type),
	.var_size = AT(code, units),
	.bytes_data = AT(bytes, data),
	.unicode_length = AT(string, length),
	.unicode_state = AT(string, state),
	.ascii_size = AT(string, text),
	.compact_size = AT(string, text) + 16,
	.code_version = SP_NO_FIELD,
	.frame_tlbc_index = SP_NO_FIELD,
	.code_tlbc = SP_NO_FIELD,
	.unicode_kind = 2,
	.owner_shim = OWNER_SHIM,
};

static void set_text(struct string *s, const char *text)
{
	s->type = &py.str_type;
	s->state = COMPACT_ASCII;
	s->length = strlen(text);
	strcpy(s->text, text);
}

static void make_codes(void)
{
	static const uint8_t linetable[] = { 0xd3, 0, 0 }; /* four units on the next line */

	py.code_type = (struct type){ .name = "code", .basic = AT(code, bytecode), .item = 2 };
	py.str_type = (struct type){ .name = "str", .basic = layout.compact_size + 8 };
	py.bytes_type = (struct type){ .name = "bytes", .basic = AT(bytes, data) + 1, .item = 1 };
	py.table.type = &py.bytes_type;
	py.table.length = sizeof(linetable);
	memcpy(py.table.data, linetable, sizeof(linetable));
	set_text(&py.file, "/srv/app.py");
	set_text(&py.names[0], "<module>");
	set_text(&py.names[1], "Worker.run");
	for (int i = 0; i < FRAMES; i++)
		py.codes[i] = (struct code){
			.type = &py.code_type,
			.units = 4,
			.first_line = i ? 20 : 1,
			.file = &py.file,
			.name = &py.names[i],
			.qualname = &py.names[i],
			.linetable = &py.table,
		};
}

static void make_thread(int i)
{
	const struct frame *below = &py.shims[i];

	py.shims[i] = (struct frame){ .owner = OWNER_SHIM };
	py.chunks[i].bytes = CHUNK_BYTES;
	for (int f = 0; f < FRAMES; f++) {
		py.chunks[i].frames[f] = (struct frame){
			.executable = &py.codes[f],
			.previous = below,
			.instr = &py.codes[f].bytecode[f],
		};
		below = &py.chunks[i].frames[f];
	}
	py.cframes[i].current = below;
	py.tstates[i] = (struct tstate){
		.prev = i ? &py.tstates[i - 1] : NULL,
		.next = i + 1 < THREADS ? &py.tstates[i + 1] : NULL,
		.interp = &py.interp,
		.cframe = &py.cframes[i],
		.thread_id = (uintptr_t)py.tsd[i],
		.native_thread_id = tids[i],
		.chunk = &py.chunks[i],
		.chunk_top = below + 1,
	};
	py.tsd[i][(SP_TSD_BASE + KEY * SP_TSD_STRIDE + SP_TSD_DATA) / 8] =
		(uintptr_t)&py.tstates[i];
}

static void make_python(void)
{
	memset(&py, 0, sizeof(py));
	make_codes();
	for (int i = 0; i < THREADS; i++)
		make_thread(i);
	py.interp.threads = py.tstates;
	py.runtime.head = py.runtime.main = &py.interp;
	py.runtime.next_id = 1;
	py.runtime.tss[0] = py.runtime.tss[2] = 1;
	py.runtime.tss[1] = KEY;
	py.runtime.tss[3] = KEY + 1;
}

static int read_own(void *ctx, uint64_t addr, void *dst, size_t len)
{
	uint64_t start = (uintptr_t)&py;

	(void)ctx;
	if (addr - start < sizeof(py) && len <= sizeof(py) - (addr - start)) {
		memcpy(dst, (void *)(uintptr_t)addr, len);
		return 0;
	}
	/* Names of types are literals. */
	for (const struct type *t = &py.code_type; t <= &py.bytes_type; t++)
		if (t->name && addr == (uintptr_t)t->name && len <= strlen(t->name) + 1) {
			memcpy(dst, t->name, len);
			return 0;
		}
	return -EFAULT;
}

static int check(struct sp_pylayout *at, const char **why)
{
	struct self_check_target target = {
		.memory = { .read = read_own },
		.runtime = (uintptr_t)&py.runtime,
		.tids = tids,
		.tid_count = THREADS,
	};

	return self_check(&target, at, why);
}

Test(self_check, right_layout_is_believed, .init = make_python)
{
	struct sp_pylayout at = layout;
	const char *why;

	cr_assert(eq(int, check(&at, &why), 0));
}

Test(self_check, missing_key_is_found, .init = make_python)
{
	struct sp_pylayout at = layout;
	const char *why;

	at.runtime_autotsskey = 0;
	cr_assert(eq(int, check(&at, &why), 0));
	cr_assert(eq(u32, at.runtime_autotsskey, layout.runtime_autotsskey));
}

Test(self_check, key_that_may_lie_in_two_places_is_refused, .init = make_python)
{
	struct sp_pylayout at = layout;
	const char *why;

	at.runtime_autotsskey = 0;
	memcpy(&py.runtime.rest[4], py.runtime.tss, sizeof(py.runtime.tss));
	cr_assert(eq(int, check(&at, &why), -ENOTSUP));
	cr_assert(eq(str, (char *)why, "autoTSSkey may lie in several places"));
}

Test(self_check, list_of_one_by_mistake_is_refused, .init = make_python)
{
	struct sp_pylayout at = layout;
	const char *why;

	at.tstate_next = at.tstate_prev;
	cr_assert(eq(int, check(&at, &why), -ENOTSUP));
	cr_assert(strstr(why, "contradicts itself") != NULL);
}

Test(self_check, thread_may_run_in_another_interpreter, .init = make_python)
{
	struct sp_pylayout at = layout;
	const char *why;

	/* Its state there lies where the second thread's was; only the first is listed. */
	py.tstates[0].next = NULL;
	py.tstates[1].interp = &py.other;
	py.other.threads = &py.tstates[1];
	py.tsd[0][(SP_TSD_BASE + KEY * SP_TSD_STRIDE + SP_TSD_DATA) / 8] =
		(uintptr_t)&py.tstates[1];
	cr_assert(eq(int, check(&at, &why), 0));
	py.other.threads = &py.tstates[0];
	cr_assert(eq(int, check(&at, &why), -ENOTSUP));
}

static void expect_broken(const char *name, int expected, const char *text)
{
	struct sp_pylayout at = layout;
	const char *why = "";

	cr_expect(eq(int, check(&at, &why), expected), "%s", name);
	if (expected == -ENOTSUP)
		cr_expect(strstr(why, text) != NULL, "%s: %s", name, why);
}

/* Each row breaks one thing of a whole Python. */
#define BROKEN(name, what, expected, text)            \
	do {                                          \
		make_python();                        \
		what;                                 \
		expect_broken(#name, expected, text); \
	} while (0)

Test(self_check, what_is_broken_of_interpreters_and_threads_is_told)
{
	BROKEN(no_interpreter_is_too_early, py.runtime.head = py.runtime.main = NULL, -EAGAIN, "");
	BROKEN(an_interpreter_without_threads_is_refused, py.interp.threads = NULL, -ENOTSUP, "");
	BROKEN(
		no_frame_is_too_early,
		for (int i = 0; i < THREADS; i++) {
			py.cframes[i].current = NULL;
			py.tstates[i].chunk = NULL;
		},
		-EAGAIN, "");
	BROKEN(used_stack_without_a_frame_is_refused, py.cframes[1].current = NULL, -ENOTSUP,
	       "newest frame");
	BROKEN(number_for_an_interpreter_is_refused, py.runtime.main = (void *)1, -ENOTSUP,
	       "interpreters");
	BROKEN(foreign_thread_is_refused, py.tstates[1].interp = NULL, -ENOTSUP,
	       "PyThreadState.interp");
	BROKEN(list_that_does_not_lead_back_is_refused, py.tstates[1].prev = NULL, -ENOTSUP,
	       "PyThreadState.prev");
	BROKEN(unknown_native_ids_are_refused,
	       py.tstates[0].native_thread_id = py.tstates[1].native_thread_id = 7, -ENOTSUP,
	       "native_thread_id");
	BROKEN(uninitialised_key_is_refused, py.runtime.tss[0] = 0, -ENOTSUP, "autoTSSkey");
	BROKEN(
		values_of_other_threads_are_refused,
		{
			py.tstates[0].thread_id = (uintptr_t)py.tsd[1];
			py.tstates[1].thread_id = (uintptr_t)py.tsd[0];
		},
		-ENOTSUP, "thread_id");
	BROKEN(thread_that_begins_is_passed_over, py.tstates[0].thread_id = 0, 0, "");
}

Test(self_check, what_is_broken_of_frames_is_told)
{
	BROKEN(chunk_off_a_page_is_refused, py.tstates[0].chunk = (void *)&py.chunks[0].top,
	       -ENOTSUP, "datastack_chunk");
	BROKEN(frame_off_the_data_stack_is_refused,
	       py.chunks[0].bytes = py.chunks[1].bytes = 1ull << 41, -ENOTSUP, "datastack_chunk");
	BROKEN(chain_without_a_shim_is_refused, py.chunks[1].frames[0].previous = NULL, -ENOTSUP,
	       "owner");
	BROKEN(endless_chain_is_believed_unfinished,
	       py.chunks[1].frames[0].previous = &py.chunks[1].frames[1], 0, "");
	BROKEN(shim_on_the_data_stack_is_refused, py.chunks[0].frames[1].owner = OWNER_SHIM,
	       -ENOTSUP, "owner");
}

Test(self_check, what_is_broken_of_code_is_told)
{
	BROKEN(what_is_no_code_is_refused, py.codes[1].type = &py.str_type, -ENOTSUP,
	       "code object");
	BROKEN(instruction_before_the_code_is_refused,
	       py.chunks[0].frames[1].instr = (void *)&py.codes[1].tlbc, -ENOTSUP, "instruction");
	BROKEN(instruction_behind_the_code_is_refused,
	       py.chunks[0].frames[1].instr = (void *)(&py.codes[1] + 1), -ENOTSUP, "instruction");
	BROKEN(table_of_another_length_is_refused, py.codes[0].units = 3, -ENOTSUP, "ob_sval");
	BROKEN(name_that_is_no_string_is_refused, py.codes[1].qualname = (void *)&py.table,
	       -ENOTSUP, "co_qualname");
	BROKEN(text_of_another_length_is_refused, py.names[1].length--, -ENOTSUP,
	       "text of a string");
	BROKEN(module_on_another_line_is_refused, py.codes[0].first_line = 2, -ENOTSUP,
	       "co_firstlineno");
	BROKEN(name_in_place_of_the_file_is_refused, py.codes[0].file = &py.names[0], -ENOTSUP,
	       "co_filename");
}

/* A free-threaded build: the second thread runs its own copy of the bytecode. */
static void make_copies(void)
{
	make_python();
	py.interp.codes_died = 5;
	py.interp.tlbc_room = py.interp.tlbc_used = py.interp.tlbc_generation = 2;
	for (int f = 0; f < FRAMES; f++) {
		struct frame *frame = &py.chunks[1].frames[f];

		py.copies[f].size = 2;
		py.copies[f].entries[0] = py.codes[f].bytecode;
		py.copies[f].entries[1] = py.copies[f].second;
		py.codes[f].tlbc = &py.copies[f];
		frame->stack_top = 1;
		frame->instr = &py.copies[f].second[f];
	}
}

static int check_copies(const char **why)
{
	struct sp_pylayout at = layout;

	at.interp_code_generation = AT(interp, codes_died);
	at.interp_tlbc_generation = AT(interp, tlbc_generation);
	at.frame_tlbc_index = AT(frame, stack_top);
	at.code_tlbc = AT(code, tlbc);
	return check(&at, why);
}

Test(self_check, copies_of_the_bytecode_are_believed, .init = make_copies)
{
	const char *why;

	cr_assert(eq(int, check_copies(&why), 0));
	py.interp.tlbc_room = py.interp.tlbc_used = py.interp.tlbc_generation = 0; /* -X tlbc=0 */
	cr_assert(eq(int, check_copies(&why), 0));
}

static void expect_broken_copies(const char *name, const char *text)
{
	const char *why = "";

	cr_expect(eq(int, check_copies(&why), -ENOTSUP), "%s", name);
	cr_expect(strstr(why, text) != NULL, "%s: %s", name, why);
}

#define BROKEN_COPIES(name, what, text)            \
	do {                                       \
		make_copies();                     \
		what;                              \
		expect_broken_copies(#name, text); \
	} while (0)

Test(self_check, what_is_broken_of_copies_is_told)
{
	BROKEN_COPIES(copies_without_the_code_object_s_are_refused,
		      py.copies[1].entries[0] = py.copies[1].second, "co_tlbc");
	BROKEN_COPIES(copies_that_are_not_there_are_refused, py.codes[0].tlbc = NULL, "co_tlbc");
	BROKEN_COPIES(copy_beyond_the_last_is_refused, py.copies[1].size = 1, "tlbc_index");
	BROKEN_COPIES(copy_that_was_never_made_is_refused, py.copies[0].entries[1] = NULL,
		      "tlbc_index");
	BROKEN_COPIES(pointer_into_another_copy_is_refused,
		      py.chunks[1].frames[1].instr = py.codes[1].bytecode,
		      "the instruction of a frame");
	BROKEN_COPIES(fewer_starts_than_threads_are_refused, py.interp.tlbc_generation = 1,
		      "tlbc_generation");
	BROKEN_COPIES(more_indexes_than_starts_are_refused, py.interp.tlbc_used = 3,
		      "tlbc_generation");
	BROKEN_COPIES(more_indexes_than_room_is_refused, py.interp.tlbc_room = 1,
		      "tlbc_generation");
}
