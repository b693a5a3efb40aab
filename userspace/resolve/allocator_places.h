/* SPDX-License-Identifier: Apache-2.0 */
/* allocator_places - where a process has code, and where its Python's variables are. */
#ifndef SPPROF_ALLOCATOR_PLACES_H
#define SPPROF_ALLOCATOR_PLACES_H

#include "base/procfs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACES_MOST_DATA 8		  /* parts of a file that have variables */
#define PLACES_MOST_DATA_BYTES (8u << 20) /* of each; the parts behind hold none of interest */
#define PLACES_MOST_CODE 4096

struct place {
	uint64_t start, end;
};

/* The Python's file is the one that _PyRuntime is a variable of. */
struct allocator_places {
	uint64_t runtime;
	uint64_t base, end; /* of what is mapped of that file; count only if has_runtime */
	bool has_runtime;
	struct place data[PLACES_MOST_DATA]; /* of that file, the lowest first */
	size_t data_count;
	struct place *code; /* of all files and of none */
	size_t code_count, code_room;
	size_t own_code, own_code_end; /* those of that file */

	/* While they are collected: the last part of a file that may be the Python's. */
	struct proc_mapping last;
	bool is_open;
};

/*
 * For proc_each_mapping(), which gives the mappings in order: @places is a struct
 * allocator_places that is zeroed but for the runtime. 0 or -ENOMEM.
 */
int allocator_places_take(const struct proc_mapping *m, void *places);

void allocator_places_fini(struct allocator_places *p);
static inline void allocator_places_cleanup(struct allocator_places *p)
{
	allocator_places_fini(p);
}

/* Whether @address may be code; the Python's own. */
bool allocator_places_is_code(const struct allocator_places *p, uint64_t address);
bool allocator_places_is_own_code(const struct allocator_places *p, uint64_t address);

/* Whether it is in the Python's file, or among its variables. */
bool allocator_places_is_own(const struct allocator_places *p, uint64_t address);

#endif
