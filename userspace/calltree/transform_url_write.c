/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_ids.h"
#include "calltree/transform_url.h"
#include "calltree/url_numbers.h"
#include "calltree/url_words.h"

#include <errno.h>

struct url_writer {
	const struct tree_stacks *first;
	struct url_numbering numbering;
	uint32_t *by_name; /* of each text: 1 + a function that has it as its name */
};

static void url_writer_cleanup(struct url_writer *w)
{
	url_numbering_cleanup(&w->numbering);
	free(w->by_name);
}

static int url_writer_init(struct url_writer *w)
{
	const struct tree_functions *fs = w->first->functions;

	w->by_name = calloc(fs->texts.rows.count, sizeof(*w->by_name));
	if (!w->by_name)
		return -ENOMEM;
	for (uint32_t i = tree_functions_count(fs); i-- > 0;)
		w->by_name[tree_function(fs, i)->name] = i + 1;
	return url_numbering_init(&w->numbering, w->first);
}

/* The number of the function that element @k is, or -EBADMSG. */
static int find_function(const struct url_writer *w, const struct transform_ids *ids, uint32_t k,
			 uint32_t *id)
{
	const struct tree_functions *fs = w->first->functions;
	const struct transform_name *n = &ids->transform->names[k];
	uint32_t text = tree_functions_find_text(fs, n->text, n->len);

	if (ids->elements[k].file == TREE_NONE && text != TREE_NONE && w->by_name[text]) {
		*id = w->by_name[text] - 1;
		return 0;
	}
	for (*id = 0; *id < tree_functions_count(fs); ++*id)
		if (transform_ids_fit(ids, fs, k, *id))
			return 0;
	return -EBADMSG;
}

/* The place of @text among @count, or @count. */
static uint32_t place_of(const uint32_t *texts, uint32_t count, uint32_t text)
{
	uint32_t at = 0;

	while (at < count && texts[at] != text)
		at++;
	return at;
}

static int write_path(const struct url_writer *w, const struct transform_ids *ids,
		      struct buffer *item)
{
	uint32_t count = ids->transform->count;
	OWNS_MEM uint32_t *numbers = malloc(count * sizeof(*numbers));
	int err = numbers ? 0 : -ENOMEM;

	if (ids->has_namesakes || count > URL_NUMBERS_MOST)
		return -EBADMSG;
	for (uint32_t k = 0; k < count && !err; k++)
		err = find_function(w, ids, k, &numbers[k]);
	if (!err)
		url_numbers_write(numbers, count, item);
	return err;
}

static int write_function(const struct url_writer *w, const struct transform_ids *ids,
			  struct buffer *item)
{
	uint32_t id;
	int err = find_function(w, ids, 0, &id);

	if (!err)
		buffer_print(item, "%u", id);
	return err;
}

static int write_category(const struct url_writer *w, const struct transform_ids *ids,
			  struct buffer *item)
{
	const struct url_numbering *n = &w->numbering;
	uint32_t at = place_of(n->categories, n->category_count, ids->text);

	buffer_print(item, "%u", at);
	return at < n->category_count ? 0 : -EBADMSG;
}

static int write_resource(const struct url_writer *w, const struct transform_ids *ids,
			  struct buffer *item)
{
	const struct url_numbering *n = &w->numbering;
	uint32_t at = place_of(n->resources, n->resource_count, ids->text);

	buffer_print(item, "%u-%u", at, ids->function);
	return at < n->resource_count ? 0 : -EBADMSG;
}

static int write_argument(const struct url_writer *w, const struct transform_ids *ids,
			  struct buffer *item)
{
	switch (transform_type_argument(ids->transform->type)) {
	case TRANSFORM_OF_PATH:
		return write_path(w, ids, item);
	case TRANSFORM_OF_FUNCTION:
		return write_function(w, ids, item);
	case TRANSFORM_OF_CATEGORY:
		return write_category(w, ids, item);
	case TRANSFORM_OF_RESOURCE:
		return write_resource(w, ids, item);
	}
	return -EBADMSG;
}

/* 0, -EBADMSG or -ENOTUNIQ for what has no word, or -ENOMEM. */
static int write_item(const struct url_writer *w, const struct transform *t, struct buffer *item)
{
	__attribute__((cleanup(transform_ids_cleanup))) struct transform_ids ids = { 0 };
	const struct url_word *word = url_word_of(t->type);
	const char *impl = url_impl_name(t->impl);
	struct buffer why OWNS(buffer) = { 0 };
	int err;

	if (!word || (word->has_impl && !impl))
		return -EBADMSG;
	err = transform_ids_find(t, w->first, TRANSFORM_MAY_MISS, &ids, &why);
	if (err)
		return err;
	buffer_print(item, "%s-", word->key);
	if (word->has_impl)
		buffer_print(item, "%s-", impl);
	err = write_argument(w, &ids, item);
	if (t->type == TRANSFORM_FOCUS_INVERTED)
		buffer_add_text(item, "-i");
	return err ? err : buffer_error(item);
}

int transform_url_write(const struct transform_list *list, const struct tree_stacks *first,
			struct buffer *out, uint32_t *skipped)
{
	__attribute__((cleanup(url_writer_cleanup))) struct url_writer w = { .first = first };
	uint32_t written = 0;
	int err = url_writer_init(&w);

	*skipped = 0;
	for (uint32_t i = 0; i < list->count && !err; i++) {
		struct buffer item OWNS(buffer) = { 0 };

		err = write_item(&w, &list->transforms[i], &item);
		if (err == -EBADMSG || err == -ENOTUNIQ) {
			++*skipped;
			err = 0;
		} else if (!err) {
			buffer_add_text(out, written++ ? "~" : "");
			buffer_add(out, item.data, item.len);
		}
	}
	return err ? err : buffer_error(out);
}
