/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

Test(profile, a_new_one_is_empty_and_counts_nanoseconds)
{
	OWNS(profile) struct profile *p = profile_new();
	uint32_t samples, threads;

	profile_samples(p, &samples);
	profile_threads(p, &threads);
	cr_expect(eq(u32, samples, 0));
	cr_expect(eq(u32, threads, 0));
	cr_expect(eq(str, (char *)profile_string(p, 0), ""));
	cr_expect(eq(str, (char *)profile_string(p, profile_about(p)->unit), "nanoseconds"));
}

Test(profile, equal_texts_have_one_id_and_others_their_own)
{
	OWNS(profile) struct profile *p = profile_new();
	profile_id first = test_string(p, "alpha"), with_nul = 0, cut = 0;

	cr_expect(eq(u32, test_string(p, "alpha"), first));
	cr_expect(ne(u32, test_string(p, "beta"), first));
	cr_assert(profile_add_string(p, "alpha\0x", 7, &with_nul) == 0);
	cr_assert(profile_add_string(p, "alphabet", 5, &cut) == 0);
	cr_expect(ne(u32, with_nul, first));
	cr_expect(eq(u32, cut, first));
	cr_expect(eq(sz, profile_string_len(p, with_nul), 7));
	cr_expect(eq(int, memcmp(profile_string(p, with_nul), "alpha\0x", 8), 0));
}

Test(profile, many_texts_keep_their_ids_while_tables_grow)
{
	OWNS(profile) struct profile *p = profile_new();
	uint32_t before = profile_string_count(p);
	char text[16];

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 10000; i++) {
			snprintf(text, sizeof(text), "name%u", i);
			cr_assert(eq(u32, test_string(p, text), before + i));
		}
	}
	cr_expect(eq(str, (char *)profile_string(p, before + 9999), "name9999"));
}

Test(profile, a_function_is_known_by_all_of_its_members)
{
	OWNS(profile) struct profile *p = profile_new();
	struct profile_function base = { .name = 0, .file = 1, .first_line = 3 };
	struct profile_function other = base;
	profile_id id, other_id;

	cr_assert(profile_add_function(p, &base, &id) == 0);
	cr_assert(profile_add_function(p, &base, &other_id) == 0);
	cr_expect(eq(u32, other_id, id));
	other.kind = PROFILE_KERNEL;
	cr_assert(profile_add_function(p, &other, &other_id) == 0);
	cr_expect(ne(u32, other_id, id));
	other = base;
	other.first_line = 4;
	cr_assert(profile_add_function(p, &other, &other_id) == 0);
	cr_expect(ne(u32, other_id, id));
}

Test(profile, stacks_share_their_prefix)
{
	static const struct test_frame a = { "a", "f.py", 1, 2, 0 }, b = { "b", "f.py", 5, 6, 0 };
	OWNS(profile) struct profile *p = profile_new();
	profile_id root = test_stack(p, PROFILE_NONE, &a);
	uint32_t count;

	test_stack(p, root, &b);
	test_stack(p, root, &b);
	test_stack(p, PROFILE_NONE, &b);
	cr_expect(eq(u32, profile_stacks(p, &count)[1].prefix, root));
	cr_expect(eq(u32, count, 3));
	profile_frames(p, &count);
	cr_expect(eq(u32, count, 2));
}

Test(profile, samples_of_one_stack_and_thread_are_summed_up)
{
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 2, "p", "t"), other = test_thread(p, 1, 3, "p", "t");
	const struct profile_sample *samples;
	uint32_t count;

	test_sample(p, PROFILE_NONE, thread, 10, 1);
	test_sample(p, PROFILE_NONE, other, 5, 1);
	test_sample(p, PROFILE_NONE, thread, 20, 2);
	samples = profile_samples(p, &count);
	cr_assert(eq(u32, count, 2));
	cr_expect(eq(i64, samples[0].weight, 30));
	cr_expect(eq(u64, samples[0].count, 3));
	cr_expect(eq(i64, samples[1].weight, 5));
}

Test(profile, a_profile_that_keeps_order_keeps_each_sample)
{
	OWNS(profile) struct profile *p = profile_new();
	struct profile_sample sample = { .stack = PROFILE_NONE, .weight = 7, .count = 1 };
	const struct profile_sample *samples;
	uint32_t count;

	profile_about(p)->keeps_order = true;
	sample.thread = test_thread(p, 1, 2, "p", "t");
	for (sample.timestamp_ns = 100; sample.timestamp_ns < 103; sample.timestamp_ns++)
		cr_assert(profile_add_sample(p, &sample) == 0);
	samples = profile_samples(p, &count);
	cr_assert(eq(u32, count, 3));
	cr_expect(eq(u64, samples[2].timestamp_ns, 102));
}

Test(profile, sums_stop_at_the_largest_number)
{
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 2, "p", "t");
	const struct profile_sample *samples;
	uint32_t count;

	test_sample(p, PROFILE_NONE, thread, INT64_MAX, UINT64_MAX);
	test_sample(p, PROFILE_NONE, thread, 1, 1);
	samples = profile_samples(p, &count);
	cr_expect(eq(i64, samples[0].weight, INT64_MAX));
	cr_expect(eq(u64, samples[0].count, UINT64_MAX));
}

Test(profile, losses_add_up_by_name)
{
	OWNS(profile) struct profile *p = profile_new();
	const struct profile_loss *losses;
	uint32_t count;

	cr_assert(profile_add_loss(p, "ring_full", 2) == 0);
	cr_assert(profile_add_loss(p, "malformed", 1) == 0);
	cr_assert(profile_add_loss(p, "ring_full", 3) == 0);
	losses = profile_losses(p, &count);
	cr_assert(eq(u32, count, 2));
	cr_expect(eq(u64, losses[0].count, 5));
	cr_expect(eq(str, (char *)profile_string(p, losses[1].name), "malformed"));
}
