/* SPDX-License-Identifier: Apache-2.0 */
/* Makes places of the heap map empty again that only dead entries had. */
#include "heap/heap_map.h"
#include "heap/heap_map_parts.h"

#include <errno.h>

/* A bit for each place that is passed on the way to an entry. */
static void mark_way(struct heap_map *m, uint32_t to, uint64_t key, uint8_t *passed)
{
	uint32_t home = heap_home(m, key & HEAP_IDENTITY);

	for (uint32_t i = 0; i < heap_probes(m); i++) {
		uint32_t slot = heap_slot(m, home, i);

		if (slot == to)
			break;
		passed[slot / 8] |= 1u << slot % 8;
	}
}

static bool clear(struct heap_map *m, uint32_t slot)
{
	struct heap_entry *e = &m->entries[slot];
	uint64_t key = step_load(&e->key);

	if (!heap_is_tombstone(key) ||
	    step_load(&e->stamp) % HEAP_GENERATIONS != heap_generation(key) ||
	    !step_swap(&e->key, key, HEAP_EMPTY))
		return false;
	heap_count(m, HEAP_MAP_TOMBSTONES_CLEARED);
	return true;
}

int64_t heap_map_compact(struct heap_map *m)
{
	OWNS_MEM uint8_t *passed = calloc(m->capacity / 8 + 1, 1);
	int64_t cleared = 0;

	if (!passed)
		return -ENOMEM;
	pthread_mutex_lock(&m->walk);
	for (uint32_t slot = 0; slot < m->capacity; slot++) {
		uint64_t key = step_load(&m->entries[slot].key);

		if (key && !heap_is_tombstone(key))
			mark_way(m, slot, key, passed);
	}
	for (uint32_t slot = 0; slot < m->capacity; slot++)
		if (!(passed[slot / 8] & 1u << slot % 8))
			cleared += clear(m, slot);
	pthread_mutex_unlock(&m->walk);
	return cleared;
}
