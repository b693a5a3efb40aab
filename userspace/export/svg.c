/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph as a picture: roots at the bottom, the heaviest at the left, what a box is in
 * its <title>. No script; colours also where a viewer knows no style sheets.
 */
#include "export/exporter.h"
#include "export/flame_boxes.h"
#include "export/flame_colours.h"
#include "export/flame_text.h"
#include "export/title.h"
#include "profile/weight.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define WIDTH 1200.0
#define ROW 18.0
#define HEAD 60.0     /* above the boxes: title and legend */
#define LETTER 7.25   /* a column of 12 px of most monospaced fonts */
#define PADDING 3.0   /* left and right of a text */
#define LEAST_PX 0.25 /* what is narrower is merged */
#define GAP 0.7	      /* between boxes */
#define MOST_BOXES 20000

struct writer {
	const struct profile *profile;
	struct buffer *out;
	struct flame_tree tree;
	struct flame_boxes boxes;
	double *left; /* of each box, in weight from the left edge */
	uint32_t depth;
};

static void writer_cleanup(struct writer *w)
{
	flame_tree_fini(&w->tree);
	flame_boxes_fini(&w->boxes);
	free(w->left);
}

static double total_of(const struct writer *w)
{
	return w->tree.running[0] ? (double)w->tree.running[0] : 1;
}

/* Children stand side by side from their caller's left edge. */
static int place_boxes(struct writer *w)
{
	const struct flame_box *rows = w->boxes.rows;
	OWNS_MEM double *next = calloc(w->boxes.count, sizeof(*next));

	w->left = calloc(w->boxes.count, sizeof(*w->left));
	if (!w->left || !next)
		return -ENOMEM;
	for (uint32_t i = 1; i < w->boxes.count; i++) {
		w->left[i] = next[i] = next[rows[i].parent];
		next[rows[i].parent] += rows[i].running;
		if (rows[i].depth > w->depth)
			w->depth = rows[i].depth;
	}
	return 0;
}

/* Columns that a character takes: those from Hangul on may be wide. */
static unsigned int columns(unsigned char first)
{
	if (first < 0x80)
		return 1;
	return first < 0xc0 ? 0 : first < 0xe1 ? 1 : 2;
}

/* Bytes of @text that fit into @most columns, of whole characters. */
static size_t fitting(const char *text, size_t len, double most)
{
	double used = 0;
	size_t i = 0;

	for (; i < len; i++) {
		used += columns(text[i]);
		if (used > most)
			break;
	}
	return i;
}

static void put_weight(struct writer *w, int64_t weight)
{
	const struct profile_about *about = profile_about_get(w->profile);
	struct buffer unit OWNS(buffer) = { 0 };

	weight_print(w->out, weight, about->decimals);
	buffer_add_text(w->out, " ");
	flame_add_string(&unit, w->profile, about->unit);
	flame_add_markup(w->out, unit.data, unit.len);
}

static void put_share(struct writer *w, int64_t weight)
{
	buffer_print(w->out, "%.2f %%", 100 * (double)weight / total_of(w));
}

/* The name of a box, and what it is, for its title. */
static void name_box(struct writer *w, const struct flame_box *box, struct buffer *name,
		     struct buffer *what)
{
	const struct flame_function *f;

	if (box->merged) {
		buffer_print(name, "(%" PRIu32 " small ones)", box->merged);
		return;
	}
	f = flame_function(&w->tree, box->function);
	flame_add_string(name, w->profile, f->name);
	buffer_print(what, " [%s]", profile_kind_name(f->kind));
	if (f->file) {
		buffer_add_text(what, " ");
		flame_add_string(what, w->profile, f->file);
	}
	if (f->file && f->first_line)
		buffer_print(what, ":%" PRIu32, f->first_line);
}

static const struct flame_colour *colour_of(const struct writer *w, const struct flame_box *box)
{
	unsigned int merged = PROFILE_UNKNOWN + 1;

	return flame_colour_at(box->merged ? merged
					   : flame_function(&w->tree, box->function)->kind);
}

static double opacity_of(const struct writer *w, const struct flame_box *box)
{
	profile_id file;

	if (box->merged)
		return 1;
	file = flame_function(&w->tree, box->function)->file;
	return 0.7 + 0.1 * flame_shade(profile_string(w->profile, file),
				       profile_string_len(w->profile, file));
}

static void put_title(struct writer *w, const struct flame_box *box, const struct buffer *name,
		      const struct buffer *what)
{
	buffer_add_text(w->out, "<title>");
	flame_add_markup(w->out, name->data, name->len);
	flame_add_markup(w->out, what->data, what->len);
	buffer_add_text(w->out, "\n");
	put_share(w, box->running);
	buffer_add_text(w->out, ", ");
	put_weight(w, box->running);
	buffer_add_text(w->out, "; self ");
	put_weight(w, box->self);
	buffer_add_text(w->out, "</title>");
}

