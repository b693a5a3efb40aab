/* SPDX-License-Identifier: Apache-2.0 */
/* heap_sites_parts - what one search for sites works with, for the files of heap_sites. */
#ifndef SPPROF_HEAP_SITES_PARTS_H
#define SPPROF_HEAP_SITES_PARTS_H

#include "resolve/allocator_tables.h"
#include "resolve/code_map.h"
#include "resolve/heap_sites.h"
#include "resolve/target_memory.h"
#include "spprof_event.h"

struct heap_sites_search {
	pid_t pid;
	struct target_reader memory;
	struct code_map code;
	const struct interpreter *in;
	struct allocator_chain chains[ALLOCATOR_DOMAINS];
	enum {
		OBJECTS_OF_PYMALLOC,
		OBJECTS_OF_MIMALLOC,
		OBJECTS_OF_LIBC,
		OBJECTS_OF_OTHERS,
	} objects;
	struct heap_sites *out;
	const struct code_mapping *files[HEAP_SITES_MOST_FILES]; /* of out->files */
	const char **why;
};

/* A function that is to have a probe. */
struct heap_function {
	const char *name;
	uint64_t address;
	uint64_t bytes; /* 0: as its file says */
	struct sp_probe what;
};

/*
 * Adds its site, once. 0; -ENOTSUP and *s->why: it cannot have one; -ESRCH, -EPERM, -ENOMEM, and
 * what else opening a file says.
 */
int heap_sites_add(struct heap_sites_search *s, const struct heap_function *f);

/* What heap_sites_add() says of a file that is no longer where it was. */
extern const char heap_sites_gone[];

/*
 * The instructions of the function at f->address, from its file: what is in memory may have
 * breakpoints. 0, *@bytes and *@code, to be freed; as heap_sites_add().
 */
int heap_sites_read_code(struct heap_sites_search *s, const struct heap_function *f, uint8_t **code,
			 size_t *bytes);

/* The functions of the domains of objects and of what belongs to them. As heap_sites_add(). */
int heap_sites_add_objects(struct heap_sites_search *s);

#define HEAP_REFILLS_MOST 4

/* The functions that take a new pool: one, or variants of it. */
struct heap_refills {
	struct heap_function functions[HEAP_REFILLS_MOST];
	size_t count; /* 0: this build has none */
};

/* 0 and *@out; as heap_sites_add(). */
int heap_sites_find_refills(struct heap_sites_search *s, struct heap_refills *out);

/* Adds them. As heap_sites_add(). */
int heap_sites_add_refills(struct heap_sites_search *s);

/* Says in s->out->without if others than the allocator's functions call them. 0 or -errno. */
int heap_sites_note_callers(struct heap_sites_search *s);

/* The C library's. As heap_sites_add(). */
int heap_sites_add_libc(struct heap_sites_search *s, enum heap_tier tier);

#endif
