/* SPDX-License-Identifier: Apache-2.0 */
/* What a flame graph is made of: the tree, the boxes that are drawn, the tracks, the runs. */
#include "export/flame_boxes.h"
#include "export/html_runs.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

static const struct test_frame root = { "root", "a.py", 1, 1, 0 };
static const struct test_frame left = { "left", "a.py", 2, 2, 0 };
static const struct test_frame right = { "right", "a.py", 3, 3, 0 };

/* "name/file self total" of each function, in order. */
static void describe_functions(const struct flame_tree *t, struct buffer *out)
{
	for (uint32_t i = 0; i < t->functions.count; i++) {
		const struct flame_function *f = flame_function(t, i);

		buffer_print(out, "%s/%s %ld %ld\n", profile_string(t->profile, f->name),
			     profile_string(t->profile, f->file), f->self, f->total);
	}
}

/* "depth name running merged" of each box, in order. */
static void describe_boxes(const struct flame_tree *t, const struct flame_boxes *b,
			   struct buffer *out)
{
	for (uint32_t i = 1; i < b->count; i++) {
		const struct flame_box *box = &b->rows[i];
		const char *name = "(small)";

		if (!box->merged)
			name = profile_string(t->profile, flame_function(t, box->function)->name);
		buffer_print(out, "%u %s %ld %u\n", box->depth, name, box->running, box->merged);
	}
}

Test(flame_tree, a_function_is_its_name_and_file)
{
	static const struct test_frame later = { "left", "a.py", 2, 9, 0 };
	static const struct test_frame moved = { "left", "a.py", 5, 9, PROFILE_NATIVE };
	static const struct test_frame other = { "left", "b.py", 2, 9, 0 };
	OWNS(profile) struct profile *p = profile_new();
	OWNS(flame_tree) struct flame_tree t = { 0 };
	profile_id thread = test_thread(p, 1, 1, "p", "t");
	struct buffer text OWNS(buffer) = { 0 };

	test_sample(p, test_stack(p, PROFILE_NONE, &left), thread, 1, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &later), thread, 2, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &moved), thread, 4, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &other), thread, 8, 1);
	cr_assert(flame_tree_init(&t, p) == 0);
	cr_assert(flame_tree_sum_functions(&t) == 0);
	describe_functions(&t, &text);
	cr_expect(eq(str, text.data, "left/a.py 7 7\nleft/b.py 8 8\n"));
	cr_expect(eq(u32, t.nodes.count, 3));
}

Test(flame_tree, recursion_counts_once_for_a_total)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(flame_tree) struct flame_tree t = { 0 };
	profile_id thread = test_thread(p, 1, 1, "p", "t");
	profile_id inner = test_stack(p, test_stack(p, PROFILE_NONE, &root), &left);
	struct buffer text OWNS(buffer) = { 0 };

	test_sample(p, test_stack(p, inner, &root), thread, 3, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &left), thread, 5, 1);
	cr_assert(flame_tree_init(&t, p) == 0);
	cr_assert(flame_tree_sum_functions(&t) == 0);
	describe_functions(&t, &text);
	cr_expect(eq(str, text.data, "root/a.py 3 3\nleft/a.py 5 8\n"));
}

Test(flame_tree, what_has_no_stack_is_in_no_node)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(flame_tree) struct flame_tree t = { 0 };
	profile_id thread = test_thread(p, 1, 1, "p", "t");

	test_sample(p, PROFILE_NONE, thread, 3, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &left), thread, 5, 1);
	cr_assert(flame_tree_init(&t, p) == 0);
	cr_expect(eq(i64, t.running[0], 5));
	cr_expect(eq(i64, t.without_stack, 3));
}

