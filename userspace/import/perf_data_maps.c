/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_data_maps.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_MAPS (1u << 30)

void perf_maps_fini(struct perf_maps *m)
{
	free(m->rows);
	free(m->places);
	free(m->first);
	free(m->lists);
}

int perf_maps_add(struct perf_maps *m, const struct perf_map *map)
{
	if (map->start >= map->end || m->count == MOST_MAPS)
		return 0;
	if (m->count == m->room) {
		uint32_t room = m->room ? 2 * m->room : 64;
		struct perf_map *grown = reallocarray(m->rows, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		m->rows = grown;
		m->room = room;
	}
	m->rows[m->count++] = *map;
	return 0;
}

static bool is_before(const struct perf_place *a, const struct perf_place *b)
{
	return a->space < b->space || (a->space == b->space && a->address < b->address);
}

static int compare_places(const void *left, const void *right)
{
	const struct perf_place *a = left, *b = right;

	return is_before(b, a) - is_before(a, b);
}

/* How many places are not behind @address of @space. */
static uint32_t count_places(const struct perf_maps *m, uint32_t space, uint64_t address)
{
	const struct perf_place wanted = { address, space };
	uint32_t low = 0, high = m->place_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (is_before(&wanted, &m->places[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int list_places(struct perf_maps *m)
{
	uint32_t kept = 0, count = 0;

	m->places = reallocarray(NULL, 2 * (size_t)m->count + 1, sizeof(*m->places));
	if (!m->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->count; i++) {
		const struct perf_map *map = &m->rows[i];

		m->places[count++] = (struct perf_place){ map->start, map->space };
		m->places[count++] = (struct perf_place){ map->end, map->space };
	}
	qsort(m->places, count, sizeof(*m->places), compare_places);
	for (uint32_t i = 0; i < count; i++)
		if (!i || compare_places(&m->places[i], &m->places[kept - 1]))
			m->places[kept++] = m->places[i];
	m->place_count = kept;
	return 0;
}

/* Nodes that together are the leaves from @low to before @high; 2 a level at
 * most. */
static int find_nodes(size_t low, size_t high, size_t leaves, size_t nodes[128])
{
	int count = 0;

	for (low += leaves, high += leaves; low < high; low /= 2, high /= 2) {
		if (low & 1)
			nodes[count++] = low++;
		if (high & 1)
			nodes[count++] = --high;
	}
	return count;
}

static int nodes_of(const struct perf_maps *m, const struct perf_map *map, size_t nodes[128])
{
	return find_nodes(count_places(m, map->space, map->start) - 1,
			  count_places(m, map->space, map->end) - 1, m->place_count, nodes);
}

int perf_maps_index(struct perf_maps *m)
{
	size_t nodes[128], node_count;
	int err = list_places(m);

	if (err)
		return err;
	node_count = 2 * (size_t)m->place_count;
	m->first = calloc(node_count + 2, sizeof(*m->first));
	if (!m->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->count; i++)
		for (int n = nodes_of(m, &m->rows[i], nodes); n-- > 0;)
			m->first[nodes[n] + 2]++;
	for (size_t i = 2; i < node_count + 2; i++)
		m->first[i] += m->first[i - 1];
	m->lists = reallocarray(NULL, m->first[node_count + 1] + 1, sizeof(*m->lists));
	if (!m->lists)
		return -ENOMEM;
	/* Each first[n + 1] moves up from where list n begins to where it ends. */
	for (uint32_t i = 0; i < m->count; i++)
		for (int n = nodes_of(m, &m->rows[i], nodes); n-- > 0;)
			m->lists[m->first[nodes[n] + 1]++] = i;
	return 0;
}

/* How many of the @count maps at @list come before map @limit. */
static size_t count_before(const uint32_t *list, size_t count, uint32_t limit)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle] < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many maps are made no later than @time. */
static uint32_t count_made(const struct perf_maps *m, uint64_t time)
{
	uint32_t low = 0, high = m->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->rows[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct perf_map *perf_maps_find(const struct perf_maps *m, uint32_t space, uint64_t address,
				uint64_t time, uint64_t *end)
{
	uint32_t limit = count_made(m, time), next = UINT32_MAX, found = UINT32_MAX;
	uint32_t place = count_places(m, space, address);

	*end = UINT64_MAX;
	if (!place || m->places[place - 1].space != space)
		return NULL;
	for (size_t node = (size_t)m->place_count + place - 1; node; node /= 2) {
		const uint32_t *list = m->lists + m->first[node];
		size_t count = m->first[node + 1] - m->first[node];
		size_t before = count_before(list, count, limit);

		if (before && (found == UINT32_MAX || list[before - 1] > found))
			found = list[before - 1];
		if (before < count && list[before] < next)
			next = list[before];
	}
	if (next != UINT32_MAX)
		*end = m->rows[next].time;
	return found == UINT32_MAX ? NULL : &m->rows[found];
}
