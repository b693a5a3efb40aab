/* SPDX-License-Identifier: Apache-2.0 */
#include "transform_case.h"
#include "calltree/history.h"
#include "tree_lines.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* The schema's words, and what they are here. */
static const struct {
	const char *word;
	enum transform_type type;
} types[] = {
	{ "merge-call-node", TRANSFORM_MERGE_NODE },
	{ "focus-subtree", TRANSFORM_FOCUS },
	{ "merge-function", TRANSFORM_MERGE },
	{ "drop-function", TRANSFORM_DROP },
	{ "collapse-function-subtree", TRANSFORM_COLLAPSE_SUBTREE },
	{ "function-include", TRANSFORM_FILTER_INCLUDE },
	{ "stack-prefix", TRANSFORM_FILTER_PREFIX },
	{ "stack-suffix", TRANSFORM_FILTER_SUFFIX },
};

/* What the case of a file that is being read is, or what is wrong with it. */
struct reader {
	struct buffer *report;
	bool has_categories;
};

/* -EINVAL, because the case is not of the schema. */
static int refuse(struct reader *r, const char *what)
{
	buffer_print(r->report, "not of the schema: %s", what);
	return -EINVAL;
}

static int add_text(struct profile *p, const char *text, profile_id *id)
{
	return profile_add_string(p, text, strlen(text), id);
}

static int find_kind(struct reader *r, const char *word, enum profile_kind *kind)
{
	if (!strcmp(word, "js") || !strcmp(word, "python"))
		*kind = PROFILE_PYTHON;
	else if (!strcmp(word, "native") || !strcmp(word, "cpp"))
		*kind = PROFILE_NATIVE;
	else if (!strcmp(word, "kernel"))
		*kind = PROFILE_KERNEL;
	else
		return refuse(r, "impl is js or native");
	return 0;
}

/* Frames without a category have that of the frame above, the first one "Other". */
static const char *category_of(const struct reader *r, json_t *frame, profile_id prefix)
{
	const char *category = json_string_value(json_object_get(frame, "cat"));

	if (!category && r->has_categories && prefix == PROFILE_NONE)
		return "Other";
	return category ? category : "";
}

static int add_frame(struct reader *r, struct profile *p, json_t *frame, profile_id *stack)
{
	const char *func, *impl, *lib = "", *cat = "";
	struct profile_function function = { 0 };
	struct profile_frame row = { 0 };
	struct profile_stack added = { .prefix = *stack };
	int err;

	if (json_unpack(frame, "{s:s, s:s, s?s, s?s}", "func", &func, "impl", &impl, "lib", &lib,
			"cat", &cat))
		return refuse(r, "a frame has func and impl, and perhaps cat and lib");
	err = find_kind(r, impl, &function.kind);
	if (!err)
		err = add_text(p, func, &function.name);
	if (!err)
		err = add_text(p, lib, &function.resource);
	if (!err)
		err = add_text(p, category_of(r, frame, *stack), &row.category);
	if (!err)
		err = profile_add_function(p, &function, &row.function);
	if (!err)
		err = profile_add_frame(p, &row, &added.frame);
	return err ? err : profile_add_stack(p, &added, stack);
}

static int add_sample(struct reader *r, struct profile *p, json_t *sample, profile_id thread)
{
	struct profile_sample row = { .stack = PROFILE_NONE, .thread = thread, .count = 1 };
	json_t *stack = json_object_get(sample, "stack");
	json_t *weight = json_object_get(sample, "weight");
	json_t *frame;
	size_t i;
	int err = 0;

	if (!json_is_array(stack) || !json_is_integer(weight))
		return refuse(r, "a sample has a stack and a weight");
	row.weight = json_integer_value(weight);
	json_array_foreach(stack, i, frame) if (!err) err = add_frame(r, p, frame, &row.stack);
	return err ? err : profile_add_sample(p, &row);
}

static int add_samples(struct reader *r, struct profile *p, json_t *samples)
{
	struct profile_thread thread = { 0 };
	profile_id id;
	json_t *sample;
	size_t i;
	int err = profile_add_thread(p, &thread, &id);

	if (!json_is_array(samples))
		return refuse(r, "samples is a list");
	json_array_foreach(samples, i, sample) if (!err) err = add_sample(r, p, sample, id);
	return err;
}