Test(flame_tree, weights_that_cannot_be_drawn_are_refused)
{
	static const struct {
		int64_t first, second;
		int err;
	} rows[] = { { 1, -1, -ERANGE }, { INT64_MAX, 1, -EOVERFLOW }, { INT64_MAX, 0, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(profile) struct profile *p = profile_new();
		OWNS(flame_tree) struct flame_tree t = { 0 };
		profile_id thread = test_thread(p, 1, 1, "p", "t");

		test_sample(p, test_stack(p, PROFILE_NONE, &left), thread, rows[i].first, 1);
		test_sample(p, test_stack(p, PROFILE_NONE, &right), thread, rows[i].second, 1);
		cr_expect(eq(int, flame_tree_init(&t, p), rows[i].err));
	}
}

Test(flame_tree, stacks_of_20000_frames_are_walked)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(flame_tree) struct flame_tree t = { 0 };
	OWNS(flame_boxes) struct flame_boxes b = { 0 };
	struct flame_limits limits = { .most = 50000 };
	profile_id stack = PROFILE_NONE;

	for (int i = 0; i < 20000; i++)
		stack = test_stack(p, stack, i % 2 ? &left : &right);
	test_sample(p, stack, test_thread(p, 1, 1, "p", "t"), 7, 1);
	cr_assert(flame_tree_init(&t, p) == 0);
	cr_assert(flame_tree_sum_functions(&t) == 0);
	cr_assert(flame_boxes_init(&b, &t, &limits) == 0);
	cr_expect(eq(i64, flame_function(&t, 0)->total, 7));
	cr_expect(eq(u32, b.rows[b.count - 1].depth, 20000));
}

/* root 100: left 60 (of which right 20), right 30, and ten itself. */
static struct profile *forked(void)
{
	struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 1, "p", "t");
	profile_id base = test_stack(p, PROFILE_NONE, &root);
	profile_id heavy = test_stack(p, base, &left);

	test_sample(p, test_stack(p, base, &right), thread, 30, 1);
	test_sample(p, test_stack(p, heavy, &right), thread, 20, 1);
	test_sample(p, heavy, thread, 40, 1);
	test_sample(p, base, thread, 10, 1);
	return p;
}

Test(flame_boxes, the_heaviest_are_drawn_and_the_rest_is_one_box)
{
	static const struct {
		struct flame_limits limits;
		const char *boxes;
		uint32_t merged;
		int64_t merged_weight, merged_most;
	} rows[] = {
		{ { .most = 9 },
		  "1 root 100 0\n2 left 60 0\n3 right 20 0\n2 right 30 0\n",
		  0,
		  0,
		  0 },
		{ { .most = 3 },
		  "1 root 100 0\n2 left 60 0\n3 (small) 20 1\n2 right 30 0\n",
		  1,
		  20,
		  20 },
		{ { .most = 2 },
		  "1 root 100 0\n2 left 60 0\n3 (small) 20 1\n2 (small) 30 1\n",
		  2,
		  50,
		  30 },
		{ { .most = 1 }, "1 root 100 0\n2 (small) 90 3\n", 3, 90, 60 },
		{ { .most = 0 }, "1 (small) 100 4\n", 4, 100, 100 },
		{ { .most = 9, .least_weight = 31 },
		  "1 root 100 0\n2 left 60 0\n3 (small) 20 1\n2 (small) 30 1\n",
		  2,
		  50,
		  30 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(profile) struct profile *p = forked();
		OWNS(flame_tree) struct flame_tree t = { 0 };
		OWNS(flame_boxes) struct flame_boxes b = { 0 };
		struct buffer text OWNS(buffer) = { 0 };

		cr_assert(flame_tree_init(&t, p) == 0);
		cr_assert(flame_boxes_init(&b, &t, &rows[i].limits) == 0);
		describe_boxes(&t, &b, &text);
		cr_expect(eq(str, text.data, (char *)rows[i].boxes));
		cr_expect(eq(u32, b.merged, rows[i].merged));
		cr_expect(eq(i64, b.merged_weight, rows[i].merged_weight));
		cr_expect(eq(i64, b.merged_most, rows[i].merged_most));
	}
}

/* Facts about boxes that hold for any profile and any limit. */
static void check_boxes(const struct flame_tree *t, const struct flame_boxes *b, uint32_t most)
{
	uint32_t drawn = 0;
	int64_t self = 0;

	for (uint32_t i = 1; i < b->count; i++) {
		const struct flame_box *box = &b->rows[i];

		drawn += !box->merged;
		self += box->self;
		cr_expect(lt(u32, box->parent, i));
		cr_expect(eq(u32, box->depth, b->rows[box->parent].depth + 1));
		cr_expect(le(u32, box->depth, b->rows[i - 1].depth + 1));
	}
	cr_expect(le(u32, drawn, most));
	cr_expect(eq(i64, self, t->running[0]));
	cr_expect(eq(i64, b->rows[0].running, t->running[0]));
	for (uint32_t i = 1; i < t->nodes.count; i++) {
		const struct flame_box *box = &b->rows[b->box_of[i]];

		cr_expect(t->running[i] <= box->running, "node %u", i);
		if (t->running[i] && !box->merged)
			cr_expect(box->function == flame_node(t, i)->function, "node %u", i);
	}
}

Test(flame_boxes, sums_stay_exact_whatever_is_merged)
{
	uint32_t seen = 0;

	for (uint64_t seed = 0; seed < 300; seed++) {
		OWNS(profile) struct profile *p = test_random_profile(seed);
		OWNS(flame_tree) struct flame_tree t = { 0 };

		if (flame_tree_init(&t, p))
			continue;
		seen++;
		for (uint32_t most = 0; most < 100; most = 2 * most + 1) {
			OWNS(flame_boxes) struct flame_boxes b = { 0 };
			struct flame_limits limits = { .most = most };

			cr_assert(flame_boxes_init(&b, &t, &limits) == 0);
			check_boxes(&t, &b, most);
		}
	}
	cr_expect(seen > 30);
}

Test(flame_tracks, the_heaviest_thread_comes_first_and_the_last_are_one)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(flame_tracks) struct flame_tracks t = { 0 };
	profile_id stack = test_stack(p, PROFILE_NONE, &left);

	for (uint32_t i = 0; i < 5; i++)
		test_sample(p, stack, test_thread(p, 1, i, "p", "t"), 10 * i, 1);
	cr_assert(flame_tracks_init(&t, p, 3) == 0);
	cr_assert(eq(u32, t.count, 3));
	cr_expect(eq(u32, t.rows[0].thread, 4));
	cr_expect(eq(i64, t.rows[1].weight, 30));
	cr_expect(eq(i64, t.rows[2].weight, 30));
	cr_expect(eq(u32, t.rows[2].threads, 2));
	cr_expect(eq(u32, t.rows[2].last - t.rows[2].first, 2));
}

