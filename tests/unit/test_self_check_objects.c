/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The self-check over an interpreter made of plain structs, in the shape of CPython 3.9: its
 * frames are objects, and no thread state has the thread's number. It lies at its own
 * addresses. On live ones: tests/integration/moved_fields.c.
 */
#include "resolve/self_check.h"

#include "spprof_target.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define THREADS 2
#define FRAMES 2 /* of each thread */
#define KEY 3
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
	uint64_t state, wstr;
	char text[24];
};

struct bytes {
	uint64_t refs;
	const struct type *type;
	uint64_t length, hash;
	uint8_t data[16];
};

struct code {
	uint64_t refs;
	const struct type *type;
	uint64_t counts[3];
	uint32_t first_line, spare;
	const struct bytes *bytecode;
	uint64_t words[6];
	const struct string *file, *name;
	const struct bytes *lnotab;
	uint64_t more[6];
};

struct frame {
	uint64_t refs;
	const struct type *type;
	uint64_t size;
	const struct frame *back;
	const struct code *code;
	uint64_t words[8];
	int32_t lasti, line;
	uint64_t blocks[32];
};

struct tstate {
	const struct tstate *prev, *next;
	const struct interp *interp;
	const struct frame *frame;
	uint64_t recursion_depth, words[17], thread_id;
};

struct interp {
	const struct interp *next;
	const struct tstate *threads;
};

struct runtime {
	uint64_t spare[4];
	const struct interp *head, *main;
	uint64_t next_id, more[64];
	uint32_t tss[2];
};

/* struct pthread of glibc, as far as it is read. */
union pthread {
	uint64_t words[(SP_TSD_BASE + SP_TSD_KEYS * SP_TSD_STRIDE) / 8];
	uint8_t bytes[SP_TSD_BASE + SP_TSD_KEYS * SP_TSD_STRIDE];
};

static struct {
	struct runtime runtime;
	struct interp interp;
	struct tstate tstates[THREADS];
	union pthread pthreads[THREADS];
	struct frame frames[THREADS][FRAMES]; /* oldest first */
	struct code codes[FRAMES];
	struct string file, names[FRAMES];
	struct bytes bytecode, lnotab;
	struct type code_type, str_type, bytes_type, frame_type;
} py;

static const pid_t tids[] = { 100, 101 };

#define AT(type, field) offsetof(struct type, field)
static const struct sp_pylayout layout = {
	.version = 0x030912f0,
	.runtime_interpreters_head = AT(runtime, head),
	.runtime_autotsskey = AT(runtime, tss),
	.interp_threads_head = AT(interp, threads),
	.tstate_prev = AT(tstate, prev),
	.tstate_next = AT(tstate, next),
	.tstate_interp = AT(tstate, interp),
	.tstate_cframe = SP_NO_FIELD,
	.tstate_current_frame = AT(tstate, frame),
	.tstate_thread_id = AT(tstate, thread_id),
	.tstate_native_thread_id = SP_NO_FIELD,
	.tstate_datastack_chunk = SP_NO_FIELD,
	.cframe_current_frame = SP_NO_FIELD,
	.frame_executable = AT(frame, code),
	.frame_previous = AT(frame, back),
	.frame_instr = AT(frame, lasti),
	.frame_owner = SP_NO_FIELD,
	.frame_tlbc_index = SP_NO_FIELD,
	.code_tlbc = SP_NO_FIELD,
	.code_firstlineno = AT(code, first_line),
	.code_filename = AT(code, file),
	.code_qualname = AT(code, name),
	.code_linetable = AT(code, lnotab),
	.code_bytecode = SP_NO_FIELD,
	.code_version = SP_NO_FIELD,
	.object_type = AT(code, type),
	.var_size = AT(bytes, length),
	.bytes_data = AT(bytes, data),
	.unicode_length = AT(string, length),
	.unicode_state = AT(string, state),
	.ascii_size = AT(string, text),
	.compact_size = AT(string, text) + 24,
	.unicode_kind = 2,
	.owner_shim = SP_OWNER_NONE,
	.frame_instr_kind = SP_INSTR_LASTI_BYTES,
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
	py.code_type = (struct type){ .name = "code", .basic = sizeof(struct code) };
	py.str_type = (struct type){ .name = "str", .basic = layout.compact_size + 8 };
	py.bytes_type = (struct type){ .name = "bytes", .basic = AT(bytes, data) + 1, .item = 1 };
	py.frame_type = (struct type){ .name = "frame", .basic = sizeof(struct frame), .item = 8 };
	py.bytecode = (struct bytes){ .type = &py.bytes_type, .length = 8 };
	py.lnotab = (struct bytes){ .type = &py.bytes_type, .length = 2, .data = { 4, 1 } };
	set_text(&py.file, "/srv/app.py");
	set_text(&py.names[0], "<module>");
	set_text(&py.names[1], "run");
	for (int i = 0; i < FRAMES; i++)
		py.codes[i] = (struct code){
			.type = &py.code_type,
			.first_line = 20 * i + 3,
			.bytecode = &py.bytecode,
			.file = &py.file,
			.name = &py.names[i],
			.lnotab = &py.lnotab,
		};
}

