/* SPDX-License-Identifier: Apache-2.0 */
/* heap_freed - the samples of a session whose frees nobody saw, and whose blocks are free. */
#ifndef SPPROF_HEAP_FREED_H
#define SPPROF_HEAP_FREED_H

#include "daemon/heap_model.h"
#include "resolve/heap_liveness.h"

/* Zeroed memory has none. */
struct heap_freed {
	struct heap_block *blocks; /* by address; those that are not free, too */
	size_t count, room;
	bool is_known; /* the process's books were read */
};

void heap_freed_fini(struct heap_freed *f);

/*
 * Fills *@out, which is empty before, with the samples of the session's objects, and looks in
 * @target which of them are free. What cannot be looked up is not known, and is no error. The
 * worker's thread. 0 or -ENOMEM, and *@out is empty.
 */
int heap_freed_find(struct heap_model *m, const struct heap_ids *ids,
		    const struct heap_scan_target *target, struct heap_freed *out);

/* Whether it is known that @s is free. */
bool heap_freed_has(const struct heap_freed *f, const struct heap_sample *s);

#endif
