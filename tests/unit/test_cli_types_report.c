/* SPDX-License-Identifier: Apache-2.0 */
/* What grew, as text and JSON, compared byte for byte with the files of tests/golden/heap/. */
#include "cli/types_report.h"

#include "golden.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull
#define BEGIN (1700000000 * SECOND)

static struct trend trend_of_two(double slope)
{
	return (struct trend){ .has_slope = true, .slope = slope, .least = slope };
}

static struct trend trend_of_many(double slope, double error)
{
	return (struct trend){
		.has_slope = true,
		.has_error = true,
		.slope = slope,
		.error = error,
		.least = slope - 4 * error,
	};
}

static const struct heap_types process = {
	.pid = 1234,
	.name = (char *)"python3",
	.python = (char *)"3.11.2",
	.tier = (char *)"scan",
};

static void expect_report(const struct types_report *r, const char *text, const char *json)
{
	OWNS(buffer) struct buffer out = { 0 };
	OWNS_MEM char *dumped = NULL;
	json_t *made = types_report_json(r);

	setenv("TZ", "UTC", 1);
	types_report_add_text(r, &out);
	cr_assert(buffer_error(&out) == 0 && made != NULL);
	expect_golden(text, out.data, out.len);
	dumped = json_dumps(made, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	expect_golden(json, dumped, strlen(dumped));
	json_decref(made);
}

Test(cli_types_report, a_difference_says_before_after_and_how_fast)
{
	const struct types_row rows[] = {
		{ "Widget", "app", false, 100, 6400, 6100, 390400, trend_of_two(100),
		  trend_of_two(6400) },
		{ "\033[31mred", "\xe2\x80\xae", false, 0, 0, 1, 32, trend_of_two(1.0 / 60),
		  trend_of_two(32.0 / 60) },
		{ "list items", "", true, 5, 5000, 5, 4000, trend_of_two(0),
		  trend_of_two(-1000.0 / 60) },
		{ "int", "builtins", false, 10, 320, 0, 0, { 0 }, { 0 } },
	};
	struct buffer warnings = { .data = (char *)"one thing\nanother\n", .len = 18 };
	const struct types_report r = {
		.process = &process,
		.before = { BEGIN, 5000000, "a\nfile.json" },
		.after = { BEGIN + 60 * SECOND, 6000000, NULL },
		.scans = 1,
		.rows = rows,
		.count = 4,
		.unchanged = 17,
		.warnings = &warnings,
	};

	expect_report(&r, "heap/diff.txt", "heap/diff.json");
}

Test(cli_types_report, a_trend_says_what_grows_for_sure)
{
	const struct types_row rows[] = {
		{ "Forgotten", "app", false, 100, 6400, 6100, 390400, trend_of_many(100, 0.1),
		  trend_of_many(6400, 6.4) },
		{ "Request", "app", false, 9000, 576000, 20000, 1280000, trend_of_many(900, 1000),
		  trend_of_many(57600, 64000) },
	};
	struct buffer none = { 0 };
	const struct types_report r = {
		.process = &process,
		.before = { BEGIN, 5000000, NULL },
		.after = { BEGIN + 55 * SECOND, 4000000, NULL },
		.scans = 12,
		.rows = rows,
		.count = 2,
		.warnings = &none,
	};

	expect_report(&r, "heap/trend.txt", "heap/trend.json");
}

Test(cli_types_report, what_cannot_be_compared_is_refused_or_told)
{
	static const struct {
		struct heap_types before;
		const char *warning; /* NULL: none; "": refused */
	} rows[] = {
		{ { .pid = 5, .tier = (char *)"scan", .time_ns = 1 }, NULL },
		{ { .pid = 5, .tier = (char *)"probe", .time_ns = 1 }, "" },
		{ { .pid = 6, .tier = (char *)"scan", .time_ns = 1 },
		  "before is of process 6, another one\n" },
		{ { .pid = 5, .name = (char *)"b", .tier = (char *)"scan", .time_ns = 1 },
		  "the process had another name before: the number may have been used again\n" },
		{ { .pid = 5, .python = (char *)"3.12.1", .tier = (char *)"scan", .time_ns = 1 },
		  "before is of Python 3.12.1, whose objects are of other sizes\n" },
		{ { .pid = 5, .tier = (char *)"scan", .time_ns = 2 },
		  "before is not older than now: no change a second\n" },
		{ { .pid = 5, .tier = (char *)"scan", .time_ns = 1, .omitted_objects = 1 },
		  "there are more types than a scan tells apart: some may only seem to come or "
		  "go\n" },
	};
	const struct heap_types after = { .pid = 5,
					  .name = (char *)"a",
					  .python = (char *)"3.11.2",
					  .tier = (char *)"scan",
					  .time_ns = 2 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer warnings = { 0 }, why = { 0 };
		bool is_refused = rows[i].warning && !*rows[i].warning;
		int err = types_report_check(&rows[i].before, &after, &warnings, &why);

		cr_assert(err == (is_refused ? -EINVAL : 0), "%zu", i);
		if (is_refused)
			cr_assert(strstr(why.data, "tier probe") != NULL, "%s", why.data);
		else if (rows[i].warning)
			cr_assert(!strcmp(warnings.data, rows[i].warning), "%s", warnings.data);
		else
			cr_assert(!warnings.len, "%s", warnings.data);
	}
}
