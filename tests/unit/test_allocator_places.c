/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/allocator_places.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define END       \
	{         \
		0 \
	}
#define MOST 12

/* A mapping as maps has it. */
#define READ(start, end, file, offset)                     \
	{                                                  \
		start, end, offset, 0, 8, file, 0, 0, "/f" \
	}
#define CODE(start, end, file, offset)                     \
	{                                                  \
		start, end, offset, 0, 8, file, 1, 0, "/f" \
	}
#define DATA(start, end, file, offset)                     \
	{                                                  \
		start, end, offset, 0, 8, file, 0, 1, "/f" \
	}
#define ZEROS(start, end)                        \
	{                                        \
		start, end, 0, 0, 0, 0, 0, 1, "" \
	}
#define HEAP(start, end)                               \
	{                                              \
		start, end, 0, 0, 0, 0, 0, 1, "[heap]" \
	}

static void take(struct allocator_places *p, const struct proc_mapping *maps)
{
	for (; maps->end; maps++)
		cr_assert(eq(int, allocator_places_take(maps, p), 0));
}

static const struct {
	uint64_t runtime;
	struct proc_mapping maps[MOST];
	uint64_t base, end;
	struct place data[3];
	size_t data_count, own_code, code;
} layouts[] = {
	/* the program itself, its heap right behind it */
	{ 0x9400,
	  { READ(0x1000, 0x2000, 5, 0), CODE(0x2000, 0x8000, 5, 0x1000),
	    READ(0x8000, 0x9000, 5, 0x7000), DATA(0x9000, 0xa000, 5, 0x8000), ZEROS(0xa000, 0xb000),
	    HEAP(0xb000, 0xf000), CODE(0x70000, 0x71000, 6, 0), END },
	  0x1000,
	  0xb000,
	  { { 0x9000, 0xa000 }, { 0xa000, 0xb000 } },
	  2,
	  1,
	  2 },
	/* a library that lies behind another file and before memory that is not its own */
	{ 0x24008,
	  { CODE(0x1000, 0x2000, 5, 0), DATA(0x2000, 0x3000, 5, 0x1000), ZEROS(0x3000, 0x4000),
	    READ(0x20000, 0x21000, 7, 0), CODE(0x21000, 0x23000, 7, 0x1000),
	    DATA(0x23000, 0x24000, 7, 0x3000), ZEROS(0x24000, 0x25000), ZEROS(0x25000, 0x26000),
	    DATA(0x26000, 0x27000, 8, 0x3000), END },
	  0x20000,
	  0x25000,
	  { { 0x23000, 0x24000 }, { 0x24000, 0x25000 } },
	  2,
	  1,
	  2 },
	/* zeros that are not right behind, the same file once more */
	{ 0x3000,
	  { CODE(0x1000, 0x3000, 5, 0), DATA(0x3000, 0x4000, 5, 0x2000), ZEROS(0x5000, 0x6000),
	    CODE(0x10000, 0x11000, 5, 0), DATA(0x11000, 0x12000, 5, 0x2000), END },
	  0x1000,
	  0x4000,
	  { { 0x3000, 0x4000 } },
	  1,
	  1,
	  2 },
	/* the heap right behind, without zeros; the same file was mapped before */
	{ 0x13000,
	  { CODE(0x1000, 0x3000, 5, 0), DATA(0x3000, 0x4000, 5, 0x2000),
	    CODE(0x11000, 0x13000, 5, 0), DATA(0x13000, 0x14000, 5, 0x2000), HEAP(0x14000, 0x15000),
	    END },
	  0x11000,
	  0x14000,
	  { { 0x13000, 0x14000 } },
	  1,
	  1,
	  2 },
};

Test(allocator_places, variables_are_in_the_file_and_in_what_follows_it)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		struct allocator_places p = { .runtime = layouts[i].runtime };

		take(&p, layouts[i].maps);
		cr_assert(p.has_runtime, "row %zu", i);
		cr_assert(eq(u64, p.base, layouts[i].base), "row %zu", i);
		cr_assert(eq(u64, p.end, layouts[i].end), "row %zu", i);
		cr_assert(eq(sz, p.data_count, layouts[i].data_count), "row %zu", i);
		for (size_t k = 0; k < p.data_count; k++) {
			cr_assert(eq(u64, p.data[k].start, layouts[i].data[k].start), "row %zu", i);
			cr_assert(eq(u64, p.data[k].end, layouts[i].data[k].end), "row %zu", i);
		}
		cr_assert(eq(sz, p.own_code_end - p.own_code, layouts[i].own_code), "row %zu", i);
		cr_assert(eq(sz, p.code_count, layouts[i].code), "row %zu", i);
		allocator_places_fini(&p);
	}
}

Test(allocator_places, code_is_told_from_its_own)
{
	static const struct proc_mapping maps[] = {
		CODE(0x1000, 0x2000, 4, 0),
		CODE(0x11000, 0x12000, 5, 0),
		DATA(0x12000, 0x13000, 5, 0x1000),
		CODE(0x21000, 0x22000, 6, 0),
		END,
	};
	static const struct {
		uint64_t address;
		bool is_code, is_own_code, is_own;
	} rows[] = {
		{ 0x1000, true, false, false },	  { 0x11000, true, true, true },
		{ 0x11fff, true, true, true },	  { 0x12000, false, false, true },
		{ 0x12fff, false, false, true },  { 0x13000, false, false, false },
		{ 0x21000, true, false, false },  { 0x22000, false, false, false },
		{ 0x10fff, false, false, false },
	};
	struct allocator_places p = { .runtime = 0x12010 };

	take(&p, maps);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t at = rows[i].address;

		cr_assert(eq(int, allocator_places_is_code(&p, at), rows[i].is_code), "row %zu", i);
		cr_assert(eq(int, allocator_places_is_own_code(&p, at), rows[i].is_own_code),
			  "row %zu", i);
		cr_assert(eq(int, allocator_places_is_own(&p, at), rows[i].is_own), "row %zu", i);
	}
	allocator_places_fini(&p);
}

Test(allocator_places, parts_are_bounded)
{
	static const struct proc_mapping maps[] = {
		CODE(0x1000, 0x2000, 5, 0),
		DATA(0x2000, 0x40000000, 5, 0x1000),
		END,
	};
	struct allocator_places p = { .runtime = 0x3000 };

	take(&p, maps);
	cr_assert(eq(u64, p.data[0].end - p.data[0].start, PLACES_MOST_DATA_BYTES));
	for (uint64_t i = 0; i < PLACES_MOST_CODE + 10; i++) {
		struct proc_mapping code = CODE(0x50000000 + i * 8192, 0x50001000 + i * 8192, 9, 0);

		cr_assert(eq(int, allocator_places_take(&code, &p), 0));
	}
	cr_assert(eq(sz, p.code_count, PLACES_MOST_CODE));
	allocator_places_fini(&p);
}

Test(allocator_places, a_process_without_it_has_none)
{
	static const struct proc_mapping maps[] = { CODE(0x1000, 0x2000, 5, 0), END };
	struct allocator_places p = { .runtime = 0x9000 };

	take(&p, maps);
	cr_assert(not(p.has_runtime));
	cr_assert(not(allocator_places_is_own(&p, 0x1000)));
	allocator_places_fini(&p);
}
