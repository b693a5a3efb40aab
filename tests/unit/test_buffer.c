/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#define TOO_MUCH ((size_t)PTRDIFF_MAX + 1) /* for any object */

Test(buffer, zeroed_memory_is_an_empty_one)
{
	struct buffer b OWNS(buffer) = { 0 };

	cr_expect(eq(sz, b.len, 0));
	cr_expect(eq(int, buffer_error(&b), 0));
}

Test(buffer, what_is_added_follows_what_was)
{
	struct buffer b OWNS(buffer) = { 0 };

	buffer_add(&b, "one\0two", 7);
	buffer_add_text(&b, ";");
	buffer_print(&b, "%s=%d", "n", 42);
	cr_expect(eq(sz, b.len, 12));
	cr_expect(eq(int, memcmp(b.data, "one\0two;n=42", 13), 0));
}

Test(buffer, adding_nothing_still_ends_in_a_nul)
{
	struct buffer b OWNS(buffer) = { 0 };

	buffer_add(&b, NULL, 0);
	cr_expect(eq(str, b.data, ""));
	buffer_print(&b, "%s", "");
	cr_expect(eq(str, b.data, ""));
}

Test(buffer, growing_keeps_the_bytes)
{
	struct buffer b OWNS(buffer) = { 0 };
	char text[16];

	for (int i = 0; i < 10000; i++)
		buffer_print(&b, "%08d", i);
	cr_assert(eq(int, buffer_error(&b), 0));
	cr_expect(eq(sz, b.len, 80000));
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof(text), "%08d", i);
		cr_assert(eq(int, memcmp(b.data + 8 * i, text, 8), 0));
	}
}

Test(buffer, a_print_longer_than_the_room_is_whole)
{
	struct buffer b OWNS(buffer) = { 0 };

	buffer_print(&b, "%1000d.", 7);
	cr_expect(eq(sz, b.len, 1001));
	cr_expect(eq(str, b.data + 999, "7."));
}

Test(buffer, the_error_stays_and_later_additions_do_nothing)
{
	struct buffer b OWNS(buffer) = { 0 };

	buffer_add_text(&b, "kept");
	buffer_add(&b, "", TOO_MUCH);
	cr_expect(eq(int, buffer_error(&b), -ENOMEM));
	buffer_add_text(&b, "late");
	buffer_print(&b, "%d", 1);
	cr_expect(eq(int, buffer_error(&b), -ENOMEM));
	cr_expect(eq(str, b.data, "kept"));
}

Test(buffer, no_length_is_so_long_that_it_looks_short)
{
	struct buffer b OWNS(buffer) = { 0 };

	buffer_add_text(&b, "kept");
	buffer_add(&b, "", SIZE_MAX - 3);
	cr_expect(eq(int, buffer_error(&b), -ENOMEM));
	cr_expect(eq(str, b.data, "kept"));
}

Test(buffer, after_fini_it_is_empty_and_good_for_more)
{
	struct buffer b OWNS(buffer) = { 0 };

	buffer_add(&b, "", TOO_MUCH);
	buffer_fini(&b);
	buffer_fini(&b);
	buffer_add_text(&b, "again");
	cr_expect(eq(int, buffer_error(&b), 0));
	cr_expect(eq(str, b.data, "again"));
}
