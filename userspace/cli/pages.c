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

int pages_print(const struct cli_options *o, const struct page_kind *kind)
{
	OWNS(json_file) struct json_file file = JSON_FILE_NONE;
	json_t *rows = NULL, *row;
	int first_err = o->page.to_json ? json_file_open(&file, o) : 0;
	size_t i, printed = 0;

	if (!first_err)
		first_err = selection_rows(o, &rows);
	json_array_foreach(rows, i, row)
	{
		pid_t pid = selection_pid(row);
		json_t *page = NULL;
		int err = fetch(o, kind, pid, &page);

		if (!err && o->page.to_json)
			json_file_add(&file, pid, page);
		else if (!err)
			err = print_page(o, kind, page, !printed++);
		json_decref(page);
		if (err && !first_err)
			first_err = err;
		if (is_hopeless(err))
			break;
	}
	json_decref(rows);
	if (file.objects) {
		int err = json_file_commit(&file);

		first_err = first_err ? first_err : err;
	}
	return first_err;
}
