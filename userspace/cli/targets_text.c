/* SPDX-License-Identifier: Apache-2.0 */
/* How targets are written, in lists and in files. */
#include "cli/targets_parts.h"

#include "base/utf8.h"

#include <errno.h>
#include <string.h>

#define refuse(why, ...)                        \
	({                                      \
		buffer_print(why, __VA_ARGS__); \
		-EINVAL;                        \
	})

struct piece {
	const char *text;
	size_t len;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct piece trim(struct piece p)
{
	while (p.len && is_blank(*p.text))
		p = (struct piece){ p.text + 1, p.len - 1 };
	while (p.len && is_blank(p.text[p.len - 1]))
		p.len--;
	return p;
}

void target_add_text(const struct target *t, struct buffer *out)
{
	static const char *const before[] = { [TARGET_SIMPLE] = "",
					      [TARGET_WHOLE] = "=",
					      [TARGET_PART] = "~",
					      [TARGET_REGEX] = "/" };

	buffer_add_text(out, before[t->kind]);
	buffer_add(out, t->text.data, t->text.len);
	buffer_add_text(out, t->kind == TARGET_REGEX ? "/" : "");
}

static enum target_kind kind_of(struct piece p)
{
	switch (p.len ? *p.text : '\0') {
	case '=':
		return TARGET_WHOLE;
	case '~':
		return TARGET_PART;
	case '/':
		return TARGET_REGEX;
	default:
		return TARGET_SIMPLE;
	}
}

static int set_regex(struct target *t, struct piece p, struct buffer *why)
{
	OWNS(buffer) struct buffer what = { 0 };

	t->match = match_new(t->text.data, &what);
	if (t->match)
		return 0;
	if (!what.len)
		return -ENOMEM;
	return refuse(why, "cannot read the regular expression %.*s: %s", (int)p.len, p.text,
		      what.data);
}

/* *@t may hold something also in case of an error. */
static int read_target(struct target *t, struct piece p, struct buffer *why)
{
	struct piece name = p;

	t->kind = kind_of(p);
	if (t->kind != TARGET_SIMPLE)
		name = (struct piece){ p.text + 1, p.len - 1 };
	if (t->kind == TARGET_REGEX) {
		if (!name.len || name.text[name.len - 1] != '/')
			return refuse(why, "the regular expression %.*s needs a / at its end",
				      (int)p.len, p.text);
		name.len--;
	}
	if (!name.len)
		return refuse(why, "the target \"%.*s\" is empty", (int)p.len, p.text);
	if (memchr(name.text, '\0', name.len))
		return refuse(why, "the target \"%s\" has a zero byte in it", p.text);
	utf8_repair(&t->text, name.text, name.len);
	if (buffer_error(&t->text))
		return -ENOMEM;
	return t->kind == TARGET_REGEX ? set_regex(t, p, why) : 0;
}

static int add_target(struct targets *t, struct piece p, struct buffer *why)
{
	struct target made = { 0 };
	int err;

	if (t->count == t->room) {
		uint32_t room = t->room ? 2 * t->room : 16;
		struct target *rows = reallocarray(t->rows, room, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		t->rows = rows;
		t->room = room;
	}
	err = read_target(&made, p, why);
	t->rows[t->count++] = made;
	return err;
}

/* Where the regular expression at @text ends, behind its /; or 0: there is no such end. */
static size_t regex_len(const char *text)
{
	for (size_t at = 1; text[at]; at++) {
		size_t after = at + 1;

		if (text[at] == '\\' && text[after])
			at++;
		if (text[at] != '/' || at == after)
			continue;
		after += strspn(text + after, " \t");
		if (text[after] == ',' || !text[after])
			return at + 1;
	}
	return 0;
}

int targets_add(struct targets *t, const char *list, struct buffer *why)
{
	for (;;) {
		size_t len, regex;
		int err;

		list += strspn(list, " \t");
		regex = *list == '/' ? regex_len(list) : 0;
		len = regex + strcspn(list + regex, ",");
		err = add_target(t, trim((struct piece){ list, len }), why);
		if (err || !list[len])
			return err;
		list += len + 1;
	}
}

int targets_add_lines(struct targets *t, const char *text, size_t len, struct buffer *why)
{
	int err = 0;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		text += 3;
		len -= 3;
	}
	while (!err && len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;
		struct piece p = trim((struct piece){ text, line });

		if (p.len)
			err = add_target(t, p, why);
		text += line + !!end;
		len -= line + !!end;
	}
	return err;
}
