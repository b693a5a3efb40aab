/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_reader - a JSON text of hostile bytes, read front to back without a tree of it.
 *
 *	err = json_enter(&j, '[');
 *	while (!err && (err = json_next(&j, ']')) > 0)
 *		err = json_read_number(&j, &d);
 *
 * jansson takes some 40 bytes for each number, and a profile is made of numbers; this
 * takes none. Each function skips blanks before what it reads, and returns -EBADMSG, with
 * the reason and the offset in @why, where that is something else. Nothing recurses.
 * Source: RFC 8259.
 */
#ifndef SPPROF_JSON_READER_H
#define SPPROF_JSON_READER_H

#include "base/buffer.h"
#include "import/decimal.h"

struct json {
	const char *start, *at, *end;
	struct buffer *why;
	bool is_first; /* the next json_next() is the first after json_enter() */
};

/* A string as it stands between its quotes. */
struct json_text {
	const char *text; /* NULL: none */
	size_t len;
};

/* -EBADMSG, and "byte N: @reason" in @why. */
int json_refuse(struct json *j, const char *reason);

/* Enters the array or object that @bracket opens. */
int json_enter(struct json *j, char bracket);

/* 1: there is another element, or key; 0: @bracket has closed them. */
int json_next(struct json *j, char bracket);

int json_read_string(struct json *j, struct json_text *t);
int json_read_key(struct json *j, struct json_text *t); /* with its colon */
int json_read_number(struct json *j, struct decimal *d);
int json_read_index(struct json *j, uint32_t *index); /* digits only, below 2^32 */

/* Any value; inside of it only strings and the number of brackets are looked at. */
int json_skip_value(struct json *j);

/* Nothing but blanks is left. */
int json_read_end(struct json *j);

bool json_text_is(const struct json_text *t, const char *text);

/* Appends @t without its escapes; the bytes need not be UTF-8. */
void json_text_decode(const struct json_text *t, struct buffer *out);

#endif
