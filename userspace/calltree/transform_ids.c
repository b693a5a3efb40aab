/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_ids.h"
#include "calltree/transform_error.h"

#include <errno.h>
#include <string.h>

/* What the rows of some stacks have. */
struct in_use {
	const struct tree_stacks *in;
	bool *functions;
	uint32_t *namesakes; /* of each text: functions that have it as their name */
};

static void in_use_cleanup(struct in_use *u)
{
	free(u->functions);
	free(u->namesakes);
}

static int in_use_init(struct in_use *u, const struct tree_stacks *in)
{
	const struct tree_functions *fs = in->functions;
	uint32_t count = tree_functions_count(fs);

	u->in = in;
	u->functions = calloc(count + 1ul, sizeof(*u->functions));
	u->namesakes = calloc(fs->texts.rows.count, sizeof(*u->namesakes));
	if (!u->functions || !u->namesakes)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++)
		u->functions[in->rows[i].function] = true;
	for (uint32_t i = 0; i < count; i++)
		u->namesakes[tree_function(fs, i)->name] += u->functions[i];
	return 0;
}

/* The text that is @len bytes long, or TREE_NONE. */
static uint32_t find_text(const struct in_use *u, const char *text, size_t len)
{
	return tree_functions_find_text(u->in->functions, text, len);
}

static bool is_in_use(const struct in_use *u, const struct transform_element *e)
{
	const struct tree_functions *fs = u->in->functions;

	for (uint32_t i = 0; i < tree_functions_count(fs); i++)
		if (u->functions[i] && tree_function(fs, i)->name == e->name &&
		    tree_function(fs, i)->file == e->file)
			return true;
	return false;
}

/* NAME (FILE) tells a function from its namesakes; a name may have parentheses itself. */
static bool find_with_file(const struct in_use *u, const struct transform_name *n,
			   struct transform_element *out)
{
	if (!n->len || n->text[n->len - 1] != ')')
		return false;
	for (size_t at = 0; at + 3 <= n->len; at++) {
		const char *file = n->text + at + 2;
		struct transform_element e;

		if (n->text[at] != ' ' || n->text[at + 1] != '(')
			continue;
		e.name = find_text(u, n->text, at);
		e.file = find_text(u, file, n->text + n->len - 1 - file);
		if (e.name != TREE_NONE && e.file != TREE_NONE && is_in_use(u, &e)) {
			*out = e;
			return true;
		}
	}
	return false;
}

static bool find_element(const struct in_use *u, const struct transform_name *n,
			 struct transform_element *out)
{
	uint32_t text = find_text(u, n->text, n->len);

	*out = (struct transform_element){ .name = text, .file = TREE_NONE };
	if (text != TREE_NONE && u->namesakes[text])
		return true;
	if (find_with_file(u, n, out))
		return true;
	out->name = TREE_NONE;
	return false;
}

static int find_elements(const struct in_use *u, struct transform_ids *ids, struct buffer *why)
{
	const struct transform *t = ids->transform;

	ids->elements = calloc(t->count, sizeof(*ids->elements));
	if (!ids->elements)
		return -ENOMEM;
	for (uint32_t k = 0; k < t->count; k++) {
		struct transform_element *e = &ids->elements[k];

		if (find_element(u, &t->names[k], e))
			ids->has_namesakes |= e->file == TREE_NONE && u->namesakes[e->name] > 1;
		else if (ids->missing == TRANSFORM_MUST_MATCH)
			return transform_error_name(t, k, u->in->functions, u->functions, why);
	}
	return 0;
}

/* By one function, so a name must be of one. */
static int find_functions(const struct in_use *u, struct transform_ids *ids, struct buffer *why)
{
	const struct tree_functions *fs = u->in->functions;
	int err = find_elements(u, ids, why);

	for (uint32_t k = 0; k < ids->transform->count && !err; k++) {
		const struct transform_element *e = &ids->elements[k];

		if (e->name != TREE_NONE && e->file == TREE_NONE && u->namesakes[e->name] > 1)
			err = transform_error_ambiguous(ids, k, fs, u->functions, why);
	}
	for (uint32_t i = 0; i < tree_functions_count(fs) && !err; i++)
		if (u->functions[i] && transform_ids_fit(ids, fs, 0, i))
			ids->function = i;
	return err;
}

static int find_category(const struct in_use *u, struct transform_ids *ids, struct buffer *why)
{
	const struct transform_name *n = ids->transform->names;
	bool is_there = false;

	ids->text = find_text(u, n->text, n->len);
	for (uint32_t i = 0; i < u->in->count && !is_there; i++)
		is_there = u->in->rows[i].category == ids->text;
	if (is_there || ids->missing == TRANSFORM_MAY_MISS)
		return 0;
	return transform_error_category(ids->transform, u->in, why);
}

static int find_resource(const struct in_use *u, struct transform_ids *ids, struct buffer *why)
{
	const struct tree_functions *fs = u->in->functions;
	const struct transform_name *n = ids->transform->names;
	bool is_there = false;

	ids->text = n->len ? find_text(u, n->text, n->len) : TREE_NONE;
	for (uint32_t i = 0; i < tree_functions_count(fs) && !is_there; i++)
		is_there = u->functions[i] && tree_function(fs, i)->resource == ids->text;
	if (is_there)
		ids->function = tree_functions_of_resource(fs, ids->text);
	if (is_there || ids->missing == TRANSFORM_MAY_MISS)
		return 0;
	return transform_error_resource(ids->transform, fs, u->functions, why);
}

int transform_ids_find(const struct transform *t, const struct tree_stacks *in,
		       enum transform_missing missing, struct transform_ids *out,
		       struct buffer *why)
{
	__attribute__((cleanup(in_use_cleanup))) struct in_use use = { 0 };
	int err = in_use_init(&use, in);

	*out = (struct transform_ids){
		.transform = t, .missing = missing, .function = TREE_NONE, .text = TREE_NONE
	};
	if (err)
		return err;
	switch (transform_type_argument(t->type)) {
	case TRANSFORM_OF_PATH:
		return find_elements(&use, out, why);
	case TRANSFORM_OF_FUNCTION:
		return find_functions(&use, out, why);
	case TRANSFORM_OF_CATEGORY:
		return find_category(&use, out, why);
	case TRANSFORM_OF_RESOURCE:
		return find_resource(&use, out, why);
	}
	return -EINVAL;
}

void transform_ids_cleanup(struct transform_ids *ids)
{
	free(ids->elements);
	*ids = (struct transform_ids){ 0 };
}
