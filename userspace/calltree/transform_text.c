/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_text.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

/* A part of the text that is being read; not NUL-terminated. */
struct part {
	const char *text;
	size_t len;
};

/* Appends "WHAT "PART"": -EINVAL. */
static int refuse(struct buffer *why, const char *what, struct part p)
{
	struct buffer copy OWNS(buffer) = { 0 };

	utf8_repair(&copy, p.text, p.len);
	buffer_print(why, "%s \"", what);
	if (copy.data)
		utf8_add_visible(why, copy.data);
	buffer_add_text(why, "\"");
	return -EINVAL;
}

static struct part part_before(struct part p, char end)
{
	const char *at = memchr(p.text, end, p.len);

	return (struct part){ .text = p.text, .len = at ? (size_t)(at - p.text) : p.len };
}

static struct part part_behind(struct part p, size_t len)
{
	return (struct part){ .text = p.text + len, .len = p.len - len };
}

static int parse_head(struct part head, struct transform *t, struct buffer *why)
{
	struct part type = part_before(head, '@');

	if (transform_type_find(type.text, type.len, &t->type))
		return refuse(why, "no transform is called", type);
	if (type.len < head.len) {
		struct part impl = part_behind(head, type.len + 1);

		if (tree_implementation_find(impl.text, impl.len, &t->impl)) {
			buffer_print(why, "%s: ", transform_type_name(t->type));
			return refuse(why, "no implementation is called", impl);
		}
	}
	return 0;
}

/* One element up to its `;`. *@len is how much of @p it takes. */
static int parse_element(struct part p, struct transform *t, struct buffer *why, size_t *len)
{
	struct buffer name OWNS(buffer) = { 0 };
	size_t at = 0;

	for (; at < p.len && p.text[at] != ';'; at++) {
		if (p.text[at] == '\\' &&
		    (++at == p.len || (p.text[at] != ';' && p.text[at] != '\\'))) {
			buffer_print(why, "%s: ", transform_type_name(t->type));
			return refuse(why, "a \\ stands before ; and \\ only, not in",
				      part_before(p, ';'));
		}
		buffer_add(&name, &p.text[at], 1);
	}
	*len = at;
	if (buffer_error(&name))
		return -ENOMEM;
	return transform_add_name(t, name.data ? name.data : "", name.len);
}

static int parse_path(struct part p, struct transform *t, struct buffer *why)
{
	for (;;) {
		size_t len = 0;
		int err = parse_element(p, t, why, &len);

		if (err || len == p.len)
			return err;
		p = part_behind(p, len + 1);
	}
}

int transform_parse(const char *text, size_t len, struct transform *out, struct buffer *why)
{
	OWNS(transform) struct transform t = { 0 };
	struct part whole = { .text = text, .len = len };
	struct part head = part_before(whole, ':');
	struct part argument;
	int err;

	if (head.len == len)
		return refuse(why, "TYPE[@IMPL]:ARG expected, not", whole);
	err = parse_head(head, &t, why);
	if (err)
		return err;
	argument = part_behind(whole, head.len + 1);
	if (!argument.len) {
		buffer_print(why, "%s: nothing behind the colon", transform_type_name(t.type));
		return -EINVAL;
	}
	err = transform_type_argument(t.type) == TRANSFORM_OF_PATH
		      ? parse_path(argument, &t, why)
		      : transform_add_name(&t, argument.text, argument.len);
	if (err)
		return err;
	*out = t;
	t = (struct transform){ 0 };
	return 0;
}

static void print_element(const struct transform_name *n, struct buffer *out)
{
	for (size_t i = 0; i < n->len; i++) {
		if (n->text[i] == ';' || n->text[i] == '\\')
			buffer_add_text(out, "\\");
		buffer_add(out, &n->text[i], 1);
	}
}

int transform_print(const struct transform *t, struct buffer *out)
{
	bool is_path = transform_type_argument(t->type) == TRANSFORM_OF_PATH;

	if (!is_path && t->count != 1)
		return -EINVAL;
	buffer_add_text(out, transform_type_name(t->type));
	if (t->impl != TREE_COMBINED)
		buffer_print(out, "@%s", tree_implementation_name(t->impl));
	for (uint32_t i = 0; i < t->count; i++) {
		buffer_add_text(out, i ? ";" : ":");
		if (is_path)
			print_element(&t->names[i], out);
		else
			buffer_add(out, t->names[i].text, t->names[i].len);
	}
	return buffer_error(out);
}
