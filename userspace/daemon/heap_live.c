/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_live.h"

#include <errno.h>
#include <xxhash.h>

#define FIRST_ROOM 64
#define ALIGNMENT 16 /* of blocks; some of mimalloc's are larger than this says */

struct taking {
	struct heap_live *live;
	const struct heap_ids *ids;
	const struct heap_freed *freed;
	const struct heap_census *census;
	uint64_t old_ns;
};

void heap_live_fini(struct heap_live *l)
{
	free(l->rows);
	hash_index_fini(&l->index);
	*l = (struct heap_live){ 0 };
}

static int add_row(struct heap_live *l, uint32_t stack, uint64_t hash, struct heap_live_row **row)
{
	uint32_t room = l->room ? l->room * 2 : FIRST_ROOM;

	if (l->count == l->room) {
		void *rows = reallocarray(l->rows, room, sizeof(*l->rows));

		if (!rows)
			return -ENOMEM;
		l->rows = rows;
		l->room = room;
	}
	if (hash_index_add(&l->index, hash, l->count))
		return -ENOMEM;
	*row = &l->rows[l->count++];
	**row = (struct heap_live_row){ .stack = stack };
	return 0;
}

static int row_of(struct heap_live *l, uint32_t stack, struct heap_live_row **row)
{
	uint64_t hash = XXH3_64bits(&stack, sizeof(stack));
	struct hash_probe probe = hash_index_find(&l->index, hash);
	uint32_t i;

	while (hash_probe_next(&probe, &i))
		if (l->rows[i].stack == stack) {
			*row = &l->rows[i];
			return 0;
		}
	return add_row(l, stack, hash, row);
}

/* The smallest size that is in use and has room for @bytes: the block lives, so its size is. */
static uint64_t block_bytes(const struct heap_census *c, uint64_t bytes)
{
	uint32_t row = c ? heap_census_find_size(c, bytes) : 0;

	if (c && row < c->size_count)
		return c->sizes[row].size;
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* (1-p)/p^2 of each block's bytes, as of heap/estimator. */
static void add_block(struct taking *t, const struct heap_sample *s)
{
	double count = estimate_count(s->size, s->rate);
	double block = (double)block_bytes(t->census, s->size);

	t->live->blocks_bytes += count * block;
	t->live->blocks_variance += count * (count - 1) * block * block;
	t->live->old_blocks_bytes += s->birth <= t->old_ns ? count * block : 0;
}

static int keep(void *arg, const struct heap_sample *s)
{
	struct taking *t = arg;
	struct heap_live_row *row;

	if (s->process != t->ids->of[SP_DOMAIN_OBJECT] && s->process != t->ids->of[SP_DOMAIN_LIBC])
		return 0;
	if (t->freed && heap_freed_has(t->freed, s)) {
		t->live->freed_samples++;
		return 0;
	}
	if (row_of(t->live, s->stack, &row))
		return -ENOMEM;
	estimate_add(&row->all, s->size, s->rate);
	if (s->process == t->ids->of[SP_DOMAIN_LIBC])
		estimate_add(&row->libc, s->size, s->rate);
	else
		add_block(t, s);
	return 0;
}

/* At the sequence number of the last record: at a later time, records to come had the times of it. */
int heap_live_take(struct heap_model *m, const struct heap_ids *ids, const struct heap_freed *freed,
		   const struct heap_census *census, uint64_t old_ns, struct heap_live *out)
{
	struct taking t = { out, ids, freed, census, old_ns };
	struct heap_walk walk;
	int err = heap_profiler_visit(heap_model_profiler(m), 0, keep, &t, &walk);

	if (err)
		heap_live_fini(out);
	return err;
}
