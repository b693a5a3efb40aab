/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_error.h"
#include "base/utf8.h"
#include "calltree/closest.h"

#include <errno.h>
#include <string.h>

static void print_name(const struct transform *t, uint32_t k, struct buffer *why)
{
	buffer_add_text(why, "\"");
	utf8_add_visible(why, t->names[k].text);
	buffer_add_text(why, "\"");
}

static struct closest closest_to(const struct transform *t, uint32_t k)
{
	return (struct closest){ .wanted = t->names[k].text, .wanted_len = t->names[k].len };
}

/* Each text that @is_offered, once. */
static void print_texts(const struct transform *t, const struct tree_functions *fs,
			const bool *is_offered, struct buffer *why)
{
	struct closest c = closest_to(t, 0);

	for (uint32_t i = 0; i < fs->texts.rows.count; i++)
		if (is_offered[i])
			closest_offer(&c, strings_text(&fs->texts, i), strings_len(&fs->texts, i));
	closest_print(&c, why);
}

/* A name is offered once, whoever has it. */
static int print_closest(const struct transform *t, uint32_t k, const struct tree_functions *fs,
			 const bool *functions, struct buffer *why)
{
	OWNS_MEM bool *is_offered = calloc(fs->texts.rows.count, sizeof(*is_offered));
	struct closest c = closest_to(t, k);

	if (!is_offered)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree_functions_count(fs); i++) {
		uint32_t name = tree_function(fs, i)->name;

		if (!functions[i] || is_offered[name])
			continue;
		is_offered[name] = true;
		closest_offer(&c, strings_text(&fs->texts, name), strings_len(&fs->texts, name));
	}
	closest_print(&c, why);
	return -ENOENT;
}

int transform_error_name(const struct transform *t, uint32_t k, const struct tree_functions *fs,
			 const bool *functions, struct buffer *why)
{
	buffer_print(why, "%s: no sample contains ", transform_type_name(t->type));
	print_name(t, k, why);
	return print_closest(t, k, fs, functions, why);
}

int transform_error_path(const struct transform *t, uint32_t k, const struct tree_functions *fs,
			 const bool *functions, struct buffer *why)
{
	buffer_print(why, "%s: no sample matches the path: ", transform_type_name(t->type));
	print_name(t, k, why);
	buffer_print(why, " is not where element %u of %u should be", k + 1, t->count);
	return print_closest(t, k, fs, functions, why);
}

int transform_error_ambiguous(const struct transform_ids *ids, uint32_t k,
			      const struct tree_functions *fs, const bool *functions,
			      struct buffer *why)
{
	buffer_print(why, "%s: ", transform_type_name(ids->transform->type));
	print_name(ids->transform, k, why);
	buffer_add_text(why, " is several functions:");
	for (uint32_t i = 0; i < tree_functions_count(fs); i++) {
		if (!functions[i] || !transform_ids_fit(ids, fs, k, i))
			continue;
		buffer_add_text(why, "\n");
		utf8_add_visible(why, tree_function_name(fs, i));
		buffer_add_text(why, " (");
		utf8_add_visible(why, tree_functions_text(fs, tree_function(fs, i)->file));
		buffer_add_text(why, ")");
	}
	return -ENOTUNIQ;
}

int transform_error_category(const struct transform *t, const struct tree_stacks *in,
			     struct buffer *why)
{
	OWNS_MEM bool *is_offered = calloc(in->functions->texts.rows.count, sizeof(*is_offered));

	if (!is_offered)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++)
		is_offered[in->rows[i].category] = true;
	buffer_print(why, "%s: no frame is of category ", transform_type_name(t->type));
	print_name(t, 0, why);
	print_texts(t, in->functions, is_offered, why);
	return -ENOENT;
}

int transform_error_resource(const struct transform *t, const struct tree_functions *fs,
			     const bool *functions, struct buffer *why)
{
	OWNS_MEM bool *is_offered = calloc(fs->texts.rows.count, sizeof(*is_offered));

	if (!is_offered)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree_functions_count(fs); i++)
		is_offered[tree_function(fs, i)->resource] |= functions[i];
	is_offered[0] = false;
	buffer_print(why, "%s: no function is of ", transform_type_name(t->type));
	print_name(t, 0, why);
	print_texts(t, fs, is_offered, why);
	return -ENOENT;
}
