/* SPDX-License-Identifier: Apache-2.0 */
#include "native/kallsyms.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup\n"
			   "ffffffff81000100 t local_function\n"
			   "ffffffff81000200 d some_data\n"
			   "ffffffff81000300 W weak_function\n"
			   "ffffffff81000400 w weaker\n"
			   "ffffffff81000500 T _etext\n"
			   "ffffffffc0000010 t first_of_module\t[fuse]\n"
			   "ffffffffc0000020 t last_of_module\t[fuse]\n"
			   "ffffffffc0100000 t of_another\t[ext4]\n";

static struct kallsyms *parse(const char *lines)
{
	int err;
	struct kallsyms *k = kallsyms_new(lines, strlen(lines), &err);

	cr_assert(k != NULL, "%d", err);
	return k;
}

Test(kallsyms, a_function_reaches_to_the_next_one_of_its_module)
{
	static const struct {
		uint64_t address;
		const char *name;
		bool is_module;
	} rows[] = {
		{ 0, "-", false },
		{ 0xffffffff80ffffff, "-", false },
		{ 0xffffffff81000000, "startup", false },
		{ 0xffffffff810000ff, "startup", false },
		{ 0xffffffff81000100, "local_function", false },
		{ 0xffffffff81000200, "local_function", false }, /* data is no function */
		{ 0xffffffff81000300, "weak_function", false },
		{ 0xffffffff81000400, "weaker", false },
		{ 0xffffffff81000500, "_etext", false },
		{ 0xffffffff81001fff, "_etext", false }, /* at most to the end of the next page */
		{ 0xffffffff81002000, "-", false },
		{ 0xffffffffc0000010, "first_of_module", true },
		{ 0xffffffffc0000020, "last_of_module", true },
		{ 0xffffffffc0001fff, "last_of_module", true },
		{ 0xffffffffc0002000, "-", false },
		{ 0xffffffffc0100000, "of_another", true },
		{ UINT64_MAX, "-", false },
	};
	OWNS(kallsyms) struct kallsyms *k = parse(text);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_module = false;
		const char *name = kallsyms_find(k, rows[i].address, &is_module);

		cr_expect(eq(str, (char *)(name ? name : "-"), (char *)rows[i].name), "%#jx",
			  (uintmax_t)rows[i].address);
		cr_expect(eq(int, is_module, rows[i].is_module), "%s", rows[i].name);
	}
}

Test(kallsyms, references_are_known_even_if_others_have_better_names)
{
	OWNS(kallsyms) struct kallsyms *k = parse(text);

	cr_expect(eq(u64, kallsyms_reference(k, "_text"), 0xffffffff81000000));
	cr_expect(eq(u64, kallsyms_reference(k, "_stext"), 0xffffffff81000000));
	cr_expect(eq(u64, kallsyms_reference(k, "startup"), 0));
	cr_expect(eq(u64, kallsyms_reference(k, ""), 0));
}

Test(kallsyms, addresses_that_are_not_shown_are_none)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t function\n";
	int err;

	cr_expect(kallsyms_new(hidden, strlen(hidden), &err) == NULL);
	cr_expect(eq(int, err, -EACCES));
}

Test(kallsyms, what_is_no_line_of_it_is_passed_over)
{
	static const char *const rows[] = {
		"",
		"\n\n",
		"ffffffff81000000\n",
		"ffffffff81000000 T\n",
		"ffffffff81000000 T \n",
		"ffffffff81000000 TT name\n",
		"ffffffff81000000 D name\n",
		"FFFFFFFF81000000 T name\n",
		"0xfffffff81000000 T name\n",
		"0ffffffff81000000 T name\n",
		"not a line\n",
	};
	int err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect(kallsyms_new(rows[i], strlen(rows[i]), &err) == NULL, "%s", rows[i]);
		cr_expect(eq(int, err, -ENOENT), "%s", rows[i]);
	}
}

Test(kallsyms, the_last_line_may_have_no_end)
{
	OWNS(kallsyms) struct kallsyms *k = parse("1000 T function");
	bool is_module;

	cr_expect(eq(str, (char *)kallsyms_find(k, 0x1000, &is_module), "function"));
}

Test(kallsyms, the_kernels_notes_hold_its_build_id)
{
	/* /sys/kernel/notes: others may be before it. */
	static const uint8_t notes[] = "\6\0\0\0\4\0\0\0\1\1\0\0Linux\0\0\0\0\0\0\0"
				       "\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0twenty bytes of text";
	struct build_id id;

	cr_assert(kernel_build_id(notes, sizeof(notes) - 1, &id));
	cr_expect(eq(u8, id.len, 20));
	cr_expect(not(memcmp(id.bytes, "twenty bytes of text", 20)));
	for (size_t len = 0; len < sizeof(notes) - 1; len++)
		cr_expect(not(kernel_build_id(notes, len, &id)), "%zu", len);
}
