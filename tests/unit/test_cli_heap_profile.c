/* SPDX-License-Identifier: Apache-2.0 */
/* A heap as a profile, and as the files that are made of it. */
#include "cli/heap_profile.h"

#include "export/exporter.h"
#include "import/import.h"

#include <criterion/criterion.h>
#include <string.h>

static struct heap_type small_rows[] = {
	{ "Node", "app", 10, 640, false },   { "Node", "lib", 5, 320, false },
	{ "int", "builtins", 3, 96, false }, { "odd", "", 1, 16, false },
	{ "list items", "", 4, 400, true },
};
static const struct heap_types small_heap = {
	.name = "python3",
	.python = "3.11.2",
	.tier = "scan",
	.pid = 42,
	.time_ns = 1700000000000000000,
	.live_bytes = 2000,
	.omitted_objects = 2,
	.omitted_bytes = 64,
	.rows = small_rows,
	.count = sizeof(small_rows) / sizeof(small_rows[0]),
};

static void expect_file(const char *format, const struct export_options *o, const char *want)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer out = { 0 };

	cr_assert(heap_profile_add(p, &small_heap) == 0);
	cr_assert(exporter_find(format)->write(p, o, &out) == 0);
	cr_assert(!strcmp(out.data, want), "%s", out.data);
}

Test(cli_heap_profile, a_type_is_a_frame_below_its_module)
{
	static const struct export_options usual, objects = { .as_samples = true };

	expect_file("collapsed", &usual,
		    "[other types] 64\n[storage];list items 400\n[unknown] 464\n"
		    "app;Node (app:0) 640\nbuiltins;int (builtins:0) 96\n"
		    "lib;Node (lib:0) 320\nodd 16\n");
	expect_file("collapsed", &objects,
		    "[other types] 2\n[storage];list items 4\n[unknown] 0\n"
		    "app;Node (app:0) 10\nbuiltins;int (builtins:0) 3\n"
		    "lib;Node (lib:0) 5\nodd 1\n");
}

static int64_t sum_of(const struct profile *p)
{
	const struct profile_sample *rows;
	int64_t sum = 0;
	uint32_t count;

	rows = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++)
		sum += rows[i].weight;
	return sum;
}

Test(cli_heap_profile, weights_add_up_to_what_is_live)
{
	OWNS(profile) struct profile *p = profile_new();
	struct heap_types more = small_heap;

	cr_assert(heap_profile_add(p, &small_heap) == 0);
	cr_assert(sum_of(p) == 2000, "%ld", (long)sum_of(p));
	more.pid = 43;
	more.live_bytes = 0; /* an answer that does not tell */
	cr_assert(heap_profile_add(p, &more) == 0);
	cr_assert(sum_of(p) == 2000 + 1536, "%ld", (long)sum_of(p));
}

/* As Go's tools know a heap; another program's profile of memory keeps its own names. */
Test(cli_heap_profile, a_pprof_is_of_space_and_objects)
{
	static const char *const kinds[] = { "inuse_space", "alloc_space" };
	static const struct export_options usual;

	for (size_t i = 0; i < 2; i++) {
		OWNS(profile) struct profile *p = profile_new(), *back = profile_new();
		struct buffer out OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };
		OWNS(import_facts) struct import_facts facts = { 0 };
		const struct profile_about *about;

		cr_assert(heap_profile_add(p, &small_heap) == 0);
		cr_assert(!profile_add_string(p, kinds[i], strlen(kinds[i]),
					      &profile_about(p)->weighed));
		cr_assert(export_pprof.write(p, &usual, &out) == 0);
		cr_assert(import_profile(out.data, out.len, NULL, back, &facts, &why) == 0, "%s",
			  why.data);
		about = profile_about_get(back);
		cr_assert(!strcmp(profile_string(back, about->weighed), kinds[i]));
		cr_assert(!strcmp(profile_string(back, about->unit), "bytes"));
		cr_assert(!strcmp(profile_string(back, about->python), "3.11.2"));
		cr_assert(sum_of(back) == 2000);
	}
}

Test(cli_heap_profile, speedscope_shows_bytes)
{
	static const struct export_options usual;
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer out = { 0 };

	cr_assert(heap_profile_add(p, &small_heap) == 0);
	cr_assert(export_speedscope.write(p, &usual, &out) == 0);
	cr_assert(strstr(out.data, "\"name\":\"python3 42/42 heap\",\"unit\":\"bytes\","
				   "\"startValue\":0,\"endValue\":2000,") != NULL,
		  "%s", out.data);
}
