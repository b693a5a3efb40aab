/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_programs - inside of collect/: the programs of bpf/heap.bpf.c, loaded when they are first
 * asked for. A kernel that refuses them has its clock all the same, and nobody who only wants
 * the clock waits for them.
 */
#ifndef SPPROF_HEAP_PROGRAMS_H
#define SPPROF_HEAP_PROGRAMS_H

#include "base/cleanup.h"
#include "spprof_filter.h"

#include <stdint.h>
#include <sys/types.h>

struct bpf_object;
struct collector;
struct heap_bpf;
struct heap_programs;

/* What they share with the others, which outlive them. */
struct heap_programs_of {
	struct bpf_object *maps; /* loaded; has the maps of the same names */
	uint32_t pidns;
	uint32_t stack_depth;
	int cpu_count;
};

struct heap_programs *heap_programs_new(const struct heap_programs_of *of); /* NULL: no memory */
void heap_programs_free(struct heap_programs *p);			    /* NULL is fine */
DEFINE_OWNS(heap_programs);

struct heap_programs *collector_heap_programs(struct collector *c);

/* From any thread: loads them if nobody has yet. NULL and *@err: -ENOTSUP, -EPERM, -ENOMEM. */
struct heap_bpf *heap_programs_load(struct heap_programs *p, int *err);
/* From any thread: NULL if nobody has loaded them. */
struct heap_bpf *heap_programs_loaded(struct heap_programs *p);
int heap_programs_cpu_count(const struct heap_programs *p);

/* The kernel's filter of frees, as user space sees it: in one thread. NULL: not loaded. */
struct heap_filter {
	struct sp_filter *sides; /* SP_FILTER_SIDES of them */
	uint64_t kept;		 /* entries that it was made of */
	uint64_t added;		 /* since then */
};
struct heap_filter *heap_programs_filter(struct heap_programs *p);

/* A sample has arrived: for what a filter that is being made again may have missed. */
void heap_filter_note(struct heap_filter *f, pid_t pid, uint64_t address);
void heap_filter_set(struct sp_filter *side, pid_t pid, uint64_t address);

#endif
