/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page is given, an object of
 * - title, version, unit, decimals: weights count 10^-decimals of the unit;
 * - about: what the profile says of itself;
 * - total, without_stack: weights, the latter of samples that are nowhere in the picture;
 * - files: the texts that functions.file counts in;
 * - functions: columns name, file, line, kind (number in `kinds`), shade, self, total;
 * - boxes: columns in preorder, without the root, which is box 0. up: so many levels above the
 *   box before it is the caller; function: -1 for merged ones; merged: pairs of a box and how
 *   many nodes it stands for;
 * - small: count, weight, most: what is in merged boxes, and the heaviest of them;
 * - ordered: whether tracks have runs; joined: how many runs were too short to be kept apart;
 * - tracks: threads, the heaviest first: name, process, pid, weight; with several tracks the
 *   boxes that they have a weight in (each as a difference to the one before) and that weight;
 *   runs likewise, in the order of time.
 */
#include "export/html_data.h"
#include "export/flame_colours.h"
#include "export/html_writer.h"
#include "export/title.h"
#include "spprof_api.h"

#include <errno.h>
#include <inttypes.h>

#define MOST_TRACKS 32

static void put_about(struct html_writer *w)
{
	const struct profile_about *about = profile_about_get(w->profile);
	uint32_t count;
	const struct profile_loss *losses = profile_losses(w->profile, &count);

	buffer_print(w->out,
		     "\"about\":{\"start_ms\":%" PRIu64 ",\"duration_ms\":%" PRIu64
		     ",\"taken\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"python\":",
		     about->start_ns / 1000000, about->duration_ns / 1000000, about->taken,
		     about->lost);
	html_put_string(w, about->python);
	html_put(w, ",\"platform\":");
	html_put_string(w, about->platform);
	html_put(w, ",\"rates_hz\":");
	html_put_string(w, about->rates);
	html_put(w, ",\"losses\":[");
	for (uint32_t i = 0; i < count; i++) {
		html_put(w, i ? ",[" : "[");
		html_put_string(w, losses[i].name);
		buffer_print(w->out, ",%" PRIu64 "]", losses[i].count);
	}
	html_put(w, "]},\n");
}

static void put_head(struct html_writer *w)
{
	const struct profile_about *about = profile_about_get(w->profile);
	struct buffer title OWNS(buffer) = { 0 };

	title_add(&title, w->profile);
	html_put(w, "{\"title\":");
	html_put_buffer(w, &title);
	html_put(w, ",\"version\":\"" SPPROF_VERSION "\",\n\"unit\":");
	html_put_string(w, about->unit);
	buffer_print(w->out, ",\"decimals\":%" PRIu32 ",\n", about->decimals);
	put_about(w);
	html_put(w, "\"total\":");
	html_put_number(w, w->tree.running[0]);
	html_put(w, ",\"without_stack\":");
	html_put_number(w, w->tree.without_stack);
	buffer_print(w->out, ",\n\"small\":{\"count\":%" PRIu32 ",\"weight\":", w->boxes.merged);
	html_put_number(w, w->boxes.merged_weight);
	html_put(w, ",\"most\":");
	html_put_number(w, w->boxes.merged_most);
	html_put(w, "},\n\"kinds\":[\"python\",\"native\",\"kernel\",\"unknown\"],\n");
}

/* Numbers the files in @number_of (by string, plus 1) and writes them. */
static void put_files(struct html_writer *w, uint32_t *number_of)
{
	uint32_t files = 0;

	html_put(w, "\"files\":[");
	for (uint32_t i = 0; i < w->tree.functions.count; i++) {
		profile_id file = flame_function(&w->tree, i)->file;

		if (number_of[file])
			continue;
		html_put(w, files ? ",\n" : "");
		html_put_string(w, file);
		number_of[file] = ++files;
	}
	html_put(w, "],\n");
}

