/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_maps - which of many maps, each in the place of what it covers, was
 * where when. */
#ifndef SPPROF_PERF_DATA_MAPS_H
#define SPPROF_PERF_DATA_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map {
	uint64_t time;
	uint64_t start, end; /* start < end */
	uint64_t offset;     /* in the file */
	uint32_t space;	     /* whose addresses these are */
	uint32_t path;	     /* string */
	uint32_t build;	     /* number of a build-id plus 1; 0: none */
	int object;	     /* for who asks; -1 at first */
	bool is_symbol;	     /* one function, whose name is the path */
};

/*
 * Places where maps begin or end are the leaves of a tree, and a map is listed
 * at the few nodes whose leaves are all its own: so a search takes the
 * logarithm of the number of maps, whatever they are, and the memory is bounded
 * alike.
 */
struct perf_maps {
	struct perf_map *rows; /* in order of time, once indexed */
	uint32_t count, room;
	struct perf_place {
		uint64_t address;
		uint32_t space;
	} * places; /* in order, distinct */
	uint32_t place_count;
	size_t *first; /* by node: where its list begins */
	uint32_t *lists;
};

void perf_maps_fini(struct perf_maps *m);

/* Adds a map, in order of time: 0 or -ENOMEM. What is empty or too many is not
 * added. */
int perf_maps_add(struct perf_maps *m, const struct perf_map *map);

/* Before the first search: 0 or -ENOMEM. */
int perf_maps_index(struct perf_maps *m);

/*
 * The last map at @address of @space that was made no later than @time, or
 * NULL; *@end is when the next one comes, UINT64_MAX: never.
 */
struct perf_map *perf_maps_find(const struct perf_maps *m, uint32_t space, uint64_t address,
				uint64_t time, uint64_t *end);

#endif
