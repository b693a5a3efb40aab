/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a scan, and the small tables that it is made with. */
#include "resolve/heap_census.h"

#include "resolve/address_set.h"
#include "resolve/heap_ranges.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define CENSUS(name) __attribute__((cleanup(heap_census_cleanup))) struct heap_census name = { 0 }

Test(heap_census, sizes_are_ascending_and_each_once)
{
	static const uint32_t sizes[] = { 64, 16, 512, 64, 32, 16, 64 };
	static const uint32_t sorted[] = { 16, 32, 64, 512 }, pools[] = { 2, 1, 3, 1 };
	CENSUS(c);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct heap_census_size one = { sizes[i], 10, 5, 1, 3 };

		cr_assert(eq(int, heap_census_add_size(&c, &one), 0));
	}
	cr_assert(eq(u32, c.size_count, 4));
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert(eq(u32, c.sizes[i].size, sorted[i]));
		cr_assert(eq(u64, c.sizes[i].pools, pools[i]));
		cr_assert(eq(u64, c.sizes[i].blocks, 10 * pools[i]));
		cr_assert(eq(u64, c.sizes[i].free_blocks, 5 * pools[i]));
		cr_assert(eq(u64, c.sizes[i].freed_blocks, 3 * pools[i]));
	}
}

Test(heap_census, has_no_more_kinds_than_the_most)
{
	CENSUS(c);

	for (uint32_t i = 0; i < HEAP_CENSUS_MOST_KINDS + 3; i++) {
		struct heap_census_kind one = { .type = i, .objects = i + 1, .block_bytes = 16 };

		cr_assert(eq(int, heap_census_add_kind(&c, &one), 0));
	}
	cr_assert(eq(u32, c.kind_count, HEAP_CENSUS_MOST_KINDS));
	cr_assert(eq(u32, c.kinds_left_out, 3));
	cr_assert(eq(u64, c.kinds[1000].objects, 1001));
}

Test(heap_census, types_of_one_name_and_module_are_one)
{
	static const struct heap_census_type rows[] = {
		{ "B", "m", 1, 100 }, { "A", "m", 5, 100 }, { "C", "m", 1, 100 },
		{ "A", "n", 1, 999 }, { "A", "m", 1, 0 },   { "B", "m", 2, 300 },
	};
	static const char *const order[][2] = {
		{ "n", "A" }, { "m", "B" }, { "m", "A" }, { "m", "C" }
	};
	CENSUS(c);

	c.types = calloc(6, sizeof(*c.types));
	for (c.type_count = 0; c.type_count < 6; c.type_count++) {
		struct heap_census_type one = rows[c.type_count];

		one.name = strdup(one.name);
		one.module = strdup(one.module);
		c.types[c.type_count] = one;
	}
	heap_census_sort(&c);
	cr_assert(eq(u32, c.type_count, 4));
	for (size_t i = 0; i < 4; i++) {
		cr_assert(eq(str, c.types[i].module, (char *)order[i][0]), "row %zu", i);
		cr_assert(eq(str, c.types[i].name, (char *)order[i][1]), "row %zu", i);
	}
	cr_assert(eq(u64, c.types[1].objects, 3));
	cr_assert(eq(u64, c.types[1].bytes, 400));
	cr_assert(eq(u64, c.types[2].objects, 6));
}

Test(heap_census, empty_one_is_sorted_and_consistent)
{
	CENSUS(c);

	heap_census_sort(&c);
	cr_assert(ieee_ulp_eq(dbl, heap_census_consistency(&c), 1, 1));
	c.pools_unreadable = 3;
	cr_assert(ieee_ulp_eq(dbl, heap_census_consistency(&c), 0, 1));
	c.pools = 9;
	cr_assert(ieee_ulp_eq(dbl, heap_census_consistency(&c), 0.75, 1));
}

Test(heap_ranges, that_touch_become_one_and_hold_what_they_held)
{
	static const uint64_t rows[][2] = { { 50, 60 }, { 10, 20 }, { 20, 30 }, { 55, 58 },
					    { 70, 70 }, { 28, 35 }, { 90, 80 }, { 60, 61 } };
	struct heap_ranges r = { 0 };

	cr_assert(eq(u64, heap_ranges_find(&r, 10).end, 0));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_assert(eq(int, heap_ranges_add(&r, rows[i][0], rows[i][1]), 0));
	heap_ranges_seal(&r);
	cr_assert(eq(sz, r.count, 2));
	for (uint64_t i = 0; i < 100; i++)
		cr_assert(eq(int, heap_ranges_hold(&r, i),
			     (i >= 10 && i < 35) || (i >= 50 && i < 61)),
			  "%lu", (unsigned long)i);
	cr_assert(eq(u64, heap_ranges_find(&r, 34).start, 10));
	heap_ranges_fini(&r);
}

Test(address_set, has_each_once_and_no_more_than_the_most)
{
	struct address_set s = { .factor = 0x9e3779b97f4a7c15ull, .most = 3000 };

	cr_assert(eq(int, address_set_add(&s, 0), 0));
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 1; i <= 3000; i++)
			cr_assert(eq(int, address_set_add(&s, i * 4096), !round));
	cr_assert(eq(int, address_set_add(&s, 8), 0));
	cr_assert(eq(int, address_set_add(&s, 4096), 0));
	cr_assert(eq(u64, s.left_out, 1));
	cr_assert(eq(sz, s.count, 3000));
	address_set_fini(&s);
}
