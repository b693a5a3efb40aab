/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page with a flame graph in it that needs nothing else: export/flamegraph/page.html, in
 * which each {{name}} is replaced.
 *
 * The profile is JSON in an element that no browser runs. `<` is escaped in it, so nothing
 * there ends the element; the page shows names as text only.
 */
#include "export/exporter.h"
#include "export/flame_colours.h"
#include "export/flame_text.h"
#include "export/html_data.h"
#include "export/html_files.h"
#include "export/title.h"

#include <errno.h>
#include <string.h>

static int put_title(struct buffer *out, const struct profile *p)
{
	struct buffer title OWNS(buffer) = { 0 }, visible OWNS(buffer) = { 0 };

	title_add(&title, p);
	if (buffer_error(&title))
		return -ENOMEM;
	flame_add_visible(&visible, title.data, title.len);
	flame_add_markup(out, visible.data, visible.len);
	return buffer_error(&visible);
}

static int put_style(struct buffer *out, const struct profile *p)
{
	struct html_file style = html_style();

	(void)p;
	buffer_add_text(out, ":root { ");
	flame_add_light(out);
	buffer_add_text(out, "color-scheme: light; }\n:root[data-theme=\"dark\"] { ");
	flame_add_dark(out);
	buffer_add_text(out, "color-scheme: dark; }\n"
			     "@media (prefers-color-scheme: dark) {\n"
			     ":root:not([data-theme=\"light\"]) { ");
	flame_add_dark(out);
	buffer_add_text(out, "color-scheme: dark; }\n}\n");
	buffer_add(out, style.text, style.len);
	return 0;
}

static int put_scripts(struct buffer *out, const struct profile *p)
{
	(void)p;
	for (unsigned int i = 0; html_script(i).text; i++) {
		struct html_file script = html_script(i);

		buffer_add_text(out, "<script>\n");
		buffer_add(out, script.text, script.len);
		buffer_add_text(out, "</script>\n");
	}
	return 0;
}

static int put_data(struct buffer *out, const struct profile *p)
{
	return html_add_data(out, p);
}

/* What stands for {{name}} in the page. */
static const struct {
	const char *name;
	int (*put)(struct buffer *out, const struct profile *p);
} parts[] = {
	{ "{{title}}", put_title },
	{ "{{style}}", put_style },
	{ "{{profile}}", put_data },
	{ "{{scripts}}", put_scripts },
};

#define PARTS (sizeof(parts) / sizeof(*parts))

/* In the order in which they stand in the page. */
static int write_html(const struct profile *p, const struct export_options *o, struct buffer *out)
{
	struct html_file page = html_page();
	const char *at = page.text, *end = page.text + page.len;
	int err = 0;

	(void)o; /* nothing to choose here */
	for (size_t i = 0; i < PARTS && !err; i++) {
		const char *mark = memmem(at, end - at, parts[i].name, strlen(parts[i].name));

		if (!mark)
			return -ENOENT;
		buffer_add(out, at, mark - at);
		err = parts[i].put(out, p);
		at = mark + strlen(parts[i].name);
	}
	buffer_add(out, at, end - at);
	return err ? err : buffer_error(out);
}

const struct exporter export_html = {
	.name = "html",
	.ending = ".html",
	.shows_order = true,
	.write = write_html,
};