/* "box*weight " of each run of the first track of @p. */
static void describe_runs(const struct profile *p, int64_t least, struct buffer *out)
{
	OWNS(flame_tree) struct flame_tree t = { 0 };
	OWNS(flame_boxes) struct flame_boxes b = { 0 };
	OWNS(flame_tracks) struct flame_tracks tracks = { 0 };
	OWNS(html_runs) struct html_runs runs = { 0 };
	struct flame_limits limits = { .most = 100 };

	cr_assert(flame_tree_init(&t, p) == 0);
	cr_assert(flame_boxes_init(&b, &t, &limits) == 0);
	cr_assert(flame_tracks_init(&tracks, p, 10) == 0);
	cr_assert(html_runs_init(&runs, &t, &b, &tracks, 0, least) == 0);
	for (uint32_t i = 0; i < runs.count; i++)
		buffer_print(out, "%u*%ld ", runs.rows[i].box, runs.rows[i].weight);
	buffer_print(out, "joined %u", runs.joined);
}

Test(html_runs, come_by_time_and_short_ones_are_joined)
{
	static const struct {
		int64_t least;
		const char *runs;
	} rows[] = {
		{ 0, "3*3 2*1 3*1 2*9 joined 0" },
		{ 2, "3*3 1*2 2*9 joined 1" },
		{ 5, "1*5 2*9 joined 2" },
	};
	/* Out of order, as threads of the daemon may add them. */
	static const struct {
		bool is_left;
		int64_t weight;
		uint64_t timestamp_ns;
	} samples[] = {
		{ false, 9, 40 }, { true, 1, 30 }, { true, 2, 5 }, { false, 1, 20 }, { true, 1, 10 }
	};
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 1, "p", "t");
	profile_id base = test_stack(p, PROFILE_NONE, &root);
	profile_id boxes[] = { test_stack(p, base, &right), test_stack(p, base, &left) };

	profile_about(p)->keeps_order = true;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct profile_sample sample = { .stack = boxes[samples[i].is_left],
						 .thread = thread,
						 .weight = samples[i].weight,
						 .timestamp_ns = samples[i].timestamp_ns };

		cr_assert(profile_add_sample(p, &sample) == 0);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buffer text OWNS(buffer) = { 0 };

		describe_runs(p, rows[i].least, &text);
		cr_expect(eq(str, text.data, (char *)rows[i].runs));
	}
}
