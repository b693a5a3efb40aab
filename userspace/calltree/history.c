/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/history.h"

#include <errno.h>

struct step {
	struct transform transform;
	enum transform_missing missing;
};

struct history {
	struct tree_functions functions;
	struct tree_stacks first;
	struct tree_stacks last; /* empty while there is no step */
	struct step *steps;
	uint32_t count;
};

struct history *history_new(const struct profile *p, const struct tree_fill *how)
{
	OWNS(history) struct history *h = calloc(1, sizeof(*h));

	if (!h || tree_functions_init(&h->functions) ||
	    tree_stacks_fill(p, how, &h->functions, &h->first))
		return NULL;
	return TAKE(h);
}

static void forget(struct history *h, uint32_t count)
{
	while (h->count > count)
		transform_fini(&h->steps[--h->count].transform);
}

void history_free(struct history *h)
{
	if (!h)
		return;
	forget(h, 0);
	free(h->steps);
	tree_stacks_fini(&h->last);
	tree_stacks_fini(&h->first);
	tree_functions_fini(&h->functions);
	free(h);
}

const struct tree_stacks *history_stacks(const struct history *h)
{
	return h->count ? &h->last : &h->first;
}

const struct tree_stacks *history_first_stacks(const struct history *h)
{
	return &h->first;
}

static void replace_last(struct history *h, struct tree_stacks *made)
{
	tree_stacks_fini(&h->last);
	h->last = *made;
	*made = (struct tree_stacks){ 0 };
}

int history_push(struct history *h, const struct transform *t, enum transform_missing missing,
		 struct buffer *why)
{
	OWNS(tree_stacks) struct tree_stacks made = { 0 };
	OWNS(transform) struct transform copy = { 0 };
	struct step *grown = reallocarray(h->steps, h->count + 1ul, sizeof(*grown));
	int err;

	if (!grown)
		return -ENOMEM;
	h->steps = grown;
	err = transform_copy(t, &copy);
	if (!err)
		err = transform_apply(&copy, history_stacks(h), missing, &made, why);
	if (err)
		return err;
	replace_last(h, &made);
	h->steps[h->count++] = (struct step){ .transform = copy, .missing = missing };
	copy = (struct transform){ 0 };
	return 0;
}

int history_keep(struct history *h, uint32_t count)
{
	OWNS(tree_stacks) struct tree_stacks made = { 0 };
	struct buffer why OWNS(buffer) = { 0 };

	if (count >= h->count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		struct tree_stacks next = { 0 };
		int err = transform_apply(&h->steps[i].transform, i ? &made : &h->first,
					  h->steps[i].missing, &next, &why);

		if (err)
			return err;
		tree_stacks_fini(&made);
		made = next;
	}
	replace_last(h, &made);
	forget(h, count);
	return 0;
}

uint32_t history_count(const struct history *h)
{
	return h->count;
}

const struct transform *history_transform(const struct history *h, uint32_t i)
{
	return &h->steps[i].transform;
}

const struct tree_functions *history_functions(const struct history *h)
{
	return &h->functions;
}
