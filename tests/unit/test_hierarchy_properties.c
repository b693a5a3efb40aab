/* SPDX-License-Identifier: Apache-2.0 */
/* SPPROF_RUNS: how many random profiles; SPPROF_SEED: from which on, to see one again. */
#include "hierarchy_model.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Sanitized, where each takes several times as long, a tenth. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS 200
#else
#define RUNS 2000
#endif

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void expect_same(const struct model_figures *got, const struct model_figures *wanted,
			uint64_t seed)
{
	cr_assert(got->total == wanted->total, "seed %" PRIu64, seed);
	for (int i = 0; i < MODEL_LETTERS; i++) {
		cr_assert(got->appears[i] == wanted->appears[i] &&
				  got->children[i] == wanted->children[i] &&
				  got->self[i] == wanted->self[i] &&
				  got->adjusted[i] == wanted->adjusted[i],
			  "seed %" PRIu64 ": %c", seed, 'A' + i);
		for (int callee = 0; callee < MODEL_LETTERS; callee++)
			cr_assert(got->relation[i][callee] == wanted->relation[i][callee],
				  "seed %" PRIu64 ": %c to %c", seed, 'A' + i, 'A' + callee);
	}
	cr_assert(got->path_count == wanted->path_count, "seed %" PRIu64, seed);
	for (int i = 0; i < got->path_count; i++)
		cr_assert(got->paths[i].weight == model_path_weight(wanted, got->paths[i].path),
			  "seed %" PRIu64 ": %s", seed, got->paths[i].path);
}

/* V1 to V6 of shares, without their common divisor; V7 is asserted where @h is read. */
static void expect_rules(const struct hierarchy *h, uint64_t seed)
{
	for (uint32_t i = 0; i < h->relation_count; i++) {
		const struct hierarchy_relation *r = &h->relations[i];

		cr_assert(r->weight > 0 && r->weight <= h->entries[r->caller].children,
			  "seed %" PRIu64, seed);
	}
	for (uint32_t i = 0; i < h->node_count; i++) {
		const struct hierarchy_node *n = &h->nodes[i];

		cr_assert(n->weight > 0 && n->weight <= (n->parent == HIERARCHY_NONE
								 ? h->total
								 : h->nodes[n->parent].weight),
			  "seed %" PRIu64, seed);
	}
}

/* Every sample of an entry is attributed once, to a caller or to the entry alone. */
static void expect_sums(const struct hierarchy *h, uint64_t seed)
{
	for (uint32_t i = 0; i < h->entry_count; i++) {
		const struct hierarchy_entry *e = &h->entries[i];
		int64_t attributed = 0, roots = 0;

		for (uint32_t k = 0; k < h->relation_count; k++)
			if (h->relations[k].callee == i)
				attributed += h->relations[k].weight;
		for (uint32_t k = 0; k < h->node_count; k++)
			if (h->nodes[k].entry == i && h->nodes[k].parent == HIERARCHY_NONE)
				roots += h->nodes[k].weight;
		cr_assert(e->adjusted + attributed == e->children && roots == e->adjusted,
			  "seed %" PRIu64, seed);
		cr_assert(e->adjusted >= 0 && e->adjusted <= e->children && e->self >= 0 &&
				  e->self <= e->children,
			  "seed %" PRIu64, seed);
	}
}

static void expect_nodes_of_relations(const struct hierarchy *h, uint64_t seed)
{
	for (uint32_t i = 0; i < h->relation_count; i++) {
		int64_t nodes = 0;

		for (uint32_t k = 0; k < h->node_count; k++) {
			const struct hierarchy_node *n = &h->nodes[k];

			if (n->entry == h->relations[i].callee && n->parent != HIERARCHY_NONE &&
			    h->nodes[n->parent].entry == h->relations[i].caller)
				nodes += n->weight;
		}
		cr_assert(nodes == h->relations[i].weight, "seed %" PRIu64, seed);
	}
}

static void run(uint64_t seed)
{
	static struct model_figures got, wanted;
	struct hierarchy_model m;
	uint64_t state = seed;

	hierarchy_model_make(&m, &state, 2 + hierarchy_random(&state, 9), 2);
	OWNS(profile) struct profile *p = hierarchy_model_profile(&m);
	OWNS_MEM bool *is_target = hierarchy_model_targets(&m, p);
	OWNS(hierarchy) struct hierarchy h = { 0 };

	cr_assert(hierarchy_make(p, NULL, is_target, &h) == 0);
	cr_assert(h.is_exact && h.error_pct == 0);
	hierarchy_figures(&h, p, &got);
	hierarchy_model_figures(&m, &wanted);
	expect_same(&got, &wanted, seed);
	expect_rules(&h, seed);
	expect_sums(&h, seed);
	expect_nodes_of_relations(&h, seed);
}

Test(hierarchy, of_random_profiles_is_what_each_sample_makes_it)
{
	uint64_t seed = number_of("SPPROF_SEED", (uint64_t)time(NULL) << 20);
	uint64_t runs = number_of("SPPROF_RUNS", RUNS);

	printf("hierarchy: %" PRIu64 " random profiles from seed %" PRIu64 " on\n", runs, seed);
	fflush(stdout);
	for (uint64_t i = 0; i < runs; i++)
		run(seed + i);
}
