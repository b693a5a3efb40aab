/* SPDX-License-Identifier: Apache-2.0 */
#include "export/exporter.h"
#include "golden.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

#define DATA_START "<script type=\"application/json\" id=\"profile\">\n"

static void json_cleanup(json_t **json)
{
	json_decref(*json);
}

/* The profile in the page: what lies between its element's start and the next end of a script. */
static void find_data(const struct buffer *page, const char **data, size_t *len)
{
	const char *start = memmem(page->data, page->len, DATA_START, strlen(DATA_START));
	const char *end;

	cr_assert(start != NULL);
	start += strlen(DATA_START);
	end = memmem(start, page->data + page->len - start, "</script", strlen("</script"));
	cr_assert(end != NULL);
	*data = start;
	*len = end - start;
}

static json_t *exported(const struct profile *p)
{
	struct buffer out OWNS(buffer) = { 0 };
	json_error_t error;
	const char *data;
	json_t *json;
	size_t len;

	test_export("html", p, NULL, 0, &out);
	find_data(&out, &data, &len);
	json = json_loadb(data, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
	cr_assert(json != NULL, "%s at byte %d: %.200s", error.text, error.position, data);
	return json;
}

static void expect_data(const char *path, const struct profile *p)
{
	struct buffer out OWNS(buffer) = { 0 };
	const char *data;
	size_t len;

	test_export("html", p, NULL, 0, &out);
	find_data(&out, &data, &len);
	expect_golden(path, data, len);
}

Test(export_html, data_of_two_threads)
{
	OWNS(profile) struct profile *p = test_small_profile();

	expect_data("html/threads.json", p);
}

Test(export_html, data_in_the_order_of_time)
{
	static const struct test_frame f = { "f", "a.py", 1, 2, 0 };
	static const struct test_frame g = { "g", "a.py", 1, 2, PROFILE_NATIVE };
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 2, "p", "t");
	profile_id base = test_stack(p, PROFILE_NONE, &f);

	profile_about(p)->keeps_order = true;
	profile_about(p)->decimals = 1;
	for (int i = 0; i < 6; i++)
		test_sample(p, i % 3 ? base : test_stack(p, base, &g), thread, 5, 1);
	expect_data("html/ordered.json", p);
}

Test(export_html, an_empty_profile_is_a_page)
{
	OWNS(profile) struct profile *p = profile_new();

	expect_data("html/empty.json", p);
}

Test(export_html, names_stay_text_whatever_they_hold)
{
	static const struct {
		const char *name, *shown;
	} rows[] = {
		{ "</script><script>", "</script><script>" },
		{ "<!--<script>", "<!--<script>" },
		{ "{{profile}}", "{{profile}}" },
		{ "a\nb\x1b\x7f\xc2\x85", "a\\x0ab\\x1b\\x7f\\x85" },
		{ "\u202egnp.exe\u2069", "\\u202egnp.exe\\u2069" },
		{ "\"\\\u2028\u00e9\xf0\x9f\x90\x8d", "\"\\\u2028\u00e9\xf0\x9f\x90\x8d" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(profile) struct profile *p = profile_new();
		struct test_frame frame = { rows[i].name, rows[i].name, 1, 1, 0 };
		profile_id thread = test_thread(p, 1, 1, rows[i].name, rows[i].name);
		OWNS(json) json_t *json = NULL;
		const char *name, *file;

		test_sample(p, test_stack(p, PROFILE_NONE, &frame), thread, 1, 1);
		profile_about(p)->unit = test_string(p, rows[i].name);
		json = exported(p);
		cr_assert(json_unpack(json, "{s:[s], s:{s:[s]}}", "files", &file, "functions",
				      "name", &name) == 0);
		cr_expect(eq(str, (char *)name, (char *)rows[i].shown));
		cr_expect(eq(str, (char *)file, (char *)rows[i].shown));
	}
}

static double sum_of(const json_t *column)
{
	json_t *value;
	double sum = 0;
	size_t i;

	json_array_foreach(column, i, value) sum += json_number_value(value);
	return sum;
}

Test(export_html, columns_fit_each_other_in_any_profile)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		OWNS(profile) struct profile *p = test_random_profile(seed);
		uint32_t count, odd = 0;
		const struct profile_sample *samples = profile_samples(p, &count);
		OWNS(json) json_t *json = NULL;
		json_t *functions, *boxes;
		double total;

		for (uint32_t i = 0; i < count; i++)
			odd += samples[i].weight < 0 || samples[i].weight > INT64_MAX / 64;
		if (odd)
			continue;
		json = exported(p);
		functions = json_object_get(json, "functions");
		boxes = json_object_get(json, "boxes");
		total = json_number_value(json_object_get(json, "total"));
		cr_expect(eq(sz, json_array_size(json_object_get(boxes, "up")),
			     json_array_size(json_object_get(boxes, "self"))));
		cr_expect(eq(sz, json_array_size(json_object_get(boxes, "function")),
			     json_array_size(json_object_get(boxes, "self"))));
		cr_expect(epsilon_eq(dbl, sum_of(json_object_get(boxes, "self")), total,
				     total / 1e12));
		cr_expect(epsilon_eq(dbl, sum_of(json_object_get(functions, "self")), total,
				     total / 1e12));
	}
}

Test(export_html, a_weight_below_zero_is_refused)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };

	test_sample(p, PROFILE_NONE, test_thread(p, 1, 2, "p", "t"), -1, 1);
	test_export("html", p, NULL, -ERANGE, &out);
}

Test(export_html, the_page_loads_nothing)
{
	OWNS(profile) struct profile *p = test_small_profile();
	struct buffer out OWNS(buffer) = { 0 };
	static const char *const loaders[] = {
		"src=", "href=", "url(", "import ", "http:", "https:"
	};

	test_export("html", p, NULL, 0, &out);
	for (size_t i = 0; i < sizeof(loaders) / sizeof(*loaders); i++)
		cr_expect(memmem(out.data, out.len, loaders[i], strlen(loaders[i])) == NULL, "%s",
			  loaders[i]);
}
