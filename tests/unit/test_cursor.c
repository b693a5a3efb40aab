/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cursor.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const uint8_t bytes[] = { 1, 2, 3, 4 };

Test(cursor, bytes_come_front_to_back)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cr_expect(eq(u8, take_byte(&c), 1));
	cr_expect(eq(ptr, (void *)take_bytes(&c, 2), (void *)(bytes + 1)));
	cr_expect(eq(sz, cursor_left(&c), 1));
	cr_expect(eq(u8, take_byte(&c), 4));
	cr_expect(eq(sz, cursor_left(&c), 0));
	cr_expect(not(c.short_read));
}

Test(cursor, a_read_past_the_end_gives_zero_and_is_remembered)
{
	struct cursor c = cursor_of(bytes, 1);

	(void)take_byte(&c);
	cr_expect(eq(u8, take_byte(&c), 0));
	cr_expect(c.short_read);
	cr_expect(eq(sz, cursor_left(&c), 0));
}

Test(cursor, after_a_short_read_nothing_more_is_given)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cr_expect(take_bytes(&c, 5) == NULL);
	cr_expect(c.short_read);
	cr_expect(eq(u8, take_byte(&c), 0));
	cr_expect(take_bytes(&c, 1) == NULL);
}

Test(cursor, no_length_is_too_long_to_be_compared)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cr_expect(take_bytes(&c, SIZE_MAX) == NULL);
	cr_expect(c.short_read);
}

Test(cursor, no_bytes_at_no_address_are_an_empty_one)
{
	struct cursor c = cursor_of(NULL, 0);

	cr_expect(take_bytes(&c, 0) != NULL);
	cr_expect(not(c.short_read));
	cr_expect(eq(u8, take_byte(&c), 0));
	cr_expect(c.short_read);
}

Test(cursor, taking_nothing_is_no_short_read)
{
	struct cursor c = cursor_of(bytes, 0);

	cr_expect(take_bytes(&c, 0) != NULL);
	cr_expect(not(c.short_read));
}
