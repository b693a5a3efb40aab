/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of heap_tally share. */
#ifndef SPPROF_HEAP_TALLY_PARTS_H
#define SPPROF_HEAP_TALLY_PARTS_H

#include "python/object_shape.h"
#include "resolve/heap_large.h"
#include "resolve/heap_ranges.h"
#include "resolve/heap_storage.h"
#include "resolve/heap_tally.h"
#include "resolve/type_table.h"

struct heap_tally {
	struct heap_tally_facts facts;
	struct pynames_layout at;
	struct object_shape shape;
	struct heap_ranges ranges;
	bool is_sealed; /* the ranges are */
	struct type_table types;
	struct heap_storage_tally storage;
	struct heap_large large;
	uint32_t (*in_class)[HEAP_CENSUS_CLASSES]; /* objects of each met type, by size */
	uint32_t in_class_room;			   /* types that there is room for */
	uint64_t live_bytes, object_bytes;	   /* of blocks: all, and objects' */
	uint64_t unused_objects, unused_bytes, unreadable;
};

#endif
