/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate_from_new_pool() has a name in few files only, but the allocator's functions call it:
 * directly, or a function that they call does. It is recognised by its code.
 */
#include "resolve/heap_sites_parts.h"

#include "native/refill_code.h"

#include <errno.h>

#define MOST_FUNCTIONS 64 /* that are looked at */
#define MOST_CALLS 32	  /* of one of them */
#define MOST_STEPS 3	  /* from the allocator's functions to it */

/* Functions to look at, in the order in which they were met. */
struct queue {
	uint64_t functions[MOST_FUNCTIONS];
	size_t count;
};

static void enqueue(struct queue *q, uint64_t function)
{
	for (size_t i = 0; i < q->count; i++)
		if (q->functions[i] == function)
			return;
	if (q->count < MOST_FUNCTIONS)
		q->functions[q->count++] = function;
}

/* Takes @function if it is one that takes a new pool; else enqueues what it calls. */
static int look_at(struct heap_sites_search *s, struct queue *q, uint64_t function,
		   struct heap_refills *out)
{
	struct heap_function f = { .name = "allocate_from_new_pool",
				   .address = function,
				   .what = { .kind = SP_PROBE_REFILL,
					     .domain = SP_DOMAIN_OBJECT } };
	OWNS_MEM uint8_t *code = NULL;
	uint64_t calls[MOST_CALLS];
	int err = heap_sites_read_code(s, &f, &code, &f.bytes), count;

	if (err)
		return err;
	count = refill_code_argument(code, f.bytes, function);
	if (count > 0 && out->count < HEAP_REFILLS_MOST) {
		f.what.size = count;
		out->functions[out->count++] = f;
	}
	if (count == -ENOENT)
		count = refill_code_calls(code, f.bytes, function, calls, MOST_CALLS);
	else if (count > 0)
		count = 0;
	for (int i = 0; i < count; i++)
		enqueue(q, calls[i]);
	return count < 0 ? count : 0;
}

int heap_sites_find_refills(struct heap_sites_search *s, struct heap_refills *out)
{
	const struct allocator_table *table = &s->chains[ALLOCATOR_OBJ].last;
	struct queue q = { .count = 0 };
	size_t i = 0;
	int err = 0;

	*out = (struct heap_refills){ .count = 0 };
	for (int function = 0; function < 3; function++) /* all but free */
		enqueue(&q, table->functions[function]);
	for (int step = 0; !err && step < MOST_STEPS && !out->count; step++) {
		size_t end = q.count; /* there may be several: variants of one function */

		for (; !err && i < end; i++) {
			err = look_at(s, &q, q.functions[i], out);
			if (step && err == -ENOTSUP)
				err = 0; /* a stub that calls into another file */
		}
	}
	return err;
}

int heap_sites_add_refills(struct heap_sites_search *s)
{
	struct heap_refills refills;
	int err = heap_sites_find_refills(s, &refills);

	for (size_t i = 0; !err && i < refills.count; i++)
		err = heap_sites_add(s, &refills.functions[i]);
	s->out->has_refill = !err && refills.count;
	if (!err && !refills.count)
		*s->why = "this build of Python takes new pools in no function of its own";
	return err;
}
