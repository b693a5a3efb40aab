/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The self-check as a whole, and its repetition. A layout with any one field wrong is
 * refused: tests/integration/moved_fields.c shows it on a live process.
 */
#include "resolve/self_check.h"

#include "python/pylayout.h"
#include "resolve/check_parts.h"

#include <errno.h>
#include <time.h>

#define ATTEMPTS 20
#define PAUSE_NS 2000000	    /* so the whole takes no longer than 50 ms on an idle target */
#define MOST_INTERPRETERS (1 << 20) /* made in all; below any address of a program */

/* struct pyinterpreters: head, the newest; main; next_id. */
struct interpreters {
	uint64_t head, main;
	int64_t next_id;
};

static int check_interpreters(struct check *c, struct interpreters *is)
{
	if (check_read(c, c->target->runtime + c->at->runtime_interpreters_head, is, sizeof(*is)))
		return REFUSE(c, NOT_THERE("the list of interpreters"));
	if (!is->head && !is->main)
		return -EAGAIN;
	if (!is->head || !is->main || is->head & 7 || is->main & 7 || is->next_id < 1 ||
	    is->next_id > MOST_INTERPRETERS || (is->next_id == 1 && is->head != is->main))
		return REFUSE(c, NOT_THERE("the list of interpreters"));
	return 0;
}

/* The newest interpreter, where it is not the main one, has threads of its own. */
static int check_newest(struct check *c, const struct interpreters *is)
{
	uint64_t tstate, interp;

	if (is->head == is->main)
		return 0;
	if (check_read(c, is->head + c->at->interp_threads_head, &tstate, sizeof(tstate)))
		return REFUSE(c, NOT_THERE("the list of interpreters"));
	if (tstate && (check_read(c, tstate + c->at->tstate_interp, &interp, sizeof(interp)) ||
		       interp != is->head))
		return REFUSE(c, NOT_THERE("the list of interpreters"));
	return 0;
}

/*
 * The counter of dead code objects: each import leaves some, and no count is the address
 * of something, as the word behind it is; the one before it is 0.
 * Source: CPython 3.14 Include/internal/pycore_interp_structs.h.
 */
static int check_generation(struct check *c, uint64_t interp)
{
	uint64_t count, word;

	if (!c->at->interp_code_generation)
		return 0;
	if (check_read(c, interp + c->at->interp_code_generation, &count, sizeof(count)) ||
	    !count || count >> 40 || !check_read(c, count, &word, sizeof(word)))
		return REFUSE(c, NOT_THERE("code_object_generation"));
	return 0;
}

/*
 * The counter of starts and ends of threads, in the interpreter's pool of their indexes. What
 * stands before it is the number of indexes in use at once, at most; both are 0 where threads
 * share the bytecode (-X tlbc=0).
 * Source: CPython 3.14 Include/internal/pycore_interp_structs.h (_PyIndexPool).
 */
static int check_tlbc_generation(struct check *c, uint64_t interp, size_t listed)
{
	uint64_t at = interp + c->at->interp_tlbc_generation;
	struct {
		uint32_t capacity[2]; /* of the heap of free indexes */
		uint32_t next_index, generation;
	} pool;

	if (!c->at->interp_tlbc_generation)
		return 0;
	if (check_read(c, at + sizeof(uint32_t) - sizeof(pool), &pool, sizeof(pool)))
		return REFUSE(c, NOT_THERE("tlbc_generation"));
	if (!pool.generation && !pool.next_index && !pool.capacity[0] && !pool.capacity[1])
		return 0;
	if (pool.next_index < 1 || pool.next_index > pool.generation ||
	    pool.capacity[0] < pool.next_index || pool.capacity[1] || pool.generation < listed)
		return REFUSE(c, NOT_THERE("tlbc_generation"));
	return 0;
}

/* Each kind of evidence was found at least once. */
static int check_seen(struct check *c)
{
	if (!c->frames_in_chunks && !has_frame_objects(c))
		return REFUSE(c, NOT_THERE("datastack_chunk"));
	if (c->whole_texts <= c->torn_texts)
		return REFUSE(c, NOT_THERE("the text of a string"));
	if (c->modules && !c->modules_in_file)
		return REFUSE(c, NOT_THERE("co_filename"));
	if (c->modules && !c->modules_at_one && !has_frame_objects(c))
		return REFUSE(c, NOT_THERE("co_firstlineno"));
	return 0;
}

static int check_all_frames(struct check *c, const struct check_threads *threads)
{
	bool any_busy = false, any_done = false;

	for (size_t i = 0; i < threads->kept_count; i++) {
		int err = check_frames(c, &threads->kept[i]);

		if (err == -EBUSY)
			any_busy = true;
		else if (!err)
			any_done = true;
		else if (err != -ENOENT)
			return err;
	}
	if (!any_done)
		return any_busy ? -EBUSY : -EAGAIN;
	return check_seen(c);
}

int self_check(const struct self_check_target *target, struct sp_pylayout *at, const char **why)
{
	struct check c = { .target = target, .at = at };
	struct check_threads threads = { .kept_count = 0 };
	struct interpreters is;
	int err;

	if (pylayout_validate(at)) {
		*why = "the layout contradicts itself";
		return -ENOTSUP;
	}
	err = check_interpreters(&c, &is);
	if (!err)
		err = check_newest(&c, &is);
	if (!err)
		err = check_thread_list(&c, is.main, &threads);
	if (!err && at->runtime_autotsskey == SP_NO_KEY)
		err = check_thread_local(&c, &threads, target->slots);
	else if (!err)
		err = check_thread_specific(&c, &threads, &at->runtime_autotsskey);
	if (!err)
		err = check_all_frames(&c, &threads);
	if (!err)
		err = check_generation(&c, is.main);
	if (!err)
		err = check_tlbc_generation(&c, is.main, threads.listed);
	*why = err == -ENOTSUP ? c.why : NULL;
	return err;
}

/* Whether @err says something about the layout, and not that we cannot look. */
static bool is_about_layout(int err)
{
	return err == -ENOTSUP || err == -EBUSY || err == -EAGAIN;
}

int self_check_retry(const struct self_check_target *target, struct sp_pylayout *at,
		     const char **why)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	bool was_busy = false;
	int err = -EAGAIN;

	for (int i = 0; i < ATTEMPTS; i++) {
		uint64_t word;
		int gone;

		if (i)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		err = self_check(target, at, why);
		if (!err || err == -EAGAIN || !is_about_layout(err))
			return err;
		gone = target->memory.read(target->memory.ctx, target->runtime, &word, 8);
		if (gone == -ESRCH || gone == -EPERM)
			return gone;
		was_busy |= err == -EBUSY;
	}
	return was_busy ? -EAGAIN : err;
}
