/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_map.h"
#include "heap/heap_map_parts.h"

#include <errno.h>
#include <sys/mman.h>

/* The pages come as they are touched: a map of few samples is small. */
static size_t entries_bytes(const struct heap_map *m)
{
	return (size_t)m->capacity * sizeof(*m->entries);
}

struct heap_map *heap_map_new(uint32_t capacity, struct freed_log *log)
{
	OWNS(heap_map) struct heap_map *m = aligned_alloc(64, sizeof(*m));
	void *entries;

	if (!m)
		return NULL;
	*m = (struct heap_map){ .capacity = capacity, .log = log };
	pthread_mutex_init(&m->walk, NULL);
	entries = mmap(NULL, entries_bytes(m), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (entries == MAP_FAILED)
		return NULL;
	m->entries = entries;
	return TAKE(m);
}

void heap_map_free(struct heap_map *m)
{
	if (!m)
		return;
	if (m->entries)
		munmap(m->entries, entries_bytes(m));
	pthread_mutex_destroy(&m->walk);
	free(m);
}

/* 0 for what no allocator gives. */
static uint64_t identity_of(uint16_t process, uint64_t address)
{
	return address & ~HEAP_ADDRESS_MASK ? 0 : address ? (uint64_t)process << 48 | address : 0;
}

uint64_t heap_map_sequence(struct heap_map *m, uint64_t now_ns)
{
	uint64_t last, next;

	do {
		last = step_load(&m->sequence);
		next = now_ns > last ? now_ns : last + 1;
	} while (!step_swap(&m->sequence, last, next));
	return next;
}

uint64_t heap_map_enter(struct heap_map *m)
{
	for (;;) {
		uint64_t epoch = step_load_ordered(&m->epoch);

		step_add(&m->busy[epoch & 1], 1);
		if (step_load_ordered(&m->epoch) == epoch)
			return epoch;
		step_add(&m->busy[epoch & 1], -1);
	}
}

void heap_map_leave(struct heap_map *m, uint64_t epoch)
{
	step_add(&m->busy[epoch & 1], -1);
}

void heap_map_settle(struct heap_map *m)
{
	uint64_t epoch = step_add(&m->epoch, 1);

	while (step_load_ordered(&m->busy[epoch & 1]))
		HEAP_WAIT();
}

int heap_map_read(struct heap_map *m, uint32_t slot, uint64_t key, struct heap_sample *s)
{
	struct heap_entry *e = &m->entries[slot];
	uint64_t stamp = step_load(&e->stamp);

	*s = (struct heap_sample){
		.address = key & HEAP_ADDRESS_MASK,
		.size = step_load(&e->size),
		.birth = stamp / HEAP_GENERATIONS,
		.stack = step_load(&e->stack),
		.rate = step_load(&e->rate),
		.process = heap_process(key),
	};
	return step_load(&e->key) == key && step_load(&e->stamp) == stamp ? 0 : -ENOENT;
}

static int end_reserved(struct heap_map *m, uint32_t slot, uint64_t key)
{
	if (!step_swap(&m->entries[slot].key, key, heap_tombstone_of(key)))
		return -EAGAIN;
	heap_count(m, HEAP_MAP_DEATHS_DURING_BIRTH);
	return -ECANCELED;
}

int heap_map_end(struct heap_map *m, uint32_t slot, uint64_t key, uint64_t death,
		 enum heap_map_count reason)
{
	struct freed_row row = { .death = death, .slot = slot };
	bool is_told = reason != HEAP_MAP_ENDED; /* those a walk ends, and no other one sees */
	uint64_t ticket = 0;
	bool won;

	if (heap_is_reserved(key))
		return end_reserved(m, slot, key);
	if (heap_map_read(m, slot, key, &row.sample))
		return -EAGAIN;
	if (row.sample.birth > death)
		return -ESTALE;
	if (is_told)
		ticket = freed_log_tell(m->log, &row);
	won = step_swap(&m->entries[slot].key, key, heap_tombstone_of(key));
	if (is_told)
		freed_log_settle(m->log, ticket, won ? FREED_ROW : FREED_NOT);
	if (won)
		heap_count(m, reason);
	return won ? 0 : -EAGAIN;
}

/* Where a reservation may go, and what is there. */
struct room {
	bool found;
	uint32_t slot;
	uint64_t key, generation;
};

/* A dead one's place is free once its publisher has written all that it was to write. */
static void consider(struct heap_map *m, uint32_t slot, uint64_t key, struct room *room)
{
	uint64_t written;

	if (room->found || (key && !heap_is_tombstone(key)))
		return;
	written = step_load(&m->entries[slot].stamp) % HEAP_GENERATIONS;
	if (key && written != heap_generation(key))
		return;
	*room = (struct room){ true, slot, key, (written + 1) % HEAP_GENERATIONS };
}

/* The key in @slot, when nothing is left of what was there under @identity. */
static uint64_t without_older(struct heap_map *m, uint32_t slot, uint64_t identity, uint64_t now_ns)
{
	uint64_t key = step_load(&m->entries[slot].key);

	while ((key & HEAP_IDENTITY) == identity) {
		uint64_t epoch = heap_map_enter(m);

		heap_map_end(m, slot, key, heap_map_sequence(m, now_ns), HEAP_MAP_MISSED_FREES);
		heap_map_leave(m, epoch);
		key = step_load(&m->entries[slot].key);
	}
	return key;
}

static struct room room_for(struct heap_map *m, uint64_t identity, uint64_t now_ns)
{
	uint32_t home = heap_home(m, identity);
	struct room room = { 0 };

