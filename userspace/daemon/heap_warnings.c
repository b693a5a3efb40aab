/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_warnings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define CONSISTENT_ENOUGH 0.99 /* what a busy process shows; below, counts may be off by 1 % */

struct warnings {
	json_t *rows;
	bool is_failed;
};

static void warn(struct warnings *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct warnings *w, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	w->is_failed |= json_array_append_new(w->rows, json_string(text)) != 0;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void warn_of_allocator(struct warnings *w, const struct allocator *a)
{
	if (a->has_debug_hooks)
		warn(w, "debug hooks are on (PYTHONMALLOC=debug or -X dev): every block is larger "
			"than the program asked for, and so are the bytes told here");
	if (a->is_traced)
		warn(w, "tracemalloc is on: its own records are memory of the process too");
	else if (a->is_hooked)
		warn(w, "something stands before the allocator (a memory profiler?): what it keeps "
			"for itself is memory of the process too");
	if (a->heaps_left_out)
		warn(w,
		     "%u interpreter%s left out: there is room for %d that have a heap of their "
		     "own",
		     a->heaps_left_out, a->heaps_left_out == 1 ? " is" : "s are",
		     ALLOCATOR_MOST_HEAPS);
}

static void warn_of_books(struct warnings *w, const struct heap_census *c)
{
	double consistency = heap_census_consistency(c);

	if (consistency < CONSISTENT_ENOUGH)
		warn(w, "the heap changed while it was read: %.1f %% of it is as of one moment",
		     100 * consistency);
	if (c->pools_unreadable)
		warn(w,
		     "%" PRIu64 " pool%s could not be read: given back while the scan went on, "
		     "or swapped out",
		     c->pools_unreadable, plural(c->pools_unreadable));
	if (c->pools_damaged)
		warn(w,
		     "%" PRIu64 " pool%s left out: the allocator's own books of %s contradict "
		     "themselves",
		     c->pools_damaged, c->pools_damaged == 1 ? " is" : "s are",
		     c->pools_damaged == 1 ? "it" : "them");
}

static void warn_of_types(struct warnings *w, const struct heap_census *c)
{
	if (c->other_types_objects)
		warn(w,
		     "%" PRIu64 " object%s of other types, which are told as a sum: more than "
		     "%d types were met",
		     c->other_types_objects, c->other_types_objects == 1 ? " is" : "s are",
		     HEAP_CENSUS_MOST_TYPES);
	if (c->large_left_out)
		warn(w,
		     "%" PRIu64 " large object%s outside of the arenas %s not looked at: there "
		     "are too many",
		     c->large_left_out, plural(c->large_left_out),
		     c->large_left_out == 1 ? "was" : "were");
	if (c->types_unreadable)
		warn(w, "%" PRIu64 " object%s a type that could not be read", c->types_unreadable,
		     c->types_unreadable == 1 ? " has" : "s have");
}

json_t *heap_warnings(const struct heap_facts *f)
{
	struct warnings w = { .rows = json_array() };

	warn_of_allocator(&w, f->allocator);
	warn_of_books(&w, f->census);
	warn_of_types(&w, f->census);
	if (!w.is_failed)
		return w.rows;
	json_decref(w.rows);
	return NULL;
}
