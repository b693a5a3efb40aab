/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions at the end of the chains of hooks, so an allocation is seen once, whatever stands
 * before them. pymalloc passes on what is larger than 512 bytes, so that is the C library's.
 *
 * The raw domain's functions call the C library's, and nothing else, but for free-threaded builds
 * from 3.15 on, where it is mimalloc's, too.
 */
#include "resolve/heap_sites_parts.h"

#include <errno.h>

#define PYMALLOC_MOST 512 /* bytes: SMALL_REQUEST_THRESHOLD */
#define RAW_IS_MIMALLOC 0x030f0000

/* As struct allocator_table has them; argument 1 is its ctx. */
static const struct {
	const char *names[ALLOCATOR_DOMAINS];
	uint8_t kind, size;
} functions[] = {
	{ { "raw malloc", "mem malloc", "object malloc" }, SP_PROBE_MALLOC, 2 },
	{ { "raw calloc", "mem calloc", "object calloc" }, SP_PROBE_CALLOC, 2 },
	{ { "raw realloc", "mem realloc", "object realloc" }, SP_PROBE_REALLOC, 3 },
	{ { "raw free", "mem free", "object free" }, SP_PROBE_FREE, 2 },
};

static int add_domain(struct heap_sites_search *s, int domain)
{
	const struct allocator_table *table = &s->chains[domain].last;
	int err = 0;

	for (int i = 0; !err && i < 4; i++) {
		const struct heap_function f = {
			.name = functions[i].names[domain],
			.address = table->functions[i],
			.what = { .most = s->objects == OBJECTS_OF_PYMALLOC ? PYMALLOC_MOST : 0,
				  .kind = functions[i].kind,
				  .size = functions[i].size,
				  .domain = SP_DOMAIN_OBJECT },
		};

		err = heap_sites_add(s, &f);
	}
	return err;
}

int heap_sites_add_objects(struct heap_sites_search *s)
{
	int err = add_domain(s, ALLOCATOR_OBJ);

	if (!err)
		err = add_domain(s, ALLOCATOR_MEM);
	if (!err && s->in->layout.is_free_threaded && s->in->layout.version >= RAW_IS_MIMALLOC &&
	    s->chains[ALLOCATOR_RAW].is_last_known)
		err = add_domain(s, ALLOCATOR_RAW);
	return err;
}
