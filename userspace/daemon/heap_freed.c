/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_freed.h"

#include <errno.h>

#define FIRST_ROOM 1024

struct gathering {
	struct heap_freed *freed;
	uint16_t process; /* of the session's objects */
};

void heap_freed_fini(struct heap_freed *f)
{
	free(f->blocks);
	*f = (struct heap_freed){ 0 };
}

static int gather(void *arg, const struct heap_sample *s)
{
	const struct gathering *g = arg;
	struct heap_freed *f = g->freed;
	size_t room = f->room ? f->room * 2 : FIRST_ROOM;

	if (s->process != g->process)
		return 0;
	if (f->count == f->room) {
		void *blocks = reallocarray(f->blocks, room, sizeof(*f->blocks));

		if (!blocks)
			return -ENOMEM;
		f->blocks = blocks;
		f->room = room;
	}
	f->blocks[f->count++] =
		(struct heap_block){ .address = s->address, .size = s->size, .birth = s->birth };
	return 0;
}

static int by_address(const void *a, const void *b)
{
	uint64_t first = ((const struct heap_block *)a)->address;
	uint64_t second = ((const struct heap_block *)b)->address;

	return (first > second) - (first < second);
}

int heap_freed_find(struct heap_model *m, const struct heap_ids *ids,
		    const struct heap_scan_target *target, struct heap_freed *out)
{
	struct gathering g = { out, ids->of[SP_DOMAIN_OBJECT] };
	pid_t pid = target->pid;
	struct target_reader memory = target_reader_of(&pid);
	struct heap_walk walk;
	int err = heap_profiler_visit(heap_model_profiler(m), 0, gather, &g, &walk);

	if (err) {
		heap_freed_fini(out);
		return err;
	}
	if (out->count)
		qsort(out->blocks, out->count, sizeof(*out->blocks), by_address);
	out->is_known = !heap_liveness_look(target, &memory, out->blocks, out->count);
	return 0;
}

/* A block of another birth was given out after it was looked up. */
bool heap_freed_has(const struct heap_freed *f, const struct heap_sample *s)
{
	const struct heap_block key = { .address = s->address }, *found = NULL;

	if (f->is_known && f->count)
		found = bsearch(&key, f->blocks, f->count, sizeof(key), by_address);
	return found && found->birth == s->birth && found->is_free;
}
