/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-check, threads: the interpreter's list of thread states, and the way from a
 * running thread to its own.
 * Source: CPython Include/cpython/pystate.h, Python/pystate.c (gilstate).
 */
#include "resolve/check_parts.h"

#include "resolve/walk_target.h"

#include "spprof_target.h"

#include <errno.h>
#include <string.h>

#define MOST_THREADS 65536
#define MOST_TID (1 << 22)    /* PID_MAX_LIMIT */
#define RUNTIME_SEARCHED 8192 /* bytes of _PyRuntime in which autoTSSkey may lie */
#define TSD_BYTES (SP_TSD_KEYS * SP_TSD_STRIDE)

static bool is_live(const struct check *c, uint64_t native_id)
{
	for (size_t i = 0; i < c->target->tid_count; i++)
		if ((uint64_t)c->target->tids[i] == native_id)
			return true;
	return false;
}

/* Keeps the newest half and the oldest half. */
static void keep(struct check_threads *threads, const struct sp_thread *t)
{
	size_t half = KEPT_THREADS / 2, n = threads->listed++;
	size_t slot = n < KEPT_THREADS ? n : half + (n - half) % half;

	threads->kept[slot] = (struct check_thread){
		.tstate = t->tstate,
		.ident = t->ident,
		.native_id = t->native_id,
	};
	if (n < KEPT_THREADS)
		threads->kept_count = n + 1;
}

/* What must hold between a thread state and its neighbours in the list. */
static int check_links(struct check *c, const struct sp_walk *w, uint64_t interp, uint64_t previous)
{
	const struct sp_pylayout *at = c->at;

	if (sp_tstate_field(w, at->tstate_interp) != interp)
		return REFUSE(c, previous ? NOT_THERE("PyThreadState.interp or next")
					  : NOT_THERE("the interpreter's list of threads"));
	if (sp_tstate_field(w, at->tstate_prev) != previous)
		return REFUSE(c, NOT_THERE("PyThreadState.prev"));
	return 0;
}

/* After a fork the only thread may still carry the number that it had in the parent. */
static int check_native_ids(struct check *c, size_t listed, size_t live)
{
	if (live || listed == 1)
		return 0;
	if (c->at->tstate_native_thread_id == SP_NO_FIELD)
		return REFUSE(c,
			      "threads do not keep their number where glibc keeps it, or thread_id "
			      "is not where this version keeps it");
	return REFUSE(c, NOT_THERE("native_thread_id"));
}

int check_thread_list(struct check *c, uint64_t interp, struct check_threads *out)
{
	struct sp_walk w;
	struct sp_thread t;
	uint64_t tstate, previous = 0;
	size_t live = 0;

	walk_from(c->target->memory);
	if (check_read(c, interp + c->at->interp_threads_head, &tstate, sizeof(tstate)))
		return REFUSE(c, NOT_THERE("the interpreter's list of threads"));
	if (!tstate)
		return REFUSE(c, NOT_THERE("the interpreter's list of threads"));
	while (tstate && out->listed < MOST_THREADS) {
		int err;

		if (tstate & 7 || sp_read_thread(c->at, tstate, &w, &t))
			return REFUSE(c, previous ? NOT_THERE("PyThreadState.next")
						  : NOT_THERE("the thread's newest frame"));
		err = check_links(c, &w, interp, previous);
		if (err)
			return err;
		t.native_id = native_id_of(c->at, &t);
		if (t.native_id > MOST_TID)
			return REFUSE(c, NOT_THERE("native_thread_id"));
		live += is_live(c, t.native_id);
		keep(out, &t);
		previous = tstate;
		tstate = sp_tstate_field(&w, c->at->tstate_next);
	}
	return check_native_ids(c, out->listed, live);
}

struct tss {
	uint32_t is_initialized; /* Py_tss_t */
	uint32_t key;
};

/*
 * Whether @tstate is a state of another interpreter: from 3.12 that takes the place of the
 * thread's own while it runs there. (Its thread_id is then not always this thread's.)
 */
