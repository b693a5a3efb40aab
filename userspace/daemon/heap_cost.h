/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_cost - what a hit of a probe costs on this machine, measured on functions of the daemon's
 * own. In the worker's thread.
 */
#ifndef SPPROF_HEAP_COST_H
#define SPPROF_HEAP_COST_H

#include "daemon/heap_overhead.h"

#include <stdint.h>

#define HEAP_COST_LINKS 3

struct collector;
struct heap_link;

/*
 * Takes some 10 ms, and the counters of @session. 0 and *@out; else as heap_link_new(). The probes
 * stay in @left, where nobody hits them any more: taking them out is what takes long.
 */
int heap_cost_measure(struct collector *c, int opener, uint32_t session, struct heap_costs *out,
		      struct heap_link *left[HEAP_COST_LINKS]);

#endif
