/* SPDX-License-Identifier: Apache-2.0 */
/* What the page of a process says of a profile. */
#include "daemon/snapshot_page.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <string.h>

#define SECOND_NS 1000000000

static const struct test_frame f_12 = { "f", "app.py", 10, 12, 0 };
static const struct test_frame g_31 = { "g", "app.py", 30, 31, 0 };
static const struct test_frame unknown = { "[unknown]", "", 0, 0, PROFILE_UNKNOWN };
static const struct test_frame native = { "[native]", "", 0, 0, PROFILE_NATIVE };

/* @json is taken over. */
static void check(json_t *json, const char *expected)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

	cr_assert(text != NULL);
	cr_expect(!strcmp(text, expected), "%s\nin place of\n%s", text, expected);
	free(text);
	json_decref(json);
}

static struct profile *small_profile(void)
{
	struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 1, "python3", "MainThread");
	profile_id root = test_stack(p, PROFILE_NONE, &f_12);

	test_sample(p, root, thread, SECOND_NS, 10);
	test_sample(p, test_stack(p, root, &g_31), thread, 4 * (int64_t)SECOND_NS, 40);
	test_sample(p, test_stack(p, root, &unknown), thread, 2 * (int64_t)SECOND_NS, 20);
	test_sample(p, test_stack(p, PROFILE_NONE, &native), thread, SECOND_NS, 10);
	return p;
}

Test(snapshot, cpu_is_a_share_of_a_processor_and_rows_are_shares_of_that)
{
	OWNS(profile) struct profile *p = small_profile();
	OWNS(summary) struct summary sum = { 0 };

	cr_assert(summary_make(p, &sum) == 0);
	check(snapshot_page_cpu(p, &sum, 16ull * SECOND_NS),
	      "{\"window_s\":16.0,\"share\":0.5,\"samples\":80,\"functions\":["
	      "{\"function\":\"g\",\"file\":\"app.py\",\"kind\":\"python\",\"self_share\":0.5,"
	      "\"total_share\":0.5},"
	      "{\"function\":\"[unknown]\",\"file\":\"\",\"kind\":\"unknown\",\"self_share\":0.25,"
	      "\"total_share\":0.25},"
	      "{\"function\":\"f\",\"file\":\"app.py\",\"kind\":\"python\",\"self_share\":0.125,"
	      "\"total_share\":0.875},"
	      "{\"function\":\"[native]\",\"file\":\"\",\"kind\":\"native\",\"self_share\":0.125,"
	      "\"total_share\":0.125}],"
	      "\"functions_omitted\":0,\"lines\":["
	      "{\"file\":\"app.py\",\"line\":31,\"self_share\":0.5},"
	      "{\"file\":\"app.py\",\"line\":12,\"self_share\":0.125}],\"lines_omitted\":0}");
	check(snapshot_page_unknown(p, &sum), "0.25");
}

Test(snapshot, what_was_not_sampled_has_no_share)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(summary) struct summary sum = { 0 };

	cr_assert(summary_make(p, &sum) == 0);
	check(snapshot_page_cpu(p, &sum, 0),
	      "{\"window_s\":0.0,\"share\":null,\"samples\":0,\"functions\":[],"
	      "\"functions_omitted\":0,\"lines\":[],\"lines_omitted\":0}");
	check(snapshot_page_cpu(p, &sum, SECOND_NS),
	      "{\"window_s\":1.0,\"share\":0.0,\"samples\":0,\"functions\":[],"
	      "\"functions_omitted\":0,\"lines\":[],\"lines_omitted\":0}");
	check(snapshot_page_unknown(p, &sum), "null");
}

Test(snapshot, rows_beyond_the_limit_are_counted)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(summary) struct summary sum = { 0 };
	profile_id thread = test_thread(p, 1, 1, "python3", "MainThread");
	json_t *cpu;

	/* Seven functions more than there is room for, two lines each; one has none. */
	for (uint32_t i = 0; i < SNAPSHOT_MOST_ROWS + 7; i++) {
		char name[16];
		struct test_frame frame = { name, "app.py", 10 * i, 10 * i + 1, 0 };

		snprintf(name, sizeof(name), "f%u", i);
		test_sample(p, test_stack(p, PROFILE_NONE, &frame), thread, 1000 - i, 1);
		frame.line = i ? frame.line + 1 : 0;
		test_sample(p, test_stack(p, PROFILE_NONE, &frame), thread, 1000 - i, 1);
	}
	cr_assert(summary_make(p, &sum) == 0);
	cpu = snapshot_page_cpu(p, &sum, SECOND_NS);
	cr_expect(json_array_size(json_object_get(cpu, "functions")) == SNAPSHOT_MOST_ROWS);
	cr_expect(json_integer_value(json_object_get(cpu, "functions_omitted")) == 7);
	cr_expect(json_array_size(json_object_get(cpu, "lines")) == SNAPSHOT_MOST_ROWS);
	cr_expect(json_integer_value(json_object_get(cpu, "lines_omitted")) ==
		  2 * (SNAPSHOT_MOST_ROWS + 7) - 1 - SNAPSHOT_MOST_ROWS);
	json_decref(cpu);
}

Test(snapshot, every_loss_has_its_name_also_when_there_is_none)
{
	OWNS(profile) struct profile *p = profile_new();

	check(snapshot_page_lost(p), "{\"ring_full\":0,\"malformed\":0}");
	cr_assert(profile_add_loss(p, "malformed", 3) == 0);
	cr_assert(profile_add_loss(p, "profile_full", 5) == 0);
	check(snapshot_page_lost(p), "{\"ring_full\":0,\"malformed\":3,\"profile_full\":5}");
}
