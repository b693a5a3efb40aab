/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of its states a sleeping thread runs in, up to 3.11: over two interpreters made of
 * plain structs in the test's own memory, which is read as any process is.
 */
#include "resolve/outside.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define CODE_BYTES 0x10000 /* code objects are where nothing can be read */
#define NOT_OURS 1	   /* a thread's number: init's */

/* Thread states: two of the main interpreter, then two of the newest. */
enum state { FIRST, OTHERS, IDLE, NEWEST, STATES };
enum thread { OWN, OTHER, THREADS };
enum place { NOWHERE, OWN_STACK, OTHER_STACK, ABOVE_ALL }; /* of the newest state's _PyCFrame */
enum gil { NOBODYS, OF_FIRST, OF_NEWEST };

struct frame {
	uint64_t code;
	const struct frame *previous;
	uint64_t generator, instr;
};

struct cframe {
	const struct frame *current;
	const struct cframe *previous;
};

struct tstate {
	const struct tstate *prev, *next;
	const struct interp *interp;
	const struct frame *frame;
	const struct cframe *cframe;
	const void *thread;
	uint64_t native_id, chunk, spare[4];
	struct cframe root;
};
_Static_assert(offsetof(struct tstate, root) == offsetof(struct tstate, chunk) + SP_ROOT_CFRAME,
	       "as the walk reads it");

struct interp {
	uint64_t spare;
	const struct tstate *threads;
};

/* A C stack, and at its end what thread_id is the address of. */
struct stack {
	uint8_t before[2048];
	struct cframe cframe;
	uint8_t thread[SP_PTHREAD_TID];
	uint32_t tid, spare;
};

static struct {
	struct interp main, newest;
	struct frame frames[STATES];
	struct tstate states[STATES];
	struct {
		uint64_t spare;
		const struct interp *head, *main;
		const struct tstate *current;
	} runtime;
	struct stack stacks[THREADS + 1]; /* the last is the main thread's, above all */
} py;

struct newest_row {
	char name[64];
	unsigned int minor;
	enum gil gil;
	enum place place;
	enum thread made_by; /* whose id the newest state has */
	bool lacks_frame, is_main_thread;
	enum state runs;
};

static struct sp_pylayout layout_of(unsigned int minor)
{
	struct sp_pylayout at = {
		.version = 3u << 24 | minor << 16 | 0xf0,
		.runtime_interpreters_head = sizeof(uint64_t),
		.runtime_tstate_current = 3 * sizeof(uint64_t),
		.interp_threads_head = offsetof(struct interp, threads),
		.tstate_prev = offsetof(struct tstate, prev),
		.tstate_next = offsetof(struct tstate, next),
		.tstate_interp = offsetof(struct tstate, interp),
		.tstate_thread_id = offsetof(struct tstate, thread),
		.frame_executable = offsetof(struct frame, code),
		.frame_previous = offsetof(struct frame, previous),
		.frame_instr = offsetof(struct frame, instr),
		.frame_owner = SP_NO_FIELD,
		.frame_tlbc_index = SP_NO_FIELD,
		.code_version = SP_NO_FIELD,
		.code_tlbc = SP_NO_FIELD,
		.owner_shim = SP_OWNER_NONE,
	};
	bool is_old = minor < 11;

	at.tstate_cframe = is_old ? SP_NO_FIELD : offsetof(struct tstate, cframe);
	at.cframe_current_frame = is_old ? SP_NO_FIELD : 0;
	at.tstate_current_frame = is_old ? offsetof(struct tstate, frame) : SP_NO_FIELD;
	at.tstate_native_thread_id = is_old ? SP_NO_FIELD : offsetof(struct tstate, native_id);
	at.tstate_datastack_chunk = is_old ? SP_NO_FIELD : offsetof(struct tstate, chunk);
	at.frame_instr_kind = is_old ? SP_INSTR_LASTI_UNITS : SP_INSTR_POINTER;
	return at;
}

static void make_state(enum state state, enum thread made_by)
{
	struct tstate *t = &py.states[state];

	py.frames[state].code = (state + 1) * CODE_BYTES;
	t->thread = py.stacks[made_by].thread;
	t->native_id = py.stacks[made_by].tid;
	t->interp = state < IDLE ? &py.main : &py.newest;
	t->frame = t->root.current = &py.frames[state];
	t->cframe = &t->root;
}

