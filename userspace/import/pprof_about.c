/* SPDX-License-Identifier: Apache-2.0 */
#include "import/pprof_about.h"
#include "base/utf8.h"
#include "profile/pprof_names.h"

#include <errno.h>
#include <string.h>

#define PPROF_MOST_DECIMALS 9

struct comment {
	const char *text; /* valid UTF-8 */
	size_t len;
};

/* Takes @key off the front of @c, if it is there. */
static bool take_key(struct comment *c, const char *key)
{
	size_t len = strlen(key);

	if (c->len < len || memcmp(c->text, key, len) != 0)
		return false;
	c->text += len;
	c->len -= len;
	return true;
}

/* Decimal; what is no number is 0, what is too large the largest. */
static uint64_t number_of(const struct comment *c)
{
	uint64_t number = 0;

	for (size_t i = 0; i < c->len; i++) {
		if (c->text[i] < '0' || c->text[i] > '9')
			return 0;
		if (__builtin_mul_overflow(number, 10ull, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(c->text[i] - '0'), &number))
			return UINT64_MAX;
	}
	return number;
}

/* "NAME=N" */
static int read_loss(struct profile *p, const struct comment *c)
{
	const char *sign = memrchr(c->text, '=', c->len);
	struct comment number;
	OWNS_MEM char *name = NULL;

	if (!sign)
		return 0;
	name = strndup(c->text, sign - c->text);
	if (!name)
		return -ENOMEM;
	number.text = sign + 1;
	number.len = c->len - (sign + 1 - c->text);
	return profile_add_loss(p, name, number_of(&number));
}

static int read_comment(struct profile *p, struct comment c)
{
	struct profile_about *about = profile_about(p);

	if (take_key(&c, PPROF_COMMENT_TAKEN))
		about->taken = number_of(&c);
	else if (take_key(&c, PPROF_COMMENT_LOST))
		about->lost = number_of(&c);
	else if (take_key(&c, PPROF_COMMENT_LOSS))
		return read_loss(p, &c);
	else if (take_key(&c, PPROF_COMMENT_PYTHON))
		return profile_add_string(p, c.text, c.len, &about->python);
	else if (take_key(&c, PPROF_COMMENT_PLATFORM))
		return profile_add_string(p, c.text, c.len, &about->platform);
	else if (take_key(&c, PPROF_COMMENT_RATES))
		return profile_add_string(p, c.text, c.len, &about->rates);
	else if (take_key(&c, PPROF_COMMENT_DECIMALS))
		about->decimals = number_of(&c) <= PPROF_MOST_DECIMALS ? number_of(&c) : 0;
	else if (take_key(&c, PPROF_COMMENT_ORDER))
		about->keeps_order = true;
	return 0;
}

int pprof_read_about(const pb_profile *pb, struct profile *p, bool *is_ours)
{
	struct profile_about *about = profile_about(p);
	int err = 0;

	about->start_ns = (uint64_t)pb->time_nanos;
	about->duration_ns = (uint64_t)pb->duration_nanos;
	about->interval_ns = (uint64_t)pb->period;
	for (size_t i = 0; i < pb->n_comment && !err; i++) {
		const ProtobufCBinaryData *text = &pb->string_table[pb->comment[i]];
		struct buffer valid OWNS(buffer) = { 0 };

		utf8_repair(&valid, (const char *)text->data, text->len);
		err = buffer_error(&valid);
		if (err || !valid.len)
			continue;
		*is_ours |= strncmp(valid.data, PPROF_COMMENT_VERSION,
				    strlen(PPROF_COMMENT_VERSION)) == 0;
		err = read_comment(p, (struct comment){ valid.data, valid.len });
	}
	return err;
}
