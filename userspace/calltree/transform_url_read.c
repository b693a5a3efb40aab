/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_url.h"
#include "calltree/url_numbers.h"
#include "calltree/url_words.h"

#include <errno.h>
#include <string.h>

#define MOST_FIELDS 4

struct field {
	const char *text;
	size_t len;
};

/* A number that an item gave to what a resource becomes; later items go by it. */
struct alias {
	uint32_t number, function;
};

struct url_reader {
	const struct tree_stacks *first;
	struct url_numbering numbering;
	struct alias *aliases;
	uint32_t alias_count;
};

static void url_reader_cleanup(struct url_reader *r)
{
	url_numbering_cleanup(&r->numbering);
	free(r->aliases);
}

/* A decimal number: 0 or -EBADMSG. */
static int read_decimal(struct field f, uint32_t *number)
{
	uint64_t value = 0;

	if (!f.len)
		return -EBADMSG;
	for (size_t i = 0; i < f.len; i++) {
		if (f.text[i] < '0' || f.text[i] > '9')
			return -EBADMSG;
		value = value * 10 + (f.text[i] - '0');
		if (value >= TREE_NONE)
			return -EBADMSG;
	}
	*number = value;
	return 0;
}

static int add_text(struct url_reader *r, uint32_t text, struct transform *t)
{
	const struct strings *texts = &r->first->functions->texts;

	return transform_add_name(t, strings_text(texts, text), strings_len(texts, text));
}

/* A function's name, with its file if others have that name. */
static int add_function(struct url_reader *r, uint32_t id, struct transform *t)
{
	const struct strings *texts = &r->first->functions->texts;
	const struct tree_function *f = tree_function(r->first->functions, id);
	struct buffer name OWNS(buffer) = { 0 };
	int err;

	if (r->numbering.namesakes[f->name] < 2)
		return add_text(r, f->name, t);
	buffer_add(&name, strings_text(texts, f->name), strings_len(texts, f->name));
	buffer_add_text(&name, " (");
	buffer_add(&name, strings_text(texts, f->file), strings_len(texts, f->file));
	buffer_add_text(&name, ")");
	err = buffer_error(&name);
	return err ? err : transform_add_name(t, name.data, name.len);
}

/* The function that goes by @number, or -EBADMSG. */
static int find_function(const struct url_reader *r, uint32_t number, uint32_t *id)
{
	for (uint32_t i = r->alias_count; i-- > 0;) {
		if (r->aliases[i].number == number) {
			*id = r->aliases[i].function;
			return 0;
		}
	}
	*id = number;
	return number < r->first->functions->first_resource ? 0 : -EBADMSG;
}

static int read_function(struct url_reader *r, struct field f, struct transform *t)
{
	uint32_t number, id;
	int err = read_decimal(f, &number);

	if (!err)
		err = find_function(r, number, &id);
	return err ? err : add_function(r, id, t);
}

static int read_path(struct url_reader *r, struct field f, struct transform *t)
{
	OWNS_MEM uint32_t *numbers = NULL;
	uint32_t count = 0, id;
	int err = url_numbers_read(f.text, f.len, TREE_NONE, &numbers, &count);

	if (!err && !count)
		err = -EBADMSG;
	for (uint32_t i = 0; i < count && !err; i++) {
		err = find_function(r, numbers[i], &id);
		if (!err)
			err = add_function(r, id, t);
	}
	return err;
}

static int read_category(struct url_reader *r, struct field f, struct transform *t)
{
	uint32_t number;
	int err = read_decimal(f, &number);

	if (!err && number >= r->numbering.category_count)
		err = -EBADMSG;
	return err ? err : add_text(r, r->numbering.categories[number], t);
}

static int read_resource(struct url_reader *r, struct field f, struct field to, struct transform *t)
{
	uint32_t number, function, text;
	struct alias *grown;
	int err = read_decimal(f, &number);

	if (!err)
		err = read_decimal(to, &function);
	if (!err && number >= r->numbering.resource_count)
		err = -EBADMSG;
	if (err)
		return err;
	text = r->numbering.resources[number];
	/* One of the profile's own functions keeps its number. */
	if (function >= r->first->functions->first_resource) {
		grown = reallocarray(r->aliases, r->alias_count + 1ul, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		r->aliases = grown;
		grown[r->alias_count++] = (struct alias){
			.number = function,
			.function = tree_functions_of_resource(r->first->functions, text),
		};
	}
	return add_text(r, text, t);
}

/* The fields of an item, or -EBADMSG for too many. */
static int split(struct field item, struct field *fields, uint32_t *count)
{
	const char *end = item.text + item.len;

	*count = 0;
	for (const char *at = item.text; at; at = at < end ? at + 1 : NULL) {
		const char *dash = memchr(at, '-', end - at);

		if (*count == MOST_FIELDS)
			return -EBADMSG;
		fields[*count] = (struct field){ .text = at, .len = (dash ? dash : end) - at };
		(*count)++;
		at = dash ? dash : end;
	}
	return 0;
}

static int read_argument(struct url_reader *r, const struct field *f, uint32_t count,
			 struct transform *t)
{
	uint32_t most =
		t->type == TRANSFORM_FOCUS || t->type == TRANSFORM_COLLAPSE_RESOURCE ? 2 : 1;

	if (!count || count > most)
		return -EBADMSG;
	switch (transform_type_argument(t->type)) {
	case TRANSFORM_OF_PATH:
		if (count == 2 && (f[1].len != 1 || *f[1].text != 'i'))
			return -EBADMSG;
		if (count == 2)
			t->type = TRANSFORM_FOCUS_INVERTED;
		return read_path(r, f[0], t);
	case TRANSFORM_OF_FUNCTION:
		return read_function(r, f[0], t);
	case TRANSFORM_OF_CATEGORY:
		return read_category(r, f[0], t);
	case TRANSFORM_OF_RESOURCE:
		return count == 2 ? read_resource(r, f[0], f[1], t) : -EBADMSG;
	}
	return -EBADMSG;
}

/* 0, -EBADMSG for what is to be skipped, or -ENOMEM. */
static int read_item(struct url_reader *r, struct field item, struct transform *t)
{
	struct field fields[MOST_FIELDS];
	const struct url_word *word;
	uint32_t count, at = 1;
	int err = split(item, fields, &count);

	if (err)
		return err;
	word = url_word_find(fields[0].text, fields[0].len);
	if (!word)
		return -EBADMSG;
	t->type = word->type;
	if (word->has_impl && at < count) {
		t->impl = url_impl_find(fields[at].text, fields[at].len);
		at++;
	}
	return read_argument(r, fields + at, count - at, t);
}

int transform_url_read(const char *text, size_t len, const struct tree_stacks *first,
		       struct transform_list *out)
{
	__attribute__((cleanup(url_reader_cleanup))) struct url_reader r = { .first = first };
	OWNS(transform_list) struct transform_list list = { 0 };
	const char *end = text + len;
	int err = url_numbering_init(&r.numbering, first);

	while (!err && text < end) {
		OWNS(transform) struct transform t = { 0 };
		const char *tilde = memchr(text, '~', end - text);
		struct field item = { .text = text, .len = (tilde ? tilde : end) - text };

		err = read_item(&r, item, &t);
		if (!err)
			err = transform_list_add(&list, &t);
		if (err == -EBADMSG) {
			list.skipped++;
			err = 0;
		}
		text = tilde ? tilde + 1 : end;
	}
	if (err)
		return err;
	*out = list;
	list = (struct transform_list){ 0 };
	return 0;
}
