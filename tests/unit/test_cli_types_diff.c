/* SPDX-License-Identifier: Apache-2.0 */
/* Types before and after, and which of them comes first. */
#include "cli/types_diff.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct amount {
	const char *name;
	uint64_t objects, bytes;
};

/* A heap of @rows up to one without a name; names with a '[' are storage. */
static struct heap_types heap_of(const struct amount *rows)
{
	struct heap_types heap = { 0 };

	for (; rows->name; rows++) {
		struct heap_type row = { strdup(rows->name), strdup("m"), rows->objects,
					 rows->bytes, rows->name[0] == '[' };

		cr_assert(heap_types_add(&heap, &row) == 0);
	}
	return heap;
}

static void add(struct types_diff *d, const struct amount *rows, double seconds)
{
	struct heap_types heap OWNS(heap_types) = heap_of(rows);

	cr_assert(types_diff_add(d, &heap, seconds) == 0);
}

static void set_before(struct types_diff *d, const struct amount *rows)
{
	struct heap_types heap OWNS(heap_types) = heap_of(rows);

	cr_assert(types_diff_set_before(d, &heap) == 0);
}

static const struct amount earlier[] = { { "same", 5, 500 },  { "less", 9, 900 },
					 { "gone", 1, 64 },   { "more", 10, 1000 },
					 { "[items", 1, 64 }, { NULL, 0, 0 } };
static const struct amount later[] = { { "more", 30, 3000 },	{ "new", 2, 128 },
				       { "less", 3, 300 },	{ "same", 5, 500 },
				       { "[items", 2, 100000 }, { NULL, 0, 0 } };

Test(cli_types_diff, what_grew_comes_first_and_what_shrank_last)
{
	static const struct {
		const char *name;
		uint64_t objects_before, objects, bytes_before, bytes;
	} want[] = { { "[items", 1, 2, 64, 100000 },
		     { "more", 10, 30, 1000, 3000 },
		     { "new", 0, 2, 0, 128 },
		     { "gone", 1, 0, 64, 0 },
		     { "less", 9, 3, 900, 300 } };
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct types_row *rows;
	uint32_t count;

	set_before(d, earlier);
	add(d, later, 1000);
	rows = types_diff_rows(d, 10, &count);
	cr_assert(count == 5 && types_diff_unchanged(d) == 1 && types_diff_scans(d) == 1);
	for (uint32_t i = 0; i < count; i++) {
		double change = (double)want[i].bytes - (double)want[i].bytes_before;

		cr_assert(!strcmp(rows[i].name, want[i].name), "%u: %s", i, rows[i].name);
		cr_assert(rows[i].objects_before == want[i].objects_before);
		cr_assert(rows[i].objects == want[i].objects);
		cr_assert(rows[i].bytes_before == want[i].bytes_before);
		cr_assert(rows[i].bytes == want[i].bytes);
		cr_assert(rows[i].is_storage == (i == 0));
		cr_assert(rows[i].bytes_trend.has_slope && !rows[i].bytes_trend.has_error);
		cr_assert(fabs(rows[i].bytes_trend.slope - change / 10) < 1e-9);
		cr_assert(types_row_grows(&rows[i]) == (i < 3));
	}
}

Test(cli_types_diff, without_a_time_between_there_is_no_slope)
{
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct types_row *rows;
	uint32_t count;

	set_before(d, earlier);
	add(d, later, 1000);
	rows = types_diff_rows(d, 0, &count);
	cr_assert(!strcmp(rows[0].name, "[items") && !strcmp(rows[4].name, "less"));
	cr_assert(!rows[0].bytes_trend.has_slope && types_row_grows(&rows[0]));
}

Test(cli_types_diff, the_first_scan_is_what_was_before)
{
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct types_row *rows;
	uint32_t count;

	cr_assert(types_diff_rows(d, 0, &count) == NULL && count == 0);
	add(d, earlier, 0);
	rows = types_diff_rows(d, 0, &count);
	cr_assert(rows != NULL && count == 0, "one scan is no change");
	add(d, later, 10);
	rows = types_diff_rows(d, 0, &count);
	cr_assert(count == 5 && !strcmp(rows[1].name, "more"));
	cr_assert(rows[1].objects_before == 10 && rows[1].objects == 30);
	cr_assert(fabs(rows[1].bytes_trend.slope - 200) < 1e-9);
}