static int find_impl(struct reader *r, json_t *from, const char *key,
		     enum tree_implementation *impl)
{
	json_t *value = json_object_get(from, key);
	const char *word = json_string_value(value);

	*impl = TREE_COMBINED;
	if (!value)
		return 0;
	if (word && !strcmp(word, "js"))
		word = "python";
	else if (word && !strcmp(word, "cpp"))
		word = "native";
	if (!word || tree_implementation_find(word, strlen(word), impl))
		return refuse(r, "an implementation is js, cpp or combined");
	return 0;
}

static int find_type(struct reader *r, json_t *transform, enum transform_type *type)
{
	const char *word = json_string_value(json_object_get(transform, "type"));

	if (word && !strcmp(word, "filter-samples"))
		word = json_string_value(json_object_get(transform, "filterType"));
	if (!word)
		return refuse(r, "a transform has a type");
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!strcmp(word, types[i].word)) {
			*type = types[i].type;
			if (*type == TRANSFORM_FOCUS &&
			    json_is_true(json_object_get(transform, "inverted")))
				*type = TRANSFORM_FOCUS_INVERTED;
			return 0;
		}
	}
	if (transform_type_find(word, strlen(word), type))
		return refuse(r, "there is no such type of transform");
	return 0;
}

/* The names of a transform, under whichever key they are. */
static int add_names(struct reader *r, json_t *from, struct transform *t)
{
	static const char *const keys[] = { "path", "funcs", "func", "category", "resource" };
	json_t *names = NULL, *name;
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(keys) / sizeof(*keys) && !names; i++)
		names = json_object_get(from, keys[i]);
	if (json_is_string(names))
		return transform_add_name(t, json_string_value(names), json_string_length(names));
	json_array_foreach(names, i, name) if (!err) err =
		json_is_string(name)
			? transform_add_name(t, json_string_value(name), json_string_length(name))
			: refuse(r, "a name is a text");
	if (!err && !t->count)
		err = refuse(r, "a transform has a func, funcs, path, category or resource");
	return err;
}

static int read_transform(struct reader *r, json_t *from, struct transform *t)
{
	int err = find_type(r, from, &t->type);

	if (!err)
		err = find_impl(r, from, "implementation", &t->impl);
	return err ? err : add_names(r, from, t);
}

/* --- what comes out --- */

static int read_path(struct reader *r, json_t *names, const struct tree_functions *fs,
		     struct tree_path *path)
{
	json_t *name;
	size_t i;

	path->functions = calloc(json_array_size(names) + 1, sizeof(*path->functions));
	if (!path->functions)
		return -ENOMEM;
	json_array_foreach(names, i, name)
	{
		uint32_t f = 0;

		while (f < tree_functions_count(fs) && json_is_string(name) &&
		       strcmp(tree_function_name(fs, f), json_string_value(name)))
			f++;
		if (!json_is_string(name) || f == tree_functions_count(fs))
			return refuse(r, "path is made of functions of the samples");
		path->functions[path->count++] = f;
	}
	return 0;
}

static int apply_all(struct reader *r, json_t *transforms, struct history *h,
		     struct tree_path *path)
{
	json_t *from;
	size_t i;

	if (!json_is_array(transforms))
		return refuse(r, "transforms is a list");
	json_array_foreach(transforms, i, from)
	{
		struct transform t OWNS(transform) = { 0 };
		int err = read_transform(r, from, &t);

		if (!err)
			err = tree_path_update(path, &t, history_stacks(h));
		if (!err)
			err = history_push(h, &t, TRANSFORM_MAY_MISS, r->report);
		if (err)
			return err;
	}
	return 0;
}

static void print_path(const struct tree_functions *fs, const struct tree_path *path,
		       struct buffer *out)
{
	buffer_add_text(out, "");
	for (uint32_t i = 0; i < path->count; i++)
		buffer_print(out, "%s%s", i ? "|" : "", tree_function_name(fs, path->functions[i]));
}

