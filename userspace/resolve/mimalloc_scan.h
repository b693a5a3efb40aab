/* SPDX-License-Identifier: Apache-2.0 */
/* mimalloc_scan - heap_scan() of a process whose allocator is mimalloc. */
#ifndef SPPROF_MIMALLOC_SCAN_H
#define SPPROF_MIMALLOC_SCAN_H

#include "resolve/heap_scan.h"
#include "resolve/heap_tally.h"

/*
 * Tells @tally of every live block, and fills in @out what is known of pages, sizes and segments;
 * its types are the tally's, which the caller finishes. 0; -ENOTSUP and *@why, as heap_scan();
 * -ECANCELED, -ESRCH, -EPERM, -ENOMEM.
 */
int mimalloc_scan(const struct heap_scan_target *t, struct heap_tally *tally,
		  struct heap_census *out, const char **why);

#endif