static void make_thread(int i)
{
	const struct frame *below = NULL;

	for (int f = 0; f < FRAMES; f++) {
		py.frames[i][f] = (struct frame){
			.type = &py.frame_type,
			.size = 2,
			.back = below,
			.code = &py.codes[f],
			.lasti = 2 * f,
		};
		below = &py.frames[i][f];
	}
	py.tstates[i] = (struct tstate){
		.prev = i ? &py.tstates[i - 1] : NULL,
		.next = i + 1 < THREADS ? &py.tstates[i + 1] : NULL,
		.interp = &py.interp,
		.frame = below,
		.recursion_depth = 1,
		.thread_id = (uintptr_t)&py.pthreads[i],
	};
	memcpy(&py.pthreads[i].bytes[SP_PTHREAD_TID], &tids[i], sizeof(tids[i]));
	py.pthreads[i].words[(SP_TSD_BASE + KEY * SP_TSD_STRIDE + SP_TSD_DATA) / 8] =
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
	py.runtime.tss[0] = 1;
	py.runtime.tss[1] = KEY;
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
	for (const struct type *t = &py.code_type; t <= &py.frame_type; t++)
		if (t->name && addr == (uintptr_t)t->name && len <= strlen(t->name) + 1) {
			memcpy(dst, t->name, len);
			return 0;
		}
	return -EFAULT;
}

static int check_as(struct sp_pylayout at, const char **why)
{
	struct self_check_target target = {
		.memory = { .read = read_own },
		.runtime = (uintptr_t)&py.runtime,
		.tids = tids,
		.tid_count = THREADS,
	};

	return self_check(&target, &at, why);
}

TestSuite(self_check_objects, .init = make_python);

Test(self_check_objects, right_layout_is_believed)
{
	const char *why = NULL;

	cr_expect(eq(int, check_as(layout, &why), 0), "%s", why);
}

Test(self_check_objects, a_frame_about_to_run_is_believed)
{
	const char *why = NULL;

	py.frames[0][1].lasti = -1;
	cr_expect(eq(int, check_as(layout, &why), 0), "%s", why);
}

Test(self_check_objects, a_table_of_lines_may_be_empty)
{
	const char *why = NULL;

	py.lnotab.length = 0;
	cr_expect(eq(int, check_as(layout, &why), 0), "%s", why);
}

Test(self_check_objects, a_child_of_fork_may_have_its_parents_number)
{
	const char *why = NULL;

	py.tstates[0].next = NULL;
	memset(&py.pthreads[0].bytes[SP_PTHREAD_TID], 0, sizeof(pid_t));
	cr_expect(eq(int, check_as(layout, &why), 0), "%s", why);
}

/* As if the struct had @by bytes more before the field. */
#define PADDED(field, by)                                                       \
	do {                                                                    \
		struct sp_pylayout at = layout;                                 \
		const char *why;                                                \
                                                                                \
		at.field += by;                                                 \
		cr_expect(eq(int, check_as(at, &why), -ENOTSUP), "%s", #field); \
	} while (0)

Test(self_check_objects, every_field_that_is_elsewhere_is_refused)
{
	for (int by = -8; by <= 8; by += 16) {
		PADDED(runtime_interpreters_head, by);
		PADDED(runtime_autotsskey, by);
		PADDED(interp_threads_head, by);
		PADDED(tstate_prev, by);
		PADDED(tstate_next, by);
		PADDED(tstate_interp, by);
		PADDED(tstate_current_frame, by);
		PADDED(tstate_thread_id, by);
		PADDED(frame_executable, by);
		PADDED(frame_previous, by);
		PADDED(frame_instr, by);
		PADDED(code_firstlineno, by);
		PADDED(code_filename, by);
		PADDED(code_qualname, by);
		PADDED(code_linetable, by);
		PADDED(object_type, by);
		PADDED(var_size, by);
		PADDED(bytes_data, by);
		PADDED(unicode_length, by);
		PADDED(unicode_state, by);
		PADDED(ascii_size, by);
		PADDED(compact_size, by);
	}
}

/* Each row breaks one thing. */
#define BROKEN(name, what, expected, text)                               \
	Test(self_check_objects, name)                                   \
	{                                                                \
		const char *why;                                         \
                                                                         \
		what;                                                    \
		cr_assert(eq(int, check_as(layout, &why), expected));    \
		if (expected == -ENOTSUP)                                \
			cr_assert(strstr(why, text) != NULL, "%s", why); \
	}

BROKEN(what_is_no_frame_is_refused, py.frames[1][0].type = &py.code_type, -ENOTSUP,
       "chain of frames")
BROKEN(a_longer_frame_is_refused, py.frame_type.basic += 8, -ENOTSUP, "instruction")
BROKEN(a_longer_code_object_is_refused, py.code_type.basic += 8, -ENOTSUP, "co_linetable")
BROKEN(half_an_instruction_is_refused, py.frames[0][1].lasti = 3, -ENOTSUP, "instruction")
BROKEN(an_instruction_behind_the_code_is_refused, py.frames[0][1].lasti = 8, -ENOTSUP,
       "instruction")
BROKEN(an_instruction_far_before_the_code_is_refused, py.frames[0][1].lasti = -2, -ENOTSUP,
       "instruction")
BROKEN(code_without_bytecode_is_refused, py.codes[0].bytecode = (void *)&py.file, -ENOTSUP,
       "co_firstlineno")
BROKEN(a_table_beyond_the_code_is_refused, py.lnotab.data[0] = 9 * 2, -ENOTSUP, "ob_sval")
BROKEN(numbers_of_no_thread_are_refused,
       for (int i = 0; i < THREADS; i++) py.pthreads[i].bytes[SP_PTHREAD_TID] = 7, -ENOTSUP,
       "number")
BROKEN(no_frame_is_too_early, for (int i = 0; i < THREADS; i++) py.tstates[i].frame = NULL, -EAGAIN,
       "")
