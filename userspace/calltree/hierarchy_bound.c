/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain that was cut can look whole: below the function that it ended in there was another,
 * and below that the same again, which ran. Who was in between lacks it, though it is not in
 * what is lost. How much that is, a column of children tells; without one, it may be all that
 * functions ran which call each other in a circle with this one, but were not called by it.
 */
#include "calltree/hierarchy_bound.h"
#include "calltree/hierarchy_cycles.h"
#include "calltree/hierarchy_walk.h"

#include <errno.h>

/* @name_of: of each string of @p, a function's number; NULL: the string itself is. */
static int add_calls(struct hierarchy_calls *calls, const struct profile *p,
		     const profile_id *name_of)
{
	uint32_t count, ignored;
	const struct profile_stack *stacks = profile_stacks(p, &count);
	const struct profile_frame *frames = profile_frames(p, &ignored);
	const struct profile_function *functions = profile_functions(p, &ignored);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		uint32_t callee = functions[frames[stacks[i].frame].function].name, caller;

		if (stacks[i].prefix == PROFILE_NONE)
			continue;
		caller = functions[frames[stacks[stacks[i].prefix].frame].function].name;
		caller = name_of ? name_of[caller] : caller;
		callee = name_of ? name_of[callee] : callee;
		if (caller != PROFILE_NONE && callee != PROFILE_NONE)
			err = hierarchy_calls_add(calls, caller, callee);
	}
	return err;
}

/* What ran in an entry's circle while the entry was called, and while it was not. */
struct meter {
	const struct hierarchy_walk *walk;
	const uint32_t *circle_of; /* of each string */
	const struct hierarchy_entry *entries;
	int64_t *own;	  /* of each stack: of samples that end there */
	int64_t *ran;	  /* of each circle: on the way so far */
	int64_t *before;  /* of each entry: what that was when it was called */
	int64_t *through; /* of each entry: what ran since, in all calls */
};

static void meter_cleanup(struct meter *m)
{
	free(m->own);
	free(m->ran);
	free(m->before);
	free(m->through);
}

static int meter_init(struct meter *m, const struct hierarchy_parts *parts)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(parts->profile, &count);

	m->own = calloc(m->walk->count + 1ul, sizeof(*m->own));
	m->ran = calloc(profile_string_count(parts->profile), sizeof(*m->ran));
	m->before = calloc(parts->made.entry_count + 1ul, sizeof(*m->before));
	m->through = calloc(parts->made.entry_count + 1ul, sizeof(*m->through));
	if (!m->own || !m->ran || !m->before || !m->through)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (samples[i].stack != PROFILE_NONE && samples[i].weight > 0)
			weight_add(&m->own[samples[i].stack], samples[i].weight);
	return 0;
}

static int64_t *ran_with(struct meter *m, uint32_t entry)
{
	return &m->ran[m->circle_of[m->entries[entry].symbol]];
}

static int enter(void *arg, const struct hierarchy_step *step)
{
	struct meter *m = arg;

	m->before[step->entry] = *ran_with(m, step->entry);
	return 0;
}

static void reach(void *arg, uint32_t stack)
{
	struct meter *m = arg;

	weight_add(&m->ran[m->circle_of[hierarchy_walk_name(m->walk, stack)]], m->own[stack]);
}

static void leave(void *arg, uint32_t entry)
{
	struct meter *m = arg;

	weight_add(&m->through[entry], *ran_with(m, entry) - m->before[entry]);
}

static int find_calls(struct hierarchy_calls *calls, const struct hierarchy_parts *parts,
		      const struct hierarchy_own *own)
{
	int err = add_calls(calls, parts->profile, NULL);

	return err || !own->trees ? err : add_calls(calls, own->trees, own->name_of);
}

/* @hidden: what ran without the entry, and might have been called by it. */
static int64_t most_of(const struct hierarchy_entry *e, const struct hierarchy_column *column,
		       int64_t lost, int64_t hidden)
{
	int64_t most = column->most_children - e->children;

	if (column->most_children < 0)
		most = hidden > INT64_MAX - lost ? INT64_MAX : hidden + lost;
	return most > lost ? most : lost;
}

int hierarchy_bound(const struct hierarchy_parts *parts, const struct hierarchy_own *own,
		    const struct hierarchy_column *columns, int64_t lost, int64_t *most)
{
	OWNS(hierarchy_calls) struct hierarchy_calls calls = { 0 };
	OWNS(hierarchy_walk) struct hierarchy_walk w = { 0 };
	struct meter m __attribute__((cleanup(meter_cleanup))) = { .walk = &w };
	const struct hierarchy_visitor visitor = { enter, reach, leave, &m };
	int err = find_calls(&calls, parts, own);

	if (err)
		return err;
	OWNS_MEM uint32_t *circle_of =
		hierarchy_cycles(&calls, profile_string_count(parts->profile));

	err = circle_of ? hierarchy_walk_init(&w, parts->profile, 0) : -ENOMEM;
	m.circle_of = circle_of;
	m.entries = parts->made.entries;
	if (!err)
		err = meter_init(&m, parts);
	if (!err)
		err = hierarchy_walk_run(&w, parts->entry_of, parts->made.entry_count, &visitor);
	*most = lost;
	for (uint32_t i = 0; i < parts->made.entry_count && !err; i++) {
		int64_t here =
			most_of(&m.entries[i], &columns[i], lost, *ran_with(&m, i) - m.through[i]);

		*most = here > *most ? here : *most;
	}
	return err;
}
