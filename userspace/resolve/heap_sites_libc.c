/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of the file whose malloc() the program calls: the C library, or an allocator that was preloaded
 * or linked in its place, which has functions of its own beside.
 */
#include "resolve/heap_sites_parts.h"

#include "resolve/link_order.h"

#include <errno.h>

/* Names of C++ as its ABI writes them: operator new, new[], delete and delete[]. */
static const struct {
	const char *name;
	uint8_t kind, size;
	bool is_anywhere; /* if that file has it not, another one's is called */
	bool is_rare;	  /* growth leaves it out: taking out a probe takes the kernel 0.1 s */
} functions[] = {
	{ "malloc", SP_PROBE_MALLOC, 1, true, false },
	{ "calloc", SP_PROBE_CALLOC, 1, true, false },
	{ "realloc", SP_PROBE_REALLOC, 2, true, false },
	{ "free", SP_PROBE_FREE, 1, true, false },
	{ "posix_memalign", SP_PROBE_POSIX_MEMALIGN, 3, true, true },
	{ "aligned_alloc", SP_PROBE_MALLOC, 2, true, true },
	{ "memalign", SP_PROBE_MALLOC, 2, true, true },
	{ "_Znwm", SP_PROBE_MALLOC, 1, false, false },
	{ "_Znam", SP_PROBE_MALLOC, 1, false, false },
	{ "_ZdlPv", SP_PROBE_FREE, 1, false, false },
	{ "_ZdaPv", SP_PROBE_FREE, 1, false, false },
	{ "_ZdlPvm", SP_PROBE_FREE, 1, false, false },
	{ "_ZdaPvm", SP_PROBE_FREE, 1, false, false },
};

/* What is not seen if a function has no site for the reason @why. */
static const char *why_not(const char *why)
{
	return why == heap_sites_gone
		       ? "the C library's file was deleted or replaced on disk: what is allocated "
			 "there, as all larger blocks are, is not seen"
		       : "one of the C library's functions has no place for a probe: what it "
			 "allocates is not seen";
}

static int add(struct heap_sites_search *s, const struct exports *x, size_t i)
{
	struct heap_function f = {
		.name = functions[i].name,
		.what = { .kind = functions[i].kind,
			  .size = functions[i].size,
			  .domain = SP_DOMAIN_LIBC },
	};
	struct exports other;
	int err = exports_find(x, f.name, &f.address, &f.bytes);

	if (err == -ENOENT && functions[i].is_anywhere)
		err = link_order_find(&s->memory, &s->code, f.name, &other);
	if (!err && !f.address)
		err = exports_find(&other, f.name, &f.address, &f.bytes);
	if (err)
		return err == -ENOENT || err == -EFAULT ? 0 : err;
	err = heap_sites_add(s, &f);
	if (err == -ENOTSUP && !s->out->without)
		s->out->without = why_not(*s->why);
	return err == -ENOTSUP ? 0 : err;
}

int heap_sites_add_libc(struct heap_sites_search *s, enum heap_tier tier)
{
	const char *why = *s->why; /* there is no refill: what happens here is no reason for it */
	struct exports x;
	int err = link_order_find(&s->memory, &s->code, "malloc", &x);

	if (err == -ENOENT) {
		if (!s->out->without)
			s->out->without = "it is linked statically: the C library's functions "
					  "have no names, and larger blocks are not seen";
		return 0;
	}
	for (size_t i = 0; !err && i < sizeof(functions) / sizeof(functions[0]); i++)
		if (tier == HEAP_TIER_TRACE || !functions[i].is_rare)
			err = add(s, &x, i);
	*s->why = why;
	return err;
}