static void make_python(const struct newest_row *r)
{
	static const struct tstate *const current[] = { NULL, &py.states[FIRST],
							&py.states[NEWEST] };

	memset(&py, 0, sizeof(py));
	py.stacks[OWN].tid = gettid();
	py.stacks[OTHER].tid = NOT_OURS;
	make_state(FIRST, OWN);
	make_state(OTHERS, OTHER);
	make_state(IDLE, OTHER);
	make_state(NEWEST, r->made_by);
	py.main.threads = &py.states[FIRST];
	py.states[FIRST].next = &py.states[OTHERS];
	py.newest.threads = &py.states[IDLE];
	py.states[IDLE].next = &py.states[NEWEST];
	py.runtime.main = &py.main;
	py.runtime.head = &py.newest;
	py.runtime.current = current[r->gil];
}

/* What the newest state runs is not there, or was entered through a _PyCFrame on some C stack. */
static void move_newest(const struct newest_row *r)
{
	struct tstate *newest = &py.states[NEWEST];
	struct cframe *on_stack;

	if (r->lacks_frame)
		newest->frame = newest->root.current = NULL;
	if (r->place == NOWHERE)
		return;
	on_stack = &py.stacks[r->place - OWN_STACK].cframe;
	*on_stack = (struct cframe){ newest->frame, &newest->root };
	newest->cframe = on_stack;
}

static void *expect_row(void *ctx)
{
	const struct newest_row *r = ctx;
	struct interpreter in = { .layout = layout_of(r->minor),
				  .runtime = (uintptr_t)&py.runtime };
	OWNS_MEM struct outside_stack *out = outside_stack_new(STATES);

	make_python(r);
	move_newest(r);
	cr_assert(eq(int, outside_read(getpid(), gettid(), &in, out), 0), "%s", r->name);
	cr_expect(eq(u64, out->ident, (uintptr_t)py.stacks[OWN].thread), "%s", r->name);
	cr_assert(eq(u32, out->frame_count, 1), "%s", r->name);
	cr_expect(eq(u64, out->frames[0].code, (r->runs + 1) * CODE_BYTES), "%s", r->name);
	return NULL;
}

static struct newest_row prefer_newest[] = {
	{ "3.11: nothing tells", 11, .runs = FIRST },
	{ "3.11: the newest has the GIL", 11, .gil = OF_NEWEST, .runs = NEWEST },
	{ "3.11: the first has the GIL", 11, .gil = OF_FIRST, .runs = FIRST },
	{ "3.11: another thread has the GIL", 11, .gil = OF_NEWEST, .made_by = OTHER,
	  .runs = FIRST },
	{ "3.11: on the thread's C stack", 11, .place = OWN_STACK, .runs = NEWEST },
	{ "3.11: on its C stack, in a state that another made", 11, .place = OWN_STACK,
	  .made_by = OTHER, .runs = NEWEST },
	{ "3.11: on another thread's C stack", 11, .place = OTHER_STACK, .runs = FIRST },
	{ "3.11: on the main thread's C stack, which it is", 11, .place = ABOVE_ALL,
	  .is_main_thread = true, .runs = NEWEST },
	{ "3.11: on the main thread's C stack, which it is not", 11, .place = ABOVE_ALL,
	  .runs = FIRST },
	{ "3.10: the newest has a frame", 10, .runs = NEWEST },
	{ "3.10: another thread's has", 10, .made_by = OTHER, .runs = FIRST },
	{ "3.10: the newest has none", 10, .lacks_frame = true, .runs = FIRST },
};
static void expect_prefer_newest(struct newest_row *r)
{
	pthread_t thread;

	if (r->is_main_thread) {
		expect_row(r);
		return;
	}
	cr_assert(eq(int, pthread_create(&thread, NULL, expect_row, r), 0));
	pthread_join(thread, NULL);
}

Test(outside, prefer_newest)
{
	for (size_t i = 0; i < sizeof(prefer_newest) / sizeof(*prefer_newest); i++)
		expect_prefer_newest(&prefer_newest[i]);
}
