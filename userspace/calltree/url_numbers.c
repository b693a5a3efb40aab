/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/url_numbers.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS 5
#define GOES_ON (1u << DIGIT_BITS)

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._";

static void write_number(uint32_t number, struct buffer *out)
{
	int shift = 0;

	while (number >> shift >= GOES_ON)
		shift += DIGIT_BITS;
	for (; shift > 0; shift -= DIGIT_BITS)
		buffer_add(out, &digits[(number >> shift & (GOES_ON - 1)) | GOES_ON], 1);
	buffer_add(out, &digits[number & (GOES_ON - 1)], 1);
}

/* How many numbers from @numbers[@at] on go on from the one before by the same step of 1. */
static uint32_t run_at(const uint32_t *numbers, uint32_t count, uint32_t at)
{
	uint32_t step, run = 0;

	if (!at)
		return 0;
	step = numbers[at] - numbers[at - 1]; /* 1, or -1 as it wraps */
	if (step != 1 && step != UINT32_MAX)
		return 0;
	while (at + run < count && numbers[at + run] - numbers[at + run - 1] == step)
		run++;
	return run;
}

void url_numbers_write(const uint32_t *numbers, uint32_t count, struct buffer *out)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t run = run_at(numbers, count, i);

		if (run > 1) {
			buffer_add(out, &digits[GOES_ON], 1);
			i += run - 1;
		}
		write_number(numbers[i], out);
	}
}

struct reader {
	const char *at, *end;
	uint32_t limit;
	uint32_t *numbers;
	uint32_t count, room;
};

static int add(struct reader *r, uint32_t number)
{
	if (r->count == r->room) {
		uint32_t room = r->room ? 2 * r->room : 16;
		uint32_t *grown = reallocarray(r->numbers, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		r->numbers = grown;
		r->room = room;
	}
	if (r->count == URL_NUMBERS_MOST)
		return -EBADMSG;
	r->numbers[r->count++] = number;
	return 0;
}

/* All from the last number to @number, or that alone if it is the first. */
static int add_up_to(struct reader *r, uint32_t number)
{
	uint32_t last = r->count ? r->numbers[r->count - 1] : number + 1;
	int err = 0;

	while (last != number && !err) {
		last += last < number ? 1 : -1;
		err = add(r, last);
	}
	return err;
}

static int read_number(struct reader *r, uint32_t *number, bool *is_range)
{
	uint64_t value = 0;
	bool goes_on = true;

	*is_range = false;
	for (bool is_first = true; goes_on; is_first = false) {
		const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;

		if (!digit)
			return -EBADMSG;
		r->at++;
		*is_range |= is_first && digit - digits == GOES_ON;
		goes_on = (digit - digits) & GOES_ON;
		value = value << DIGIT_BITS | ((digit - digits) & (GOES_ON - 1));
		if (value >= r->limit)
			return -EBADMSG;
	}
	*number = value;
	return 0;
}

int url_numbers_read(const char *text, size_t len, uint32_t limit, uint32_t **numbers,
		     uint32_t *count)
{
	struct reader r = { .at = text, .end = text + len, .limit = limit };
	int err = 0;

	while (!err && r.at < r.end) {
		uint32_t number;
		bool is_range;

		err = read_number(&r, &number, &is_range);
		if (!err)
			err = is_range ? add_up_to(&r, number) : add(&r, number);
	}
	if (err) {
		free(r.numbers);
		return err;
	}
	*numbers = r.numbers;
	*count = r.count;
	return 0;
}