Test(cli_types_diff, a_pair_of_names_is_one_type)
{
	static const struct amount twice[] = { { "a", 1, 16 }, { "a", 2, 32 }, { NULL, 0, 0 } };
	static const struct amount once[] = { { "a", 3, 48 }, { NULL, 0, 0 } };
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	uint32_t count;

	set_before(d, twice);
	add(d, once, 0);
	add(d, twice, 1);
	types_diff_rows(d, 0, &count);
	cr_assert(count == 0 && types_diff_unchanged(d) == 1);
}

/* It came back to what it was; that it was away is a change. */
Test(cli_types_diff, what_varied_has_changed)
{
	static const struct amount none[] = { { NULL, 0, 0 } };
	static const struct amount some[] = { { "a", 3, 48 }, { NULL, 0, 0 } };
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct types_row *rows;
	uint32_t count;

	add(d, some, 0);
	add(d, none, 1);
	add(d, some, 2);
	rows = types_diff_rows(d, 0, &count);
	cr_assert(count == 1 && rows[0].bytes_before == 48 && rows[0].bytes == 48);
	cr_assert(rows[0].bytes_trend.has_error && !types_row_grows(&rows[0]));
}

/* What churns grew by far more, between the first scan and the last. */
Test(cli_types_diff, a_leak_comes_before_a_type_that_churns)
{
	static const uint64_t churn[] = { 100,	 15000, 9000,  2000,  18000, 11000,
					  12000, 4000,	16000, 13000, 5000,  19000 };
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct types_row *rows;
	uint32_t count;

	for (uint64_t i = 0; i < 12; i++) {
		struct amount scan[] = { { "churn", churn[i], churn[i] * 64 },
					 { "leak", 500 * i, 500 * i * 64 },
					 { NULL, 0, 0 } };

		add(d, scan, 5.0 * i);
	}
	rows = types_diff_rows(d, 0, &count);
	cr_assert(count == 2 && !strcmp(rows[0].name, "leak"), "%s", rows[0].name);
	cr_assert(fabs(rows[0].objects_trend.slope - 100) < 1e-6);
	cr_assert(types_row_grows(&rows[0]) && !types_row_grows(&rows[1]));
	cr_assert(rows[1].bytes_trend.slope > rows[0].bytes_trend.slope, "or it shows nothing");
}

/* Both grow for sure; the one that grows faster does so by at least less. */
Test(cli_types_diff, what_grows_is_in_the_order_of_what_it_grows_at_least)
{
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct types_row *rows;
	uint32_t count;

	for (uint64_t i = 0; i < 12; i++) {
		struct amount scan[] = {
			{ "rough", 1, 100000 + 7040 * 5 * i + (i % 2 ? 20000 : 0) },
			{ "steady", 1, 6400 * 5 * i },
			{ NULL, 0, 0 },
		};

		add(d, scan, 5.0 * i);
	}
	rows = types_diff_rows(d, 0, &count);
	cr_assert(count == 2 && !strcmp(rows[0].name, "steady"), "%s", rows[0].name);
	cr_assert(types_row_grows(&rows[1]));
	cr_assert(rows[1].bytes_trend.slope > rows[0].bytes_trend.slope);
}

Test(cli_types_diff, storage_is_no_type_of_that_name)
{
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	struct heap_types heap OWNS(heap_types) = { 0 };
	struct heap_type type = { strdup("a"), strdup(""), 1, 16, false };
	struct heap_type storage = { strdup("a"), strdup(""), 2, 64, true };
	uint32_t count;

	cr_assert(heap_types_add(&heap, &type) == 0 && heap_types_add(&heap, &storage) == 0);
	cr_assert(types_diff_set_before(d, &heap) == 0);
	heap.count = 1; /* the storage is gone */
	cr_assert(types_diff_add(d, &heap, 1) == 0);
	heap.count = 2;
	cr_assert(types_diff_rows(d, 1, &count)[0].is_storage && count == 1);
	cr_assert(types_diff_unchanged(d) == 1);
}
