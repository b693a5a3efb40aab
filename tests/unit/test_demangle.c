/* SPDX-License-Identifier: Apache-2.0 */
#include "native/demangle.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static void expect_name(const char *name, const char *expected)
{
	OWNS(buffer) struct buffer out = { 0 };

	cr_expect(eq(int, demangle_add(name, &out), 0));
	cr_expect(eq(str, out.data, (char *)expected), "%.80s", name);
}

/* As `perf script` prints them. */
Test(demangle, names_are_as_perf_prints_them)
{
	static const struct {
		const char *name, *expected;
	} rows[] = {
		{ "main", "main" },
		{ "", "" },
		{ "_", "_" },
		{ "_start", "_start" },
		{ "_Z3foov", "foo" },
		{ "_ZN3abc3defEii", "abc::def" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi",
		  "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZNK4deep3BoxIlEltERKS1_", "deep::Box<long>::operator<" },
		{ "_ZN12_GLOBAL__N_16hiddenEl", "(anonymous namespace)::hidden" },
		{ "_ZN3FooC1Ev", "Foo::Foo" },
		{ "_ZN3FooD2Ev", "Foo::~Foo" },
		{ "_ZTv0_n24_N3FooD1Ev", "virtual thunk to Foo::~Foo()" },
		{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()" },
		{ "_Z1fIiEvT_", "f<int>" },
		{ "_Z3foov.constprop.0", "foo" },
		{ "_Z3foov@@V1", "foo" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt"
		  "17h0123456789abcdefE",
		  "<alloc::string::String as core::fmt::Debug>::fmt" },
		{ "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_Zbad", "_Zbad" },
		{ "_Z", "_Z" },
		{ "_R", "_R" },
		{ "_ZN3abc", "_ZN3abc" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_name(rows[i].name, rows[i].expected);
}

Test(demangle, what_was_there_before_stays)
{
	OWNS(buffer) struct buffer out = { 0 };

	buffer_add_text(&out, "a ");
	cr_expect(eq(int, demangle_add("_Z1bv", &out), 0));
	cr_expect(eq(int, demangle_add("_Zbad", &out), 0));
	cr_expect(eq(str, out.data, "a b_Zbad"));
}

Test(demangle, only_what_may_come_out_otherwise_is_looked_into)
{
	cr_expect(demangle_would("_Z3foov"));
	cr_expect(demangle_would("_RNvC1a1b"));
	cr_expect(not(demangle_would("malloc")));
	cr_expect(not(demangle_would("_init")));
	cr_expect(not(demangle_would("")));
}

static void repeat(struct buffer *out, const char *text, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		buffer_add_text(out, text);
}

Test(demangle, a_name_that_is_too_deep_stays_as_it_is)
{
	static const struct {
		const char *start, *part, *end;
	} rows[] = {
		{ "_Z1f", "P", "i" },	    { "_ZN", "1a", "E" },	 { "_Z1fI", "1AI", "E" },
		{ "_RNvC1a", "NvC1a", "" }, { "_RINvC1a1b", "R", "lE" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer name = { 0 };

		buffer_add_text(&name, rows[i].start);
		repeat(&name, rows[i].part, 60000 / strlen(rows[i].part));
		buffer_add_text(&name, rows[i].end);
		expect_name(name.data, name.data);
	}
}

Test(demangle, a_name_that_is_too_long_stays_as_it_is)
{
	OWNS(buffer) struct buffer name = { 0 };

	buffer_add_text(&name, "_Z1fi.");
	repeat(&name, "i", 70000);
	expect_name(name.data, name.data);
}

/* The number of part @i: S_, S0_ to SZ_, S10_; of Rust, an offset: _, 0_ to Z_, 10_. */
static void add_number(struct buffer *out, uint32_t i, const char *digits)
{
	uint32_t base = strlen(digits);

	if (i > base)
		buffer_print(out, "%c", digits[(i - 1) / base]);
	if (i)
		buffer_print(out, "%c", digits[(i - 1) % base]);
	buffer_add_text(out, "_");
}

#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER "abcdefghijklmnopqrstuvwxyz"

/* f<A<int, int>, A<A<…>, A<…>>, …>: each of the @depth parts names the one before twice. */
static void add_doubling(struct buffer *out, uint32_t depth)
{
	buffer_add_text(out, "_Z1fI1AIiiE");
	for (uint32_t i = 1; i <= depth; i++) {
		buffer_add_text(out, "S0_IS");
		add_number(out, i + 1, DIGITS UPPER);
		buffer_add_text(out, "S");
		add_number(out, i + 1, DIGITS UPPER);
		buffer_add_text(out, "E");
	}
	buffer_add_text(out, "Evv");
}

static void add_rust_doubling(struct buffer *out, uint32_t depth)
{
	uint32_t before = strlen("INvC1a1b"), start = out->len + strlen("_R");

	buffer_add_text(out, "_RINvC1a1bTllE");
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t at = out->len - start;

		buffer_add_text(out, "TB");
		add_number(out, before, DIGITS LOWER UPPER);
		buffer_add_text(out, "B");
		add_number(out, before, DIGITS LOWER UPPER);
		buffer_add_text(out, "E");
		before = at;
	}
	buffer_add_text(out, "E");
}

/* f<(Q<P<…, …>, …>)...>: each of the parts within each other is named once more beside it. */
static void add_nested_pack(struct buffer *out, uint32_t depth)
{
	buffer_add_text(out, "_Z1fIDp");
	for (uint32_t i = depth; i > 0; i--)
		buffer_print(out, "2B%cI", 'a' + i % 26);
	buffer_add_text(out, "1AIiiE");
	for (uint32_t i = 0; i < depth; i++) {
		buffer_add_text(out, "S");
		add_number(out, depth + 2 + i, DIGITS UPPER);
		buffer_add_text(out, "E");
	}
	buffer_add_text(out, "Evv");
}

/* What is small enough is printed: the names are not just wrong. */
Test(demangle, a_name_that_stands_for_too_much_stays_as_it_is)
{
	static void (*const adds[])(struct buffer *, uint32_t) = { add_doubling, add_rust_doubling,
								   add_nested_pack };

	for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
		OWNS(buffer) struct buffer small = { 0 }, large = { 0 }, out = { 0 };

		adds[i](&small, 3);
		cr_expect(eq(int, demangle_add(small.data, &out), 0));
		cr_expect(out.len > 2 * small.len, "%s", out.data);
		adds[i](&large, 31);
		expect_name(large.data, large.data);
	}
}

/* "sp" is a pack's code, too. */
Test(demangle, many_references_are_no_harm_by_themselves)
{
	OWNS(buffer) struct buffer name = { 0 }, expected = { 0 };

	buffer_add_text(&name, "_Z7displayI1A");
	buffer_add_text(&expected, "display<A");
	repeat(&name, "S0_", 30);
	repeat(&expected, ", A", 30);
	buffer_add_text(&name, "Evv");
	buffer_add_text(&expected, ">");
	expect_name(name.data, expected.data);
}
