/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/hierarchy_sums.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define PAIR (2 * sizeof(uint32_t))

struct shares_sums *sums_new(void)
{
	struct shares_sums *s = calloc(1, sizeof(*s));
	uint64_t seed;

	if (!s)
		return NULL;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)s;
	strings_init(&s->symbols, seed);
	table_init(&s->entries, sizeof(struct sum_entry), sizeof(uint32_t), seed);
	table_init(&s->relations, sizeof(struct sum_relation), PAIR, seed);
	table_init(&s->nodes, sizeof(struct sum_node), PAIR, seed);
	return s;
}

void sums_free(struct shares_sums *s)
{
	if (!s)
		return;
	strings_fini(&s->symbols);
	table_fini(&s->entries);
	table_fini(&s->relations);
	table_fini(&s->nodes);
	free(s);
}

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * part / whole : 0.0;
}

/* What is not a function of @p is of a kind that nobody knows. */
static void find_kinds(const struct profile *p, enum profile_kind *kinds)
{
	uint32_t count;
	const struct profile_function *rows = profile_functions(p, &count);

	for (uint32_t i = 0; i < profile_string_count(p); i++)
		kinds[i] = PROFILE_UNKNOWN;
	while (count--)
		kinds[rows[count].name] = rows[count].kind;
}

/* A profile that is added, and where its rows are among the sums. */
struct addition {
	struct shares_sums *sums;
	const struct profile *profile;
	const struct hierarchy *h;
	uint32_t *entries, *nodes;
};

static int add_entries(const struct addition *a, const enum profile_kind *kinds)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < a->h->entry_count; i++) {
		const struct hierarchy_entry *e = &a->h->entries[i];
		struct sum_entry row = { .kind = kinds[e->symbol] }, *sum;

		err = strings_add(&a->sums->symbols, profile_string(a->profile, e->symbol),
				  profile_string_len(a->profile, e->symbol), &row.symbol);
		if (!err)
			err = table_add(&a->sums->entries, &row, &a->entries[i]);
		if (err)
			return err;
		sum = table_row(&a->sums->entries, a->entries[i]);
		sum->children += percent(e->children, a->h->total);
		sum->self += percent(e->self, a->h->total);
		sum->adjusted += percent(e->adjusted, a->h->total);
	}
	return 0;
}

static int add_relations(const struct addition *a)
{
	for (uint32_t i = 0; i < a->h->relation_count; i++) {
		const struct hierarchy_relation *r = &a->h->relations[i];
		struct sum_relation row = { a->entries[r->caller], a->entries[r->callee], 0, 0 };
		struct sum_relation *sum;
		uint32_t id;

		if (table_add(&a->sums->relations, &row, &id))
			return -ENOMEM;
		sum = table_row(&a->sums->relations, id);
		sum->relative += percent(r->weight, a->h->entries[r->caller].children);
		sum->absolute += percent(r->weight, a->h->total);
	}
	return 0;
}

static int add_nodes(const struct addition *a)
{
	for (uint32_t i = 0; i < a->h->node_count; i++) {
		const struct hierarchy_node *n = &a->h->nodes[i];
		bool is_root = n->parent == HIERARCHY_NONE;
		struct sum_node row = { .parent = is_root ? SHARES_NONE : a->nodes[n->parent],
					.entry = a->entries[n->entry] };
		struct sum_node *sum;

		if (table_add(&a->sums->nodes, &row, &a->nodes[i]))
			return -ENOMEM;
		sum = table_row(&a->sums->nodes, a->nodes[i]);
		sum->relative +=
			percent(n->weight, is_root ? a->h->total : a->h->nodes[n->parent].weight);
		sum->absolute += percent(n->weight, a->h->total);
	}
	return 0;
}

int sums_add(struct shares_sums *s, const struct profile *p, const struct hierarchy *h)
{
	OWNS_MEM uint32_t *entries = calloc(h->entry_count + 1, sizeof(*entries));
	OWNS_MEM uint32_t *nodes = calloc(h->node_count + 1, sizeof(*nodes));
	OWNS_MEM enum profile_kind *kinds = calloc(profile_string_count(p), sizeof(*kinds));
	struct addition a = { s, p, h, entries, nodes };
	int err;

	if (!entries || !nodes || !kinds)
		return -ENOMEM;
	find_kinds(p, kinds);
	err = add_entries(&a, kinds);
	if (!err)
		err = add_relations(&a);
	return err ? err : add_nodes(&a);
}
