/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/tally.h"

#include "daemon/tally_rows.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#define TALLY_MAX_BYTES (256u << 20) /* of rows and frames: then samples are refused */

static int grow(void **at, uint32_t *room, uint32_t need, size_t each, size_t *bytes)
{
	uint32_t more = *room ? *room : 64;
	void *grown;

	if (need <= *room)
		return 0;
	while (more < need)
		more *= 2;
	if (*bytes + (more - *room) * each > TALLY_MAX_BYTES)
		return -ENOSPC;
	grown = realloc(*at, more * each);
	if (!grown)
		return -ENOMEM;
	*bytes += (more - *room) * each;
	*at = grown;
	*room = more;
	return 0;
}

#define MAKE_ROOM(t, rows, more)                                               \
	grow((void **)&(t)->rows.at, &(t)->rows.room, (t)->rows.used + (more), \
	     sizeof(*(t)->rows.at), &(t)->bytes)

struct tally *tally_new(enum tally_mode mode)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (t)
		t->mode = mode;
	return t;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->processes.used; i++)
		process_unref(t->processes.at[i]);
	hash_index_fini(&t->by_stack);
	hash_index_fini(&t->by_thread);
	hash_index_fini(&t->by_sample);
	free(t->processes.at);
	free(t->frames.at);
	free(t->stacks.at);
	free(t->threads.at);
	free(t->samples.at);
	free(t);
}

/* The newest first: samples of one process come in rows. */
static int find_process(struct tally *t, struct process *p, uint32_t *index)
{
	int err;

	for (uint32_t i = t->processes.used; i-- > 0;)
		if (t->processes.at[i] == p) {
			*index = i;
			return 0;
		}
	err = MAKE_ROOM(t, processes, 1);
	if (err)
		return err;
	*index = t->processes.used;
	t->processes.at[t->processes.used++] = process_ref(p);
	return 0;
}

static bool is_stack(const struct tally *t, uint32_t i, const struct stack_row *like,
		     const struct sp_frame *frames)
{
	const struct stack_row *row = &t->stacks.at[i];

	if (row->process != like->process || row->end != like->end ||
	    row->frame_count != like->frame_count)
		return false;
	return !row->frame_count ||
	       !memcmp(t->frames.at + row->first, frames, row->frame_count * sizeof(*frames));
}

/* While the process lives, what no record named can still be read. */
static void learn_names(struct process *p, const struct sp_sample *s)
{
	for (uint32_t i = 0; p->codes && i < s->frame_count; i++)
		(void)code_table_find(p->codes, s->frames[i].code, s->frames[i].key);
}

static int find_stack(struct tally *t, struct process *p, const struct sp_sample *s,
		      uint32_t process, uint32_t *index)
{
	struct stack_row row = { process, s->end, s->frame_count, t->frames.used };
	size_t bytes = s->frame_count * sizeof(s->frames[0]);
	uint64_t hash = XXH3_64bits_withSeed(s->frames, bytes, (uint64_t)process << 8 | s->end);
	struct hash_probe probe = hash_index_find(&t->by_stack, hash);
	int err;

	while (hash_probe_next(&probe, index))
		if (is_stack(t, *index, &row, s->frames))
			return 0;
	err = MAKE_ROOM(t, stacks, 1);
	if (!err)
		err = MAKE_ROOM(t, frames, s->frame_count);
	if (!err)
		err = hash_index_add(&t->by_stack, hash, t->stacks.used);
	if (err)
		return err;
	if (bytes)
		memcpy(t->frames.at + t->frames.used, s->frames, bytes);
	t->frames.used += s->frame_count;
	*index = t->stacks.used;
	t->stacks.at[t->stacks.used++] = row;
	learn_names(p, s);
	return 0;
}

/*
 * A thread is its tid: until Python knows it, it has no ident, and it may change its name.
 * The newest counts.
 */
static int find_thread(struct tally *t, const struct sp_sample *s, uint32_t process,
		       uint32_t *index)
{
	struct thread_row row = { .process = process, .tid = s->head.tid };
	uint64_t hash = XXH3_64bits(&row, sizeof(row));
	struct hash_probe probe = hash_index_find(&t->by_thread, hash);
	struct thread_row *known;
	bool is_known = false;
	int err = 0;

	while (!is_known && hash_probe_next(&probe, index)) {
		known = &t->threads.at[*index];
		is_known = known->process == row.process && known->tid == row.tid;
	}
	if (!is_known) {
		err = MAKE_ROOM(t, threads, 1);
		if (!err)
			err = hash_index_add(&t->by_thread, hash, t->threads.used);
		if (err)
			return err;
		*index = t->threads.used++;
		t->threads.at[*index] = row;
	}
	known = &t->threads.at[*index];
	if (s->ident)
		known->ident = s->ident;
	memcpy(known->comm, s->comm, sizeof(known->comm));
	return 0;
}

/* The row that sums up @stack on @thread, or a new one. */
static int find_sample(struct tally *t, uint32_t stack, uint32_t thread, uint32_t *index)
{
	uint64_t both[] = { stack, thread };
	uint64_t hash = XXH3_64bits(both, sizeof(both));
	struct hash_probe probe = hash_index_find(&t->by_sample, hash);
	int err;

	while (t->mode == TALLY_SUMS && hash_probe_next(&probe, index))
		if (t->samples.at[*index].stack == stack && t->samples.at[*index].thread == thread)
			return 0;
	err = MAKE_ROOM(t, samples, 1);
	if (!err && t->mode == TALLY_SUMS)
		err = hash_index_add(&t->by_sample, hash, t->samples.used);
	if (err)
		return err;
	*index = t->samples.used++;
	t->samples.at[*index] = (struct sample_row){ .stack = stack, .thread = thread };
	return 0;
}

int tally_add(struct tally *t, struct process *p, const struct sp_sample *s, uint64_t weight_ns)
{
	uint32_t process, stack, thread, row;
	int err = find_process(t, p, &process);

	if (!err)
		err = find_stack(t, p, s, process, &stack);
	if (!err)
		err = find_thread(t, s, process, &thread);
	if (!err)
		err = find_sample(t, stack, thread, &row);
	if (err)
		return err;
	t->samples.at[row].weight_ns += weight_ns;
	t->samples.at[row].count++;
	if (t->mode == TALLY_ORDER)
		t->samples.at[row].time_ns = s->head.time_ns;
	t->count++;
	t->weight_ns += weight_ns;
	return 0;
}

uint64_t tally_count(const struct tally *t)
{
	return t->count;
}

uint64_t tally_weight_ns(const struct tally *t)
{
	return t->weight_ns;
}

void tally_each_process(struct tally *t, void (*each)(struct process *p, void *ctx), void *ctx)
{
	for (uint32_t i = 0; i < t->processes.used; i++)
		each(t->processes.at[i], ctx);
}
