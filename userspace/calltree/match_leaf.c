/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/match.h"
#include "calltree/transform_error.h"

#include <errno.h>
#include <string.h>

/* Of rows where no sample was looked at. */
#define UNSEEN (TREE_NONE - 1)

static uint32_t *new_rows(const struct tree_stacks *in)
{
	return malloc((in->count + 1ul) * sizeof(uint32_t));
}

struct leaf_match {
	const struct transform_ids *ids;
	const struct tree_stacks *in;
	bool is_reversed;
	uint32_t *over;	 /* of each row: it, or the nearest above that is not always stepped over */
	uint32_t *taken; /* of each name: 1 + the function that took it */
	uint32_t deepest; /* elements taken, at most */
	bool *came;	  /* functions that came where element @deepest should have come */
};

static void leaf_match_cleanup(struct leaf_match *m)
{
	free(m->over);
	free(m->taken);
	free(m->came);
}

static uint32_t name_of(const struct leaf_match *m, uint32_t k)
{
	return m->is_reversed ? m->ids->transform->count - 1 - k : k;
}

/* Names of the path, so that rows which no element can take are passed at once. */
static bool *names_of_path(const struct leaf_match *m)
{
	const struct tree_functions *fs = m->in->functions;
	bool *names = calloc(fs->texts.rows.count, sizeof(*names));

	for (uint32_t k = 0; names && k < m->ids->transform->count; k++)
		if (m->ids->elements[k].name != TREE_NONE)
			names[m->ids->elements[k].name] = true;
	return names;
}

static int leaf_match_init(struct leaf_match *m)
{
	const struct tree_functions *fs = m->in->functions;
	OWNS_MEM bool *names = names_of_path(m);

	m->over = new_rows(m->in);
	m->taken = calloc(m->ids->transform->count, sizeof(*m->taken));
	m->came = calloc(tree_functions_count(fs) + 1ul, sizeof(*m->came));
	if (!names || !m->over || !m->taken || !m->came)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->in->count; i++) {
		uint32_t function = m->in->rows[i].function, parent = m->in->rows[i].parent;

		if (transform_ids_counts(m->ids, fs, function) ||
		    names[tree_function(fs, function)->name])
			m->over[i] = i;
		else
			m->over[i] = parent == TREE_NONE ? TREE_NONE : m->over[parent];
	}
	return 0;
}

static void note_came(struct leaf_match *m, uint32_t taken, uint32_t function)
{
	if (taken > m->deepest) {
		m->deepest = taken;
		memset(m->came, 0, tree_functions_count(m->in->functions) * sizeof(*m->came));
	}
	if (taken == m->deepest)
		m->came[function] = true;
}

/* The row that takes the last element, for samples in row @i. */
static uint32_t walk_up(struct leaf_match *m, uint32_t i)
{
	const struct tree_functions *fs = m->in->functions;
	uint32_t taken = 0;

	for (i = m->over[i]; i != TREE_NONE;) {
		uint32_t function = m->in->rows[i].function, parent = m->in->rows[i].parent;

		if (transform_ids_fit(m->ids, fs, name_of(m, taken), function)) {
			if (++taken == m->ids->transform->count)
				return i;
		} else if (transform_ids_counts(m->ids, fs, function)) {
			note_came(m, taken, function);
			return TREE_NONE;
		}
		i = parent == TREE_NONE ? TREE_NONE : m->over[parent];
	}
	note_came(m, taken, tree_functions_count(fs));
	return TREE_NONE;
}

/* Of two functions that go by one name, only one may be on the ways that match. @i is one. */
static int check_way(struct leaf_match *m, uint32_t i, struct buffer *why)
{
	const struct tree_functions *fs = m->in->functions;
	OWNS_MEM bool *both = calloc(tree_functions_count(fs) + 1ul, sizeof(*both));
	uint32_t taken = 0;

	for (i = m->over[i]; both && taken < m->ids->transform->count;) {
		uint32_t function = m->in->rows[i].function, name = name_of(m, taken);
		uint32_t *first = &m->taken[name];

		if (transform_ids_fit(m->ids, fs, name, function)) {
			if (*first && *first != function + 1) {
				both[function] = both[*first - 1] = true;
				return transform_error_ambiguous(m->ids, name, fs, both, why);
			}
			*first = function + 1;
			taken++;
		}
		i = m->in->rows[i].parent == TREE_NONE ? TREE_NONE : m->over[m->in->rows[i].parent];
	}
	return both ? 0 : -ENOMEM;
}

static int match_samples(struct leaf_match *m, uint32_t *last, struct buffer *why)
{
	bool matched = false;
	int err = 0;

	for (uint32_t s = 0; s < m->in->sample_count && !err; s++) {
		uint32_t i = m->in->samples[s].stack;

		if (last[i] != UNSEEN)
			continue;
		last[i] = walk_up(m, i);
		if (last[i] == TREE_NONE)
			continue;
		matched = true;
		if (m->ids->has_namesakes)
			err = check_way(m, i, why);
	}
	if (err || matched || m->ids->missing == TRANSFORM_MAY_MISS)
		return err;
	return transform_error_path(m->ids->transform, name_of(m, m->deepest), m->in->functions,
				    m->came, why);
}

int match_from_leaf(const struct transform_ids *ids, const struct tree_stacks *in, bool is_reversed,
		    uint32_t **last, struct buffer *why)
{
	__attribute__((cleanup(leaf_match_cleanup))) struct leaf_match m = {
		.ids = ids, .in = in, .is_reversed = is_reversed
	};
	OWNS_MEM uint32_t *lasts = new_rows(in);
	int err = lasts ? leaf_match_init(&m) : -ENOMEM;

	if (err)
		return err;
	for (uint32_t i = 0; i < in->count; i++)
		lasts[i] = UNSEEN;
	err = match_samples(&m, lasts, why);
	if (!err)
		*last = TAKE(lasts);
	return err;
}
