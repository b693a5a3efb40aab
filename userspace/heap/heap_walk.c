/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_walk.h"
#include "heap/heap_map_parts.h"

#include <errno.h>

#define BIRTH_PATIENCE 2000 /* turns that a reservation is given to be published */

struct visiting {
	struct heap_map *map;
	struct heap_walk walk;
	heap_visitor *visit;
	void *arg;
	uint8_t *seen; /* a bit a place: at one sequence number, one entry lives in it */
};

/* The key in @slot, once what is reserved there has been published or is dead. */
static uint64_t born_key(struct visiting *v, uint32_t slot)
{
	_Atomic uint64_t *at = &v->map->entries[slot].key;
	uint64_t key = step_load(at);

	for (int turns = BIRTH_PATIENCE; heap_is_reserved(key); turns--) {
		if (!turns) {
			v->walk.unborn++;
			break;
		}
		HEAP_WAIT();
		key = step_load(at);
	}
	return key;
}

/* What changes while it is read has died, and is in the log; or it is younger than this walk. */
static int visit_slot(struct visiting *v, uint32_t slot)
{
	uint64_t key = born_key(v, slot);
	struct heap_sample s;

	if (!heap_is_occupied(key) || heap_map_read(v->map, slot, key, &s) ||
	    s.birth > v->walk.as_of)
		return 0;
	v->seen[slot / 8] |= 1u << slot % 8;
	return v->visit(v->arg, &s);
}

static bool was_alive(const struct visiting *v, const struct freed_row *row)
{
	return row->sample.birth <= v->walk.as_of && row->death > v->walk.as_of &&
	       !(v->seen[row->slot / 8] & 1u << row->slot % 8);
}

/* Those that died while the entries were looked at, of tickets @from to @to. */
static int visit_freed(struct visiting *v, uint64_t from, uint64_t to)
{
	int err = 0;

	for (; from < to && !err; from++) {
		struct freed_row row;
		enum freed_state state = freed_log_read(v->map->log, from, &row);

		if (state == FREED_ROW && was_alive(v, &row)) {
			v->seen[row.slot / 8] |= 1u << row.slot % 8;
			err = v->visit(v->arg, &row.sample);
		}
		v->walk.missed += state == FREED_GONE || state == FREED_OPEN;
	}
	return err;
}

/*
 * Frees older than the walk's number have begun before it and are waited for; younger ones tell
 * the log, under a ticket from @first on, before they end an entry that is missed here, and are
 * waited for, too: their rows are settled.
 */
static int visit_all(struct visiting *v, uint64_t now_ns)
{
	uint64_t first = freed_log_next(v->map->log), end;
	int err = 0;

	v->walk.as_of = heap_map_sequence(v->map, now_ns);
	heap_map_settle(v->map);
	for (uint32_t slot = 0; slot < v->map->capacity && !err; slot++)
		err = visit_slot(v, slot);
	end = freed_log_next(v->map->log);
	heap_map_settle(v->map);
	return err ? err : visit_freed(v, first, end);
}

int heap_map_visit(struct heap_map *m, uint64_t now_ns, heap_visitor *visit, void *arg,
		   struct heap_walk *walk)
{
	OWNS_MEM uint8_t *seen = calloc(m->capacity / 8 + 1, 1);
	struct visiting v = { .map = m, .visit = visit, .arg = arg, .seen = seen };
	int err;

	if (!seen)
		return -ENOMEM;
	pthread_mutex_lock(&m->walk);
	err = visit_all(&v, now_ns);
	pthread_mutex_unlock(&m->walk);
	*walk = v.walk;
	return err;
}

void heap_map_each(struct heap_map *m, heap_visitor *visit, void *arg)
{
	int err = 0;

	for (uint32_t slot = 0; slot < m->capacity && !err; slot++) {
		uint64_t key = step_load(&m->entries[slot].key);
		struct heap_sample s;

		if (heap_is_occupied(key) && !heap_map_read(m, slot, key, &s))
			err = visit(arg, &s);
	}
}

static bool end_entry(struct heap_map *m, uint32_t slot, uint16_t process, uint64_t now_ns)
{
	_Atomic uint64_t *at = &m->entries[slot].key;
	uint64_t key = step_load(at);
	int err = -EAGAIN;

	while (err == -EAGAIN && key && !heap_is_tombstone(key) && heap_process(key) == process) {
		uint64_t epoch = heap_map_enter(m);

		err = heap_map_end(m, slot, key, heap_map_sequence(m, now_ns), HEAP_MAP_ENDED);
		heap_map_leave(m, epoch);
		key = step_load(at);
	}
	return !err;
}

uint64_t heap_map_drop_process(struct heap_map *m, uint16_t process, uint64_t now_ns)
{
	uint64_t ended = 0;

	pthread_mutex_lock(&m->walk);
	for (uint32_t slot = 0; slot < m->capacity; slot++)
		ended += end_entry(m, slot, process, now_ns);
	pthread_mutex_unlock(&m->walk);
	return ended;
}
