/* SPDX-License-Identifier: Apache-2.0 */
/* SPPROF_RUNS: how many random profiles; SPPROF_SEED: from which on, to see one again. */
#include "pruned_model.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>

/* Sanitized, where each takes several times as long, a tenth. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS 100
#else
#define RUNS 1000
#endif

/* Points that a computer's own numbers may be off. */
#define TINY 1e-6

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

struct seen {
	const struct model_figures *truth, *got;
	double error_pct, worst;
	uint64_t seed;
};

static void expect_near(struct seen *s, int64_t truth, int64_t got, const char *what, char letter)
{
	double off = fabs(100.0 * truth / s->truth->total - 100.0 * got / s->got->total);

	s->worst = off > s->worst ? off : s->worst;
	cr_assert(off <= s->error_pct + TINY,
		  "seed %" PRIu64 ": %s of %c is %" PRId64 " of %" PRId64 ", not %" PRId64
		  " of %" PRId64 ": off by %g, not %g",
		  s->seed, what, letter, got, s->got->total, truth, s->truth->total, off,
		  s->error_pct);
}

/* What the truth has and the other lacks is 0 there, and the other way round. */
static void expect_paths(struct seen *s)
{
	for (int i = 0; i < s->truth->path_count; i++) {
		const struct model_path *p = &s->truth->paths[i];

		expect_near(s, p->weight, model_path_weight(s->got, p->path), p->path, *p->path);
	}
	for (int i = 0; i < s->got->path_count; i++) {
		const struct model_path *p = &s->got->paths[i];

		expect_near(s, model_path_weight(s->truth, p->path), p->weight, p->path, *p->path);
	}
}

static void expect_all_near(struct seen *s)
{
	for (int i = 0; i < MODEL_LETTERS; i++) {
		char letter = 'A' + i;

		expect_near(s, s->truth->children[i], s->got->children[i], "children", letter);
		expect_near(s, s->truth->self[i], s->got->self[i], "self", letter);
		expect_near(s, s->truth->adjusted[i], s->got->adjusted[i], "adjusted", letter);
		for (int caller = 0; caller < MODEL_LETTERS; caller++)
			expect_near(s, s->truth->relation[caller][i], s->got->relation[caller][i],
				    "a relation", letter);
	}
	expect_paths(s);
}

static void expect_sums(const struct hierarchy *h, uint64_t seed)
{
	for (uint32_t i = 0; i < h->entry_count; i++) {
		const struct hierarchy_entry *e = &h->entries[i];
		int64_t sum = e->adjusted;

		for (uint32_t k = 0; k < h->relation_count; k++)
			sum += h->relations[k].callee == i ? h->relations[k].weight : 0;
		cr_assert(sum == e->children && e->adjusted >= 0 && e->self <= e->children,
			  "seed %" PRIu64, seed);
	}
	for (uint32_t i = 0; i < h->node_count; i++) {
		const struct hierarchy_node *n = &h->nodes[i];
		bool is_root = n->parent == HIERARCHY_NONE;

		cr_assert(n->weight > 0 &&
				  n->weight ==
					  (is_root ? h->entries[n->entry].adjusted : n->weight) &&
				  (is_root || n->weight <= h->nodes[n->parent].weight),
			  "seed %" PRIu64, seed);
	}
}

static double lost_pct(const struct profile *whole, const struct profile_pruned *pruned)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(whole, &count);
	int64_t shown = 0;

	for (uint32_t i = 0; i < count; i++)
		shown += samples[i].weight;
	return shown > pruned->total ? 0 : 100.0 * (pruned->total - shown) / pruned->total;
}

/* Whether it was not refused. */
static bool run(const struct pruning *how, uint64_t seed)
{
	static struct model_figures truth, got;
	struct seen seen = { .truth = &truth, .got = &got, .seed = seed };
	struct hierarchy_model m;
	uint64_t state = seed;
	OWNS(profile) struct profile *whole = NULL;
	OWNS(hierarchy) struct hierarchy h = { 0 };

	hierarchy_model_make(&m, &state, 3 + hierarchy_random(&state, 20), 1 + seed % 2);
	OWNS(profile_pruned) struct profile_pruned *pruned = model_prune(&m, how, &whole);
	OWNS_MEM bool *is_target = hierarchy_model_targets(&m, whole);
	int err = hierarchy_make(whole, pruned, is_target, &h);

	if (err == -ENOTSUP)
		return false;
	cr_assert(err == 0);
	hierarchy_model_figures(&m, &truth);
	hierarchy_figures(&h, whole, &got);
	seen.error_pct = h.error_pct;
	expect_all_near(&seen);
	expect_sums(&h, seed);
	cr_assert(h.error_pct <= lost_pct(whole, pruned) + 1.5 + TINY, "seed %" PRIu64, seed);
	cr_assert(!h.is_exact || h.error_pct == 0);
	return true;
}

static void run_all(const struct pruning *how, const char *name)
{
	uint64_t seed = number_of("SPPROF_SEED", (uint64_t)time(NULL) << 20);
	uint64_t runs = number_of("SPPROF_RUNS", RUNS), read = 0;

	for (uint64_t i = 0; i < runs; i++)
		read += run(how, seed + i);
	printf("hierarchy: %" PRIu64 " of %" PRIu64 " %s from seed %" PRIu64 " on\n", read, runs,
	       name, seed);
	fflush(stdout);
	cr_assert(runs < 100 || read > runs / 4);
}

Test(hierarchy_pruned, of_percentages_is_as_right_as_it_says)
{
	static const struct pruning how = { 50, true, true, true };

	run_all(&how, "reports of percentages");
}

Test(hierarchy_pruned, of_a_report_that_leaves_much_out_too)
{
	static const struct pruning how = { 500, true, true, true };

	run_all(&how, "reports without what is below 5 %");
}

Test(hierarchy_pruned, of_counts_is_as_right_as_it_says)
{
	static const struct pruning how = { 200, false, true, true };

	run_all(&how, "reports of counts");
}

Test(hierarchy_pruned, of_counts_that_are_all_shown_is_exact)
{
	static const struct pruning how = { 0, false, false, true };

	run_all(&how, "whole reports of counts");
}

Test(hierarchy_pruned, without_own_trees_is_as_right_as_it_says)
{
	static const struct pruning how = { 200, true, false, true };

	run_all(&how, "reports without children");
}

Test(hierarchy_pruned, without_chains_is_as_right_as_it_says)
{
	static const struct pruning how = { 50, true, true, false };

	run_all(&how, "reports without chains");
}
