/* SPDX-License-Identifier: Apache-2.0 */
#include "import/decimal.h"

#define ROOM_FOR_ONE_MORE ((INT64_MAX - 9) / 10)
#define LARGEST_EXPONENT 1000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the text is read up to. */
struct reader {
	const char *at, *end;
	uint64_t digits;
	int exponent; /* that @digits have so far */
	bool is_full, is_rounded;
};

/* The digits at hand; each is worth 10^@step less than the one before, after the point. */
static size_t read_digits(struct reader *r, int step)
{
	const char *start = r->at;

	for (; r->at < r->end && is_digit(*r->at); r->at++) {
		if (!r->is_full && r->digits <= ROOM_FOR_ONE_MORE) {
			r->digits = r->digits * 10 + (*r->at - '0');
			r->exponent -= step;
			continue;
		}
		if (!r->is_full && *r->at >= '5')
			r->digits++;
		r->is_full = true;
		r->is_rounded |= *r->at != '0';
		r->exponent += 1 - step;
	}
	return r->at - start;
}

static bool read_exponent(struct reader *r)
{
	bool is_negative;
	int exponent = 0;

	if (r->at == r->end || (*r->at != 'e' && *r->at != 'E'))
		return true;
	if (++r->at == r->end)
		return false;
	is_negative = *r->at == '-';
	if (*r->at == '-' || *r->at == '+')
		r->at++;
	if (r->at == r->end)
		return false;
	for (; r->at < r->end && is_digit(*r->at); r->at++) {
		exponent = exponent * 10 + (*r->at - '0');
		if (exponent > LARGEST_EXPONENT)
			return false;
	}
	r->exponent += is_negative ? -exponent : exponent;
	return true;
}

static void set(struct decimal *d, const struct reader *r, bool is_negative)
{
	uint64_t digits = r->digits;
	int exponent = r->exponent;

	while (digits && digits % 10 == 0) {
		digits /= 10;
		exponent++;
	}
	*d = (struct decimal){
		.digits = is_negative ? -(int64_t)digits : (int64_t)digits,
		.exponent = digits ? exponent : 0,
		.is_rounded = r->is_rounded,
	};
}

bool decimal_read(const char *text, size_t len, struct decimal *d)
{
	struct reader r = { .at = text, .end = text + len };
	bool is_negative = len && *text == '-';
	size_t digits;

	if (len > LARGEST_EXPONENT)
		return false;
	r.at += is_negative;
	digits = read_digits(&r, 0);
	if (r.at < r.end && *r.at == '.') {
		r.at++;
		digits += read_digits(&r, 1);
	}
	if (!digits || !read_exponent(&r) || r.at != r.end)
		return false;
	set(d, &r, is_negative);
	return true;
}

bool decimal_scale(const struct decimal *d, int power, int64_t *result)
{
	int exponent = d->exponent + power;
	int64_t value = d->digits;
	int last = 0;

	for (; exponent > 0 && value; exponent--)
		if (__builtin_mul_overflow(value, (int64_t)10, &value))
			return false;
	for (; exponent < 0 && (value || last); exponent++) {
		last = (int)(value % 10);
		value /= 10;
	}
	if (last >= 5)
		value++;
	else if (last <= -5)
		value--;
	*result = value;
	return true;
}

double decimal_value(const struct decimal *d)
{
	double value = (double)d->digits;

	for (int i = d->exponent; i > 0; i--)
		value *= 10;
	for (int i = d->exponent; i < 0; i++)
		value /= 10;
	return value;
}