	for (uint32_t i = 0; i < heap_probes(m); i++) {
		uint32_t slot = heap_slot(m, home, i);
		uint64_t key = without_older(m, slot, identity, now_ns);

		consider(m, slot, key, &room);
		if (key == HEAP_EMPTY)
			break;
	}
	return room;
}

int heap_map_reserve(struct heap_map *m, uint16_t process, uint64_t address, uint64_t now_ns,
		     struct heap_place *place)
{
	uint64_t identity = identity_of(process, address), key;
	struct room room;

	heap_count(m, HEAP_MAP_SAMPLES);
	if (!identity) {
		heap_count(m, HEAP_MAP_REFUSED);
		return -EINVAL;
	}
	do {
		room = room_for(m, identity, now_ns);
		if (!room.found) {
			heap_count(m, HEAP_MAP_FULL_DROPS);
			return -ENOSPC;
		}
		key = identity | room.generation << 1 | HEAP_RESERVED;
	} while (!step_swap(&m->entries[room.slot].key, room.key, key));
	if (room.key)
		heap_count(m, HEAP_MAP_TOMBSTONES_RECYCLED);
	if (room.slot != heap_slot(m, heap_home(m, identity), 0))
		heap_count(m, HEAP_MAP_COLLISIONS);
	*place = (struct heap_place){ room.slot, key, heap_map_sequence(m, now_ns) };
	return 0;
}

int heap_map_publish(struct heap_map *m, const struct heap_place *place, uint64_t size,
		     uint32_t rate, uint32_t stack)
{
	struct heap_entry *e = &m->entries[place->slot];

	step_store(&e->size, size);
	step_store(&e->rate, rate);
	step_store(&e->stack, stack);
	step_store(&e->stamp, heap_stamp(place->birth, place->key));
	if (!step_swap(&e->key, place->key, place->key & ~HEAP_RESERVED))
		return -ECANCELED;
	heap_count(m, HEAP_MAP_INSERTIONS);
	return 0;
}

static int end_of(struct heap_map *m, uint64_t identity, uint64_t death)
{
	uint32_t home = heap_home(m, identity);

	for (uint32_t i = 0; i < heap_probes(m); i++) {
		uint32_t slot = heap_slot(m, home, i);
		uint64_t key = step_load(&m->entries[slot].key);
		int err = -EAGAIN;

		while ((key & HEAP_IDENTITY) == identity && err == -EAGAIN) {
			err = heap_map_end(m, slot, key, death, HEAP_MAP_FREES);
			if (err == -EAGAIN)
				key = step_load(&m->entries[slot].key);
		}
		if (err != -EAGAIN || key == HEAP_EMPTY)
			return err == -EAGAIN ? -ENOENT : err;
	}
	return -ENOENT;
}

int heap_map_remove(struct heap_map *m, uint16_t process, uint64_t address, uint64_t now_ns)
{
	uint64_t identity = identity_of(process, address);
	uint64_t epoch = heap_map_enter(m);
	uint64_t death = heap_map_sequence(m, now_ns);
	int err = identity ? end_of(m, identity, death) : -ENOENT;

	heap_map_leave(m, epoch);
	if (err == -ESTALE)
		heap_count(m, HEAP_MAP_ZOMBIE_FREES);
	else if (err == -ENOENT)
		heap_count(m, HEAP_MAP_UNKNOWN_FREES);
	return err;
}

int heap_map_find(struct heap_map *m, uint16_t process, uint64_t address, struct heap_sample *s)
{
	uint64_t identity = identity_of(process, address);
	uint32_t home = heap_home(m, identity);

	for (uint32_t i = 0; identity && i < heap_probes(m); i++) {
		uint32_t slot = heap_slot(m, home, i);
		uint64_t key = step_load(&m->entries[slot].key);

		if (key == HEAP_EMPTY)
			break;
		if ((key & HEAP_IDENTITY) == identity && heap_is_occupied(key) &&
		    !heap_map_read(m, slot, key, s))
			return 0;
	}
	return -ENOENT;
}

struct heap_map_counts heap_map_counts(const struct heap_map *m)
{
	struct heap_map_counts c;

	/* What ends first, then what begins: nothing has ended that has not begun. */
	for (int i = HEAP_MAP_COUNT_MAX - 1; i >= 0; i--)
		c.of[i] = atomic_load_explicit(&m->count[i], memory_order_relaxed);
	return c;
}

uint64_t heap_map_freed(const struct heap_map_counts *c)
{
	return c->of[HEAP_MAP_FREES] + c->of[HEAP_MAP_MISSED_FREES] + c->of[HEAP_MAP_ENDED];
}

uint64_t heap_map_lost(const struct heap_map_counts *c)
{
	return c->of[HEAP_MAP_FULL_DROPS] + c->of[HEAP_MAP_REFUSED] +
	       c->of[HEAP_MAP_DEATHS_DURING_BIRTH];
}

uint64_t heap_map_live(const struct heap_map_counts *c)
{
	uint64_t ended = heap_map_freed(c);

	return c->of[HEAP_MAP_INSERTIONS] > ended ? c->of[HEAP_MAP_INSERTIONS] - ended : 0;
}

uint32_t heap_map_capacity(const struct heap_map *m)
{
	return m->capacity;
}
