/* SPDX-License-Identifier: Apache-2.0 */
/* heap_schedule - how often the heap of a process with probes is scanned. Pure. */
#ifndef SPPROF_HEAP_SCHEDULE_H
#define SPPROF_HEAP_SCHEDULE_H

#include <stdint.h>

/*
 * From the end of the @scans-th scan, which took @scan_ns, to the next one. With an end in sight
 * (@seconds from the start) twelve scans or so fit in, else they get rarer with their number. A
 * scan never takes more than a twentieth of the time.
 */
uint64_t heap_schedule_pause_ns(unsigned int seconds, uint64_t scan_ns, unsigned int scans);

#endif
