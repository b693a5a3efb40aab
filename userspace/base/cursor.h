/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor - bytes that nobody vouches for, read front to back.
 *
 * A read past the end gives zeros and sets `short_read`, which stays set, so a
 * parser takes what it needs and looks once.
 */
#ifndef SPPROF_CURSOR_H
#define SPPROF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool short_read;
};

/* @data may be NULL if @len is 0, as an empty buffer has it. */
static inline struct cursor cursor_of(const void *data, size_t len)
{
	static const uint8_t nothing;
	const uint8_t *at = data ? data : &nothing; /* NULL + 0 is undefined */

	return (struct cursor){ .at = at, .end = at + len };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->end - c->at;
}

/* The next @len bytes, or NULL. */
static inline const uint8_t *take_bytes(struct cursor *c, size_t len)
{
	const uint8_t *at = c->at;

	if (c->short_read || cursor_left(c) < len) {
		c->short_read = true;
		return NULL;
	}
	c->at += len;
	return at;
}

static inline uint8_t take_byte(struct cursor *c)
{
	const uint8_t *at = take_bytes(c, 1);

	return at ? *at : 0;
}

#endif
