/* SPDX-License-Identifier: Apache-2.0 */
/* pages - what a verb prints of each selected process: a text, or an object a line. */
#ifndef SPPROF_CLI_PAGES_H
#define SPPROF_CLI_PAGES_H

#include "base/buffer.h"
#include "cli/options.h"

#include <jansson.h>

struct page_kind {
	/* Appends the request of process @pid. */
	void (*add_target)(const struct cli_options *o, pid_t pid, struct buffer *target);
	/*
	 * Appends the pages of @rows, of those that can be had, to @pages instead, all at once; NULL:
	 * one is asked for after another. 0, or the exit code, and the error has been printed.
	 */
	int (*fetch_all)(const struct cli_options *o, const json_t *rows, json_t *pages);
	/* Adds to @page what else it takes; NULL: nothing. 0 or -ENOMEM. */
	int (*complete)(const struct cli_options *o, pid_t pid, json_t *page);
	/* Appends the text of @page. */
	void (*add_text)(const json_t *page, struct buffer *out);
};

/*
 * Prints the pages of what @o selects, texts with an empty line between; or writes them into a
 * file, as JSON. One of several that cannot be had is told and left out. The exit code: of the
 * first error.
 */
int pages_print(const struct cli_options *o, const struct page_kind *kind);

#endif
