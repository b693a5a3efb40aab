/* SPDX-License-Identifier: Apache-2.0 */
#include "import/json_reader.h"
#include "base/utf8.h"
#include "import/reason.h"

#include <string.h>

int json_refuse(struct json *j, const char *reason)
{
	return import_refuse(j->why, -EBADMSG, "byte %td: %s", j->at - j->start, reason);
}

static int json_expect(struct json *j, const char *expected)
{
	return import_refuse(j->why, -EBADMSG, "byte %td: %s expected%s", j->at - j->start,
			     expected, j->at == j->end ? ", but the file ends" : "");
}

/* The next byte that is no blank; 0 at the end. */
static char peek(struct json *j)
{
	while (j->at < j->end &&
	       (*j->at == ' ' || *j->at == '\n' || *j->at == '\r' || *j->at == '\t'))
		j->at++;
	return j->at < j->end ? *j->at : 0;
}

int json_enter(struct json *j, char bracket)
{
	if (peek(j) != bracket)
		return json_expect(j, bracket == '[' ? "an array" : "an object");
	j->at++;
	j->is_first = true;
	return 0;
}

int json_next(struct json *j, char bracket)
{
	char next = peek(j);
	bool is_first = j->is_first;

	j->is_first = false;
	if (next == bracket) {
		j->at++;
		return 0;
	}
	if (is_first)
		return next ? 1 : json_expect(j, "an element");
	if (next != ',')
		return json_expect(j, bracket == ']' ? "`,` or `]`" : "`,` or `}`");
	j->at++;
	return 1;
}

int json_read_string(struct json *j, struct json_text *t)
{
	const char *at;

	if (peek(j) != '"')
		return json_expect(j, "a string");
	for (at = j->at + 1; at < j->end && *at != '"'; at++)
		at += *at == '\\' && at + 1 < j->end;
	if (at >= j->end) {
		j->at = j->end;
		return json_expect(j, "the end of a string");
	}
	*t = (struct json_text){ .text = j->at + 1, .len = at - j->at - 1 };
	j->at = at + 1;
	return 0;
}

int json_read_key(struct json *j, struct json_text *t)
{
	int err = json_read_string(j, t);

	if (err)
		return err;
	if (peek(j) != ':')
		return json_expect(j, "`:`");
	j->at++;
	return 0;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

int json_read_number(struct json *j, struct decimal *d)
{
	const char *stop;

	peek(j);
	for (stop = j->at; stop < j->end && is_of_number(*stop); stop++)
		;
	if (stop == j->end || !decimal_read(j->at, stop - j->at, d)) {
		j->at = stop == j->end ? stop : j->at;
		return json_expect(j, "a number");
	}
	j->at = stop;
	return 0;
}

int json_read_index(struct json *j, uint32_t *index)
{
	const char *at;
	uint64_t number = 0;

	peek(j);
	for (at = j->at; at < j->end && *at >= '0' && *at <= '9' && number <= UINT32_MAX; at++)
		number = number * 10 + (*at - '0');
	if (at == j->at || at == j->end || number > UINT32_MAX)
		return json_expect(j, "an index");
	j->at = at;
	*index = number;
	return 0;
}

/* To the bracket that closes the one at hand. */
static int skip_brackets(struct json *j)
{
	struct json_text t;
	size_t depth = 0;
	int err = 0;

	while (j->at < j->end && !err) {
		switch (*j->at) {
		case '"':
			err = json_read_string(j, &t);
			continue;
		case '[':
		case '{':
			depth++;
			break;
		case ']':
		case '}':
			depth--;
			break;
		}
		j->at++;
		if (!depth)
			return 0;
	}
	return err ? err : json_expect(j, "a closing bracket");
}

int json_skip_value(struct json *j)
{
	static const char *const words[] = { "true", "false", "null" };
	char next = peek(j);
	struct decimal d;
	struct json_text t;

	if (next == '"')
		return json_read_string(j, &t);
	if (next == '[' || next == '{')
		return skip_brackets(j);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(j->end - j->at) >= len && memcmp(j->at, words[i], len) == 0) {
			j->at += len;
			return 0;
		}
	}
	return next == '-' || (next >= '0' && next <= '9') ? json_read_number(j, &d)
							   : json_expect(j, "a value");
}

int json_read_end(struct json *j)
{
	return peek(j) || j->at < j->end ? json_expect(j, "the end of the file") : 0;
}

bool json_text_is(const struct json_text *t, const char *text)
{
	return t->text && t->len == strlen(text) && memcmp(t->text, text, t->len) == 0;
}
