/* SPDX-License-Identifier: Apache-2.0 */
/* Records of allocators' probes as the kernel sends them, and a process that made them. */
#ifndef SPPROF_TESTS_ALLOCATIONS_H
#define SPPROF_TESTS_ALLOCATIONS_H

#include "daemon/heap_tracker.h"

/* A process whose code object 16 * N is the function "fN" of app.py, with line N. */
struct process *a_program(pid_t pid, uint32_t functions);

/*
 * An allocation of session @n whose stack is @lines, newest first, ended by 0. Valid until the
 * next call; it may be changed.
 */
struct sp_alloc *an_allocation(uint32_t n, uint64_t address, uint64_t size, const uint32_t *lines);

struct sp_free *a_free(uint32_t n, uint64_t address, uint64_t time_ns);

/* Tells @t of it as the daemon does, as one of @p. */
void tell_allocation(struct heap_tracker *t, const struct sp_alloc *a, struct process *p);
void tell_refill(struct heap_tracker *t, const struct sp_alloc *a, struct process *p);

/* What is known of session @n, after a scan that found @census (NULL: none), as a page. */
json_t *a_page(struct heap_tracker *t, uint32_t n, uint64_t now_ns,
	       const struct heap_census *census);

#endif
