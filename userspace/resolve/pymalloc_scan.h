/* SPDX-License-Identifier: Apache-2.0 */
/* pymalloc_scan - heap_scan() of a process whose allocator is pymalloc. */
#ifndef SPPROF_PYMALLOC_SCAN_H
#define SPPROF_PYMALLOC_SCAN_H

#include "resolve/heap_scan.h"
#include "resolve/heap_tally.h"

/*
 * Tells @tally of every live block, and fills in @out what is known of pools, sizes and arenas;
 * its types are the tally's, which the caller finishes. 0; -EAGAIN as heap_scan(); -ECANCELED,
 * -ESRCH, -EPERM, -ENOMEM.
 */
int pymalloc_scan(const struct heap_scan_target *t, const struct target_reader *memory,
		  struct heap_tally *tally, struct heap_census *out);

#endif
