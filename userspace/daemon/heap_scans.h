/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_scans - what the scans of a session's process say of its growth: by size class, and by how
 * much the whole changed. One thread.
 */
#ifndef SPPROF_HEAP_SCANS_H
#define SPPROF_HEAP_SCANS_H

#include "daemon/heap_live.h"
#include "heap/growth.h"
#include "resolve/heap_census.h"

/* Zeroed memory holds nothing. */
struct heap_scans {
	struct growth *growth;
	uint32_t count;
	uint64_t first_ns, last_ns; /* monotonic, when they began */
	uint64_t first_live_bytes, last_live_bytes;
	double first_seen_bytes; /* of these, of the session's samples */
};

int heap_scans_init(struct heap_scans *s); /* 0 or -ENOMEM */
void heap_scans_fini(struct heap_scans *s);

/* Fills *@out, to be freed by heap_scans_fini(). 0 or -ENOMEM, and it holds nothing. */
int heap_scans_copy(const struct heap_scans *s, struct heap_scans *out);

/*
 * A scan that began at @at_ns, and what lived when it was over, whose old blocks are those of
 * before it. One that is older than the last is left out. 0 or -ENOMEM.
 */
int heap_scans_add(struct heap_scans *s, uint64_t at_ns, const struct heap_census *census,
		   const struct heap_live *live);

#endif