/* An inner <svg> cuts what the guess at a letter's width gets wrong. */
static void put_text(struct writer *w, double width, const struct buffer *name)
{
	double most = (width - 2 * PADDING) / LETTER;
	size_t len = fitting(name->data, name->len, most);

	if (most < 3)
		return;
	if (len < name->len)
		len = fitting(name->data, name->len, most - 1);
	buffer_print(w->out, "<text x=\"%.1f\" y=\"%.1f\">", PADDING, ROW - 5);
	flame_add_markup(w->out, name->data, len);
	buffer_add_text(w->out, len < name->len ? "\u2026</text>" : "</text>");
}

static void put_box(struct writer *w, uint32_t i)
{
	const struct flame_box *box = &w->boxes.rows[i];
	const struct flame_colour *colour = colour_of(w, box);
	double scale = WIDTH / total_of(w);
	double width = box->running * scale;
	struct buffer name OWNS(buffer) = { 0 }, what OWNS(buffer) = { 0 };

	name_box(w, box, &name, &what);
	buffer_print(w->out,
		     "<svg x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
		     "<rect class=\"%s\" fill=\"%s\" fill-opacity=\"%.1f\" width=\"%.2f\" "
		     "height=\"%.1f\"/>",
		     w->left[i] * scale, HEAD + (w->depth - box->depth) * ROW, width, ROW,
		     colour->name, colour->light, opacity_of(w, box),
		     width > 2 * GAP ? width - GAP : width, ROW - GAP);
	put_title(w, box, &name, &what);
	put_text(w, width, &name);
	buffer_add_text(w->out, "</svg>\n");
	if (buffer_error(&name) || buffer_error(&what))
		w->out->err = -ENOMEM;
}

static void put_style(struct writer *w)
{
	buffer_add_text(w->out, "<style>\n:root { ");
	flame_add_light(w->out);
	buffer_add_text(w->out, "}\n@media (prefers-color-scheme: dark) { :root { ");
	flame_add_dark(w->out);
	buffer_add_text(w->out, "} }\ntext { fill: var(--ink); }\n");
	for (unsigned int i = 0; flame_colour_at(i); i++)
		buffer_print(w->out, ".%s { fill: var(--%s); }\n", flame_colour_at(i)->name,
			     flame_colour_at(i)->name);
	buffer_add_text(w->out, "</style>\n");
}

/* The kinds in words, each beside its colour. */
static void put_legend(struct writer *w)
{
	static const char *const words[] = { "Python", "native", "kernel", "unknown",
					     "small ones" };

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++)
		buffer_print(w->out,
			     "<rect class=\"%s\" fill=\"%s\" x=\"%u\" y=\"34\" width=\"14\" "
			     "height=\"14\"/><text x=\"%u\" y=\"46\">%s</text>\n",
			     flame_colour_at(i)->name, flame_colour_at(i)->light, 4 + i * 100,
			     24 + i * 100, words[i]);
}

static void put_head(struct writer *w)
{
	double height = HEAD + (w->depth + 1) * ROW;
	struct buffer title OWNS(buffer) = { 0 }, visible OWNS(buffer) = { 0 };

	title_add(&title, w->profile);
	if (!buffer_error(&title))
		flame_add_visible(&visible, title.data, title.len);
	buffer_print(w->out,
		     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		     "viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" font-size=\"12\">\n",
		     WIDTH, height, WIDTH, height);
	put_style(w);
	buffer_add_text(w->out,
			"<rect class=\"paper\" fill=\"#ffffff\" width=\"100%\" height=\"100%\"/>\n"
			"<text x=\"4\" y=\"20\">");
	flame_add_markup(w->out, visible.data, visible.len);
	buffer_add_text(w->out, ": ");
	put_weight(w, w->tree.running[0]);
	if (w->boxes.merged) {
		buffer_print(w->out, "; (small ones): %" PRIu32 " boxes, ", w->boxes.merged);
		put_share(w, w->boxes.merged_weight);
	}
	buffer_add_text(w->out, "</text>\n");
	put_legend(w);
	if (buffer_error(&title) || buffer_error(&visible))
		w->out->err = -ENOMEM;
}

static int write_svg(const struct profile *p, const struct export_options *o, struct buffer *out)
{
	OWNS(writer) struct writer w = { .profile = p, .out = out };
	struct flame_limits limits = { .most = MOST_BOXES };
	int err = flame_tree_init(&w.tree, p);

	(void)o; /* nothing to choose here */
	if (!err) {
		limits.least_weight = total_of(&w) * LEAST_PX / WIDTH;
		err = flame_boxes_init(&w.boxes, &w.tree, &limits);
	}
	if (!err)
		err = place_boxes(&w);
	if (err)
		return err;
	put_head(&w);
	for (uint32_t i = 1; i < w.boxes.count; i++)
		put_box(&w, i);
	buffer_add_text(out, "</svg>\n");
	return buffer_error(out);
}

const struct exporter export_svg = {
	.name = "svg",
	.ending = ".svg",
	.write = write_svg,
};
