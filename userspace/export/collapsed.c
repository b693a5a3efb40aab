/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stacks: `root;…;leaf NUMBER`, a line a stack, sorted, as flamegraph.pl,
 * speedscope and the Firefox Profiler read them. A frame is `name (file:line)`, for the
 * kernel `name_[k]`, else the bare name.
 *
 * Every reader cuts a line at its last blank and at each `;`, so names are escaped
 * (collapsed_text.h). A stack of nothing is written as `[unknown]`.
 */
#include "export/collapsed_map.h"
#include "export/exporter.h"
#include "export/stack_path.h"
#include "profile/weight.h"

#include <errno.h>
#include <string.h>

struct line {
	size_t offset, len; /* in `text` of struct lines */
	const char *text;
	int64_t number;
};

struct lines {
	struct buffer text;
	struct line *rows;
	uint32_t count, decimals; /* of the numbers */
};

static void lines_cleanup(struct lines *l)
{
	buffer_fini(&l->text);
	free(l->rows);
}

static int print_stack(const struct profile *texts, profile_id stack, struct stack_path *path,
		       struct buffer *out)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(texts, &count);
	const struct profile_frame *frames = profile_frames(texts, &count);
	int err = stack_path_set(path, texts, stack);

	if (err)
		return err;
	for (size_t i = path->count; i-- > 0;) {
		profile_id text = functions[frames[path->frames[i]].function].name;

		buffer_add(out, profile_string(texts, text), profile_string_len(texts, text));
		if (i)
			buffer_add_text(out, ";");
	}
	return 0;
}

static int print_lines(const struct profile *texts, const struct export_options *o, struct lines *l)
{
	OWNS(stack_path) struct stack_path path = { 0 };
	uint32_t thread_count;
	const struct profile_thread *threads = profile_threads(texts, &thread_count);
	const struct profile_sample *samples = profile_samples(texts, &l->count);
	int err = 0;

	l->rows = calloc(l->count + 1ul, sizeof(*l->rows));
	if (!l->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->count && !err; i++) {
		struct line *line = &l->rows[i];

		line->offset = l->text.len;
		line->number = o->as_samples ? (int64_t)samples[i].count : samples[i].weight;
		if (o->with_threads) {
			buffer_add_text(&l->text,
					profile_string(texts, threads[samples[i].thread].name));
			buffer_add_text(&l->text, ";");
		}
		err = print_stack(texts, samples[i].stack, &path, &l->text);
		line->len = l->text.len - line->offset;
	}
	return err ? err : buffer_error(&l->text);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *left = a, *right = b;
	size_t common = left->len < right->len ? left->len : right->len;
	int order = memcmp(left->text, right->text, common);

	return order ? order : (left->len > right->len) - (left->len < right->len);
}

static void put_lines(struct lines *l, struct buffer *out)
{
	for (uint32_t i = 0; i < l->count; i++)
		l->rows[i].text = l->text.data + l->rows[i].offset;
	qsort(l->rows, l->count, sizeof(*l->rows), compare_lines);
	for (uint32_t i = 0; i < l->count; i++) {
		buffer_add(out, l->rows[i].text, l->rows[i].len);
		buffer_add_text(out, " ");
		weight_print(out, l->rows[i].number, l->decimals);
		buffer_add_text(out, "\n");
	}
}

static int write_collapsed(const struct profile *p, const struct export_options *o,
			   struct buffer *out)
{
	OWNS(profile) struct profile *texts = profile_new();
	OWNS(lines) struct lines lines = { 0 };
	int err = texts ? collapsed_map(p, o, texts) : -ENOMEM;

	lines.decimals = o->as_samples ? 0 : profile_about_get(p)->decimals;
	if (!err)
		err = print_lines(texts, o, &lines);
	if (err)
		return err;
	put_lines(&lines, out);
	return buffer_error(out);
}

const struct exporter export_collapsed = {
	.name = "collapsed",
	.ending = ".collapsed.txt",
	.write = write_collapsed,
};
