/* SPDX-License-Identifier: Apache-2.0 */
/* SPPROF_RUNS: how many random profiles; SPPROF_SEED: from which on, to see one again. */
#include "calltree/transform_text.h"
#include "tree_model.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Sanitized, where each takes several times as long, a tenth. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS 1000
#else
#define RUNS 10000
#endif

#define MOST_TRANSFORMS 4

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* All of it, byte by byte. */
static void dump(const struct tree_stacks *s, struct buffer *out)
{
	buffer_add(out, s->rows, s->count * sizeof(*s->rows));
	buffer_add(out, s->samples, s->sample_count * sizeof(*s->samples));
	buffer_add(out, &s->removed, sizeof(s->removed));
	buffer_add(out, &s->has_categories, sizeof(s->has_categories));
}

static void expect_lines(const struct tree_stacks *s, const struct model *m,
			 enum walk_direction direction, uint64_t seed)
{
	struct buffer got OWNS(buffer) = { 0 };
	struct buffer wanted OWNS(buffer) = { 0 };

	cr_assert(tree_lines(s, direction, &got) == 0);
	model_lines(m, direction, &wanted);
	cr_assert(!strcmp(got.data, wanted.data), "seed %" PRIu64 ":\n%s\nin place of\n%s", seed,
		  got.data, wanted.data);
}

static void expect_sums(const struct tree_stacks *s, const struct model *m, uint64_t seed)
{
	OWNS(tree_nodes) struct tree_nodes n = { 0 };
	int64_t self = 0, kept = 0;

	cr_assert(tree_nodes_make(s, TREE_ALL_GROUPS, &n) == 0);
	for (uint32_t i = 0; i < n.count; i++)
		self += n.rows[i].self;
	for (int i = 0; i < m->count; i++)
		kept += m->samples[i].count ? m->samples[i].weight : 0;
	cr_assert(self == kept, "seed %" PRIu64 ": self %" PRId64 ", kept %" PRId64, seed, self,
		  kept);
	cr_assert(s->removed == m->removed, "seed %" PRIu64 ": removed %" PRId64, seed, s->removed);
}

/* The model is changed: this comes last. */
static void expect_views(const struct tree_stacks *s, struct model *m, uint64_t seed)
{
	enum tree_implementation impl = seed % 4;
	OWNS(tree_stacks) struct tree_stacks filtered = { 0 };

	cr_assert(tree_implementation_filter(s, impl, &filtered) == 0);
	model_filter(m, impl);
	expect_lines(&filtered, m, WALK_FROM_ROOT, seed);
	expect_sums(&filtered, m, seed);
}

static void expect_same(const struct tree_stacks *s, const struct buffer *as, uint64_t seed,
			const char *what)
{
	struct buffer bytes OWNS(buffer) = { 0 };

	dump(s, &bytes);
	cr_assert(bytes.len == as->len && !memcmp(bytes.data, as->data, as->len),
		  "seed %" PRIu64 ": %s", seed, what);
}

/* The stack of transforms, written and read, over the samples at once. */
static void expect_same_at_once(const struct history *h, const struct profile *p,
				const struct buffer *as, uint64_t seed)
{
	const struct tree_fill how = { .keeps_order = seed & 1 };
	OWNS(history) struct history *other = history_new(p, &how);

	for (uint32_t i = 0; i < history_count(h); i++) {
		OWNS(transform) struct transform t = { 0 };
		struct buffer text OWNS(buffer) = { 0 };
		struct buffer why OWNS(buffer) = { 0 };

		cr_assert(transform_print(history_transform(h, i), &text) == 0);
		cr_assert(transform_parse(text.data, text.len, &t, &why) == 0);
		cr_assert(history_push(other, &t, TRANSFORM_MAY_MISS, &why) == 0);
	}
	expect_same(history_stacks(other), as, seed, "at once it is another tree");
}

static void pop_all(struct history *h, const struct buffer *levels, uint64_t seed)
{
	for (uint32_t count = history_count(h); count-- > 0;) {
		cr_assert(history_keep(h, count) == 0);
		expect_same(history_stacks(h), &levels[count], seed, "popping made another tree");
	}
}

static void run(uint64_t seed)
{
	const struct tree_fill how = { .keeps_order = seed & 1 };
	uint64_t state = seed;
	struct buffer levels[MOST_TRANSFORMS + 1] = { 0 };
	struct model m;
	uint32_t count;

	model_make(&m, &state);
	OWNS(profile) struct profile *p = model_profile(&m);
	OWNS(history) struct history *h = history_new(p, &how);

	dump(history_stacks(h), &levels[0]);
	count = model_random(&state, MOST_TRANSFORMS + 1);
	for (uint32_t i = 1; i <= count; i++) {
		OWNS(transform) struct transform t = { 0 };
		struct buffer why OWNS(buffer) = { 0 };

		model_transform(&m, &state, &t);
		cr_assert(history_push(h, &t, TRANSFORM_MAY_MISS, &why) == 0, "%s", why.data);
		model_apply(&m, &t);
		expect_lines(history_stacks(h), &m, WALK_FROM_ROOT, seed);
		dump(history_stacks(h), &levels[i]);
	}
	expect_lines(history_stacks(h), &m, WALK_FROM_LEAF, seed);
	expect_sums(history_stacks(h), &m, seed);
	expect_views(history_stacks(h), &m, seed);
	expect_same_at_once(h, p, &levels[count], seed);
	pop_all(h, levels, seed);
	for (uint32_t i = 0; i <= MOST_TRANSFORMS; i++)
		buffer_fini(&levels[i]);
}

Test(calltree, random_trees_are_what_each_sample_makes_them)
{
	uint64_t seed = number_of("SPPROF_SEED", (uint64_t)time(NULL) << 20);
	uint64_t runs = number_of("SPPROF_RUNS", RUNS);

	printf("calltree: %" PRIu64 " random profiles from seed %" PRIu64 " on\n", runs, seed);
	fflush(stdout);
	for (uint64_t i = 0; i < runs; i++)
		run(seed + i);
}