static bool is_elsewhere(const struct check *c, const struct check_thread *t, uint64_t tstate)
{
	uint64_t interp, own, first, interp_of_first;

	return tstate && !(tstate & 7) &&
	       !check_read(c, tstate + c->at->tstate_interp, &interp, sizeof(interp)) &&
	       !check_read(c, t->tstate + c->at->tstate_interp, &own, sizeof(own)) &&
	       interp != own &&
	       !check_read(c, interp + c->at->interp_threads_head, &first, sizeof(first)) &&
	       !check_read(c, first + c->at->tstate_interp, &interp_of_first, sizeof(first)) &&
	       interp_of_first == interp;
}

/* Bit i: the thread's value under key i is its thread state. */
static uint32_t keys_of(const struct check *c, const struct check_thread *t)
{
	uint64_t slots[TSD_BYTES / 8];
	uint32_t keys = 0, other_keys = 0;

	if (check_read(c, t->ident + SP_TSD_BASE, slots, sizeof(slots)))
		return 0;
	for (uint32_t key = 0; key < SP_TSD_KEYS; key++) {
		uint64_t value = slots[(key * SP_TSD_STRIDE + SP_TSD_DATA) / 8];

		if (value == t->tstate)
			keys |= 1u << key;
		else if (is_elsewhere(c, t, value))
			other_keys |= 1u << key;
	}
	return keys ? keys : other_keys;
}

/*
 * The keys that hold each thread's own state; 0 if there are none. A thread that is about
 * to begin or to end is listed, but holds nothing: it is passed over.
 */
static uint32_t keys_of_all(const struct check *c, const struct check_threads *threads)
{
	uint32_t keys = ~0u;
	bool any = false;

	for (size_t i = 0; i < threads->kept_count; i++) {
		uint32_t own = keys_of(c, &threads->kept[i]);

		if (!own)
			continue;
		keys &= own;
		any = true;
	}
	return any ? keys : 0;
}

static bool is_key(const struct tss *tss, uint32_t keys)
{
	return tss->is_initialized == 1 && tss->key < SP_TSD_KEYS && keys >> tss->key & 1;
}

/*
 * Looks for a Py_tss_t with one of @keys behind the list of interpreters, where every
 * version has it. A word of 1 looks like key 0, so where several do, the one counts that
 * trashTSSkey follows, whose key was made next.
 */
static int search_key(struct check *c, uint32_t keys, uint32_t *autotsskey)
{
	uint8_t runtime[RUNTIME_SEARCHED];
	uint32_t from = (c->at->runtime_interpreters_head + 24) & ~3u;
	uint32_t any = 0, followed = 0, any_count = 0, followed_count = 0;

	if (check_read(c, c->target->runtime, runtime, sizeof(runtime)))
		return REFUSE(c, NOT_THERE("autoTSSkey"));
	for (uint32_t offset = from; offset + 16 <= sizeof(runtime); offset += 4) {
		struct tss tss[2];

		memcpy(tss, runtime + offset, sizeof(tss));
		if (!is_key(&tss[0], keys))
			continue;
		any_count++;
		any = offset;
		if (!is_key(&tss[1], ~0u) || tss[1].key <= tss[0].key)
			continue;
		followed_count++;
		followed = offset;
	}
	if (followed_count != 1 && any_count != 1)
		return REFUSE(c, any_count ? "autoTSSkey may lie in several places"
					   : NOT_THERE("autoTSSkey"));
	*autotsskey = followed_count == 1 ? followed : any;
	return 0;
}

int check_thread_specific(struct check *c, const struct check_threads *threads,
			  uint32_t *autotsskey)
{
	uint32_t keys = keys_of_all(c, threads);
	struct tss tss;

	if (!keys)
		return REFUSE(c,
			      "threads do not keep their state where glibc keeps it, or thread_id "
			      "is not where this version keeps it");
	if (!*autotsskey)
		return search_key(c, keys, autotsskey);
	if (check_read(c, c->target->runtime + *autotsskey, &tss, sizeof(tss)) ||
	    !is_key(&tss, keys))
		return REFUSE(c, NOT_THERE("autoTSSkey"));
	return 0;
}