/* Texts of a list, in the form of what is compared with them. */
static int print_list(struct reader *r, json_t *list, struct buffer *out)
{
	json_t *text;
	size_t i;

	if (!json_is_array(list))
		return refuse(r, "expected and expected_path are lists");
	buffer_add_text(out, "");
	json_array_foreach(list, i, text)
	{
		if (!json_is_string(text))
			return refuse(r, "expected and expected_path are lists of texts");
		buffer_print(out, "%s%s", i ? "|" : "", json_string_value(text));
	}
	return buffer_error(out);
}

static int compare(struct reader *r, const char *what, json_t *expected, struct buffer *got)
{
	struct buffer wanted OWNS(buffer) = { 0 };
	int err = print_list(r, expected, &wanted);

	if (err)
		return err;
	if (!strcmp(wanted.data, got->data))
		return 0;
	buffer_print(r->report, "%sexpected %s, got %s", what, wanted.data, got->data);
	return -EBADMSG;
}

static int check(struct reader *r, json_t *of, const struct history *h,
		 const struct tree_path *path)
{
	enum walk_direction direction =
		json_is_true(json_object_get(of, "inverted")) ? WALK_FROM_LEAF : WALK_FROM_ROOT;
	OWNS(tree_stacks) struct tree_stacks filtered = { 0 };
	struct buffer tree OWNS(buffer) = { 0 };
	struct buffer names OWNS(buffer) = { 0 };
	enum tree_implementation impl;
	json_t *expected_path = json_object_get(of, "expected_path");
	int err = find_impl(r, of, "implementationFilter", &impl);

	if (!err)
		err = tree_implementation_filter(history_stacks(h), impl, &filtered);
	if (!err)
		err = tree_lines(&filtered, direction, &tree);
	if (!err)
		err = compare(r, "", json_object_get(of, "expected"), &tree);
	if (err || !expected_path)
		return err;
	print_path(history_functions(h), path, &names);
	return compare(r, "path: ", expected_path, &names);
}

static bool uses_categories(json_t *of)
{
	char *text = json_dumps(of, JSON_COMPACT);
	bool uses = text && (strstr(text, "\"cat\":") || strstr(text, "\"focus-category\""));

	free(text);
	return uses;
}

static int run_case(struct reader *r, json_t *of)
{
	static const struct tree_fill as_it_is = { 0 };
	OWNS(profile) struct profile *p = profile_new();
	OWNS(history) struct history *h = NULL;
	OWNS(tree_path) struct tree_path path = { 0 };
	int err = p ? 0 : -ENOMEM;

	if (!json_is_object(of))
		return refuse(r, "a case is an object");
	r->has_categories = uses_categories(of);
	if (!err)
		err = add_samples(r, p, json_object_get(of, "samples"));
	if (err)
		return err;
	h = history_new(p, &as_it_is);
	err = h ? read_path(r, json_object_get(of, "path"), history_functions(h), &path) : -ENOMEM;
	if (!err)
		err = apply_all(r, json_object_get(of, "transforms"), h, &path);
	return err ? err : check(r, of, h, &path);
}

static void run_named(const char *path, json_t *of, struct case_counts *counts,
		      struct buffer *report)
{
	const char *name = json_string_value(json_object_get(of, "name"));
	struct buffer reason OWNS(buffer) = { 0 };
	struct reader r = { .report = &reason };
	int err = name ? run_case(&r, of) : refuse(&r, "a case has a name");

	if (!err) {
		counts->passed++;
		return;
	}
	counts->failed++;
	buffer_print(report, "%s: %s: %s\n", path, name ? name : "?",
		     reason.len ? reason.data : strerror(-err));
}

void transform_cases_run(const char *path, struct case_counts *counts, struct buffer *report)
{
	json_error_t error;
	json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	json_t *cases = json_object_get(file, "cases"), *of;
	size_t i;

	json_array_foreach(cases, i, of) run_named(path, of, counts, report);
	if (!json_array_size(cases)) {
		counts->failed++;
		buffer_print(report, "%s: %s\n", path,
			     file ? "not of the schema: a list \"cases\" that is not empty"
				  : error.text);
	}
	json_decref(file);
}
