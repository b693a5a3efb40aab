/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-10 (no samples), C-16, C-17. */
#include "export/exporter.h"
#include "golden.h"
#include "profiles.h"
#include "spprof_api.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <jansson.h>

static void json_cleanup(json_t **json)
{
	json_decref(*json);
}

/* The parsed file, after a look at the rules of speedscope's importer. */
static json_t *exported(const struct profile *p)
{
	struct buffer out OWNS(buffer) = { 0 };
	json_t *root, *profile, *value;
	size_t frames, i, at;
	json_error_t error;

	test_export("speedscope", p, NULL, 0, &out);
	root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	cr_assert(root != NULL, "%s at byte %d", error.text, error.position);
	cr_expect(eq(str, (char *)json_string_value(json_object_get(root, "$schema")),
		     "https://www.speedscope.app/file-format-schema.json"));
	cr_expect(eq(str, (char *)json_string_value(json_object_get(root, "exporter")),
		     "spprof@" SPPROF_VERSION));
	frames = json_array_size(json_object_get(json_object_get(root, "shared"), "frames"));
	cr_expect(json_array_size(json_object_get(root, "profiles")) > 0);
	json_array_foreach(json_object_get(root, "profiles"), i, profile)
	{
		json_t *samples = json_object_get(profile, "samples");
		json_t *weights = json_object_get(profile, "weights");
		json_int_t sum = 0;

		cr_expect(eq(sz, json_array_size(samples), json_array_size(weights)));
		json_array_foreach(weights, at, value) sum += json_integer_value(value);
		cr_expect(eq(i64, json_integer_value(json_object_get(profile, "endValue")), sum));
		cr_expect(eq(i64, json_integer_value(json_object_get(profile, "startValue")), 0));
		for (size_t s = 0; s < json_array_size(samples); s++)
			json_array_foreach(json_array_get(samples, s), at, value)
				cr_expect(lt(sz, json_integer_value(value), frames));
	}
	return root;
}

Test(export_speedscope, a_profile_a_thread)
{
	OWNS(profile) struct profile *p = test_small_profile();
	OWNS(json) json_t *json = exported(p);
	struct buffer out OWNS(buffer) = { 0 };

	cr_expect(eq(sz, json_array_size(json_object_get(json, "profiles")), 2));
	test_export("speedscope", p, NULL, 0, &out);
	expect_golden("speedscope/threads.json", out.data, out.len);
}

Test(export_speedscope, an_empty_profile_can_be_loaded)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(json) json_t *json = exported(p);
	struct buffer out OWNS(buffer) = { 0 };

	cr_expect(eq(sz, json_array_size(json_object_get(json, "profiles")), 1));
	test_export("speedscope", p, NULL, 0, &out);
	expect_golden("speedscope/empty.json", out.data, out.len);
}

Test(export_speedscope, two_lines_of_a_function_are_one_frame)
{
	static const struct test_frame first = { "f", "a.py", 1, 2, 0 };
	static const struct test_frame second = { "f", "a.py", 1, 3, 0 };
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 2, "p", "t");
	OWNS(json) json_t *json = NULL;

	test_sample(p, test_stack(p, PROFILE_NONE, &first), thread, 10, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &second), thread, 10, 1);
	json = exported(p);
	json_t *frames = json_object_get(json_object_get(json, "shared"), "frames");
	cr_expect(eq(sz, json_array_size(frames), 1));
}

Test(export_speedscope, names_are_json_whatever_they_hold)
{
	static const char odd[] = "q\" b\\ n\n\x01 \u2028\xf0\x9f\x90\x8d \x7f \0 end";
	OWNS(profile) struct profile *p = profile_new();
	struct profile_function function = { 0 };
	OWNS(json) json_t *json = NULL;
	profile_id id;

	cr_assert(profile_add_string(p, odd, sizeof(odd) - 1, &function.name) == 0);
	cr_assert(profile_add_function(p, &function, &id) == 0);
	json = exported(p);
	json_t *frames = json_object_get(json_object_get(json, "shared"), "frames");
	json_t *name = json_object_get(json_array_get(frames, 0), "name");
	cr_assert(eq(sz, json_string_length(name), sizeof(odd) - 1));
	cr_expect(eq(int, memcmp(json_string_value(name), odd, sizeof(odd)), 0));
}

Test(export_speedscope, any_profile_keeps_the_importers_rules)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		OWNS(profile) struct profile *p = test_random_profile(seed);
		uint32_t count, negative = 0;
		const struct profile_sample *samples = profile_samples(p, &count);

		for (uint32_t i = 0; i < count; i++)
			negative += samples[i].weight < 0 || samples[i].weight > INT64_MAX / 64;
		if (!negative)
			json_decref(exported(p));
	}
}

Test(export_speedscope, a_weight_below_zero_is_refused)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };

	test_sample(p, PROFILE_NONE, test_thread(p, 1, 2, "p", "t"), -1, 1);
	test_export("speedscope", p, NULL, -ERANGE, &out);
}