static int64_t column_line(const struct flame_function *f)
{
	return f->first_line;
}

static int64_t column_kind(const struct flame_function *f)
{
	return f->kind;
}

static int64_t column_self(const struct flame_function *f)
{
	return f->self;
}

static int64_t column_total(const struct flame_function *f)
{
	return f->total;
}

static void put_column(struct html_writer *w, const char *name,
		       int64_t (*column)(const struct flame_function *))
{
	buffer_print(w->out, ",\n\"%s\":[", name);
	for (uint32_t i = 0; i < w->tree.functions.count; i++)
		html_put_next(w, i == 0, column(flame_function(&w->tree, i)));
	html_put(w, "]");
}

static void put_shades(struct html_writer *w)
{
	html_put(w, ",\n\"shade\":[");
	for (uint32_t i = 0; i < w->tree.functions.count; i++) {
		profile_id file = flame_function(&w->tree, i)->file;

		html_put_next(w, i == 0,
			      flame_shade(profile_string(w->profile, file),
					  profile_string_len(w->profile, file)));
	}
	html_put(w, "]");
}

static int put_functions(struct html_writer *w)
{
	OWNS_MEM uint32_t *number_of = calloc(profile_string_count(w->profile), sizeof(*number_of));

	if (!number_of)
		return -ENOMEM;
	put_files(w, number_of);
	html_put(w, "\"functions\":{\"name\":[");
	for (uint32_t i = 0; i < w->tree.functions.count; i++) {
		html_put(w, i ? ",\n" : "");
		html_put_string(w, flame_function(&w->tree, i)->name);
	}
	html_put(w, "],\n\"file\":[");
	for (uint32_t i = 0; i < w->tree.functions.count; i++)
		html_put_next(w, i == 0, number_of[flame_function(&w->tree, i)->file] - 1);
	html_put(w, "]");
	put_column(w, "line", column_line);
	put_column(w, "kind", column_kind);
	put_shades(w);
	put_column(w, "self", column_self);
	put_column(w, "total", column_total);
	html_put(w, "},\n");
	return 0;
}

static void put_boxes(struct html_writer *w)
{
	const struct flame_box *rows = w->boxes.rows;
	bool is_first = true;

	html_put(w, "\"boxes\":{\"up\":[");
	for (uint32_t i = 1; i < w->boxes.count; i++)
		html_put_next(w, i == 1, (int64_t)rows[i - 1].depth + 1 - rows[i].depth);
	html_put(w, "],\n\"function\":[");
	for (uint32_t i = 1; i < w->boxes.count; i++)
		html_put_next(w, i == 1, rows[i].merged ? -1 : (int64_t)rows[i].function);
	html_put(w, "],\n\"self\":[");
	for (uint32_t i = 1; i < w->boxes.count; i++)
		html_put_next(w, i == 1, rows[i].self);
	html_put(w, "],\n\"merged\":[");
	for (uint32_t i = 1; i < w->boxes.count; i++) {
		if (!rows[i].merged)
			continue;
		html_put_next(w, is_first, i);
		html_put_next(w, false, rows[i].merged);
		is_first = false;
	}
	html_put(w, "]},\n");
}

int html_add_data(struct buffer *out, const struct profile *p)
{
	static const struct flame_limits limits = { .most = HTML_MOST_BOXES };
	OWNS(html_writer) struct html_writer w = { .profile = p, .out = out };
	int err = flame_tree_init(&w.tree, p);

	if (!err)
		err = flame_tree_sum_functions(&w.tree);
	if (!err)
		err = flame_boxes_init(&w.boxes, &w.tree, &limits);
	if (!err)
		err = flame_tracks_init(&w.tracks, p, MOST_TRACKS);
	if (err)
		return err;
	put_head(&w);
	err = put_functions(&w);
	if (err)
		return err;
	put_boxes(&w);
	err = html_put_tracks(&w);
	return err ? err : buffer_error(out);
}
