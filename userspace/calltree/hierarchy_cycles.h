/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hierarchy_cycles - which functions call each other in a circle.
 *
 * Only below such a function can it be called again, by another: where its own name ends a
 * chain, but perf has cut what is deeper, that chain looks whole without being it.
 */
#ifndef SPPROF_CALLTREE_HIERARCHY_CYCLES_H
#define SPPROF_CALLTREE_HIERARCHY_CYCLES_H

#include <stdint.h>

/* Of functions by number, who calls whom. */
struct hierarchy_calls {
	uint32_t *callers, *callees; /* a pair a call */
	uint32_t count, room;
};

void hierarchy_calls_fini(struct hierarchy_calls *calls);
int hierarchy_calls_add(struct hierarchy_calls *calls, uint32_t caller, uint32_t callee);

/*
 * The circle that each of @count functions is in, as a number that is equal for all that can
 * reach each other; the caller frees it. NULL: out of memory.
 */
uint32_t *hierarchy_cycles(const struct hierarchy_calls *calls, uint32_t count);

static inline void hierarchy_calls_cleanup(struct hierarchy_calls *calls)
{
	hierarchy_calls_fini(calls);
}

#endif
