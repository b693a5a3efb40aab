/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pages.h"

#include "cli/fail.h"
#include "cli/json_file.h"
#include "cli/output.h"
#include "cli/selection.h"

static int fetch(const struct cli_options *o, const struct page_kind *kind, pid_t pid,
		 json_t **page)
{
	OWNS(buffer) struct buffer target = { 0 };
	int err;

	kind->add_target(o, pid, &target);
	if (buffer_error(&target))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	err = output_fetch(o->socket, target.data, page);
	if (!err && kind->complete && kind->complete(o, pid, *page))
		err = fail(SPPROF_EXIT_FAILED, "out of memory");
	return err;
}

static int print_page(const struct cli_options *o, const struct page_kind *kind, const json_t *page,
		      bool is_first)
{
	OWNS(buffer) struct buffer out = { 0 };

	if (o->as_json)
		return output_json(page);
	if (!is_first)
		buffer_add_text(&out, "\n");
	kind->add_text(page, &out);
	return output_print(&out);
}

/* Whether the next process would fare no better. */
static bool is_hopeless(int err)
{
	return err == SPPROF_EXIT_NO_DAEMON || err == SPPROF_EXIT_FAILED;
}

/* Where pages go, one after another. */
struct printing {
	const struct cli_options *options;
	const struct page_kind *kind;
	struct json_file *file;
	size_t printed;
};

static int put_page(struct printing *p, pid_t pid, const json_t *page)
{
	if (!p->options->page.to_json)
		return print_page(p->options, p->kind, page, !p->printed++);
	json_file_add(p->file, pid, page);
	return 0;
}

static int print_each(struct printing *p, const json_t *rows)
{
	const json_t *row;
	int first_err = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		pid_t pid = selection_pid(row);
		json_t *page = NULL;
		int err = fetch(p->options, p->kind, pid, &page);

		if (!err)
			err = put_page(p, pid, page);
		json_decref(page);
		if (err && !first_err)
			first_err = err;
		if (is_hopeless(err))
			break;
	}
	return first_err;
}

static int print_together(struct printing *p, const json_t *rows)
{
	json_t *pages = json_array();
	int first_err = pages ? p->kind->fetch_all(p->options, rows, pages)
			      : fail(SPPROF_EXIT_FAILED, "out of memory");
	const json_t *page;
	size_t i;

	json_array_foreach(pages, i, page)
	{
		int err = put_page(p, selection_pid(page), page);

		if (err && !first_err)
			first_err = err;
	}
	json_decref(pages);
	return first_err;
}

int pages_print(const struct cli_options *o, const struct page_kind *kind)
{
	OWNS(json_file) struct json_file file = JSON_FILE_NONE;
	struct printing p = { .options = o, .kind = kind, .file = &file };
	json_t *rows = NULL;
	int first_err = o->page.to_json ? json_file_open(&file, o) : 0;

	if (!first_err)
		first_err = selection_rows(o, &rows);
	if (!first_err)
		first_err = kind->fetch_all ? print_together(&p, rows) : print_each(&p, rows);
	json_decref(rows);
	if (file.objects) {
		int err = json_file_commit(&file);

		first_err = first_err ? first_err : err;
	}
	return first_err;
}
