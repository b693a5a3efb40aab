/* SPDX-License-Identifier: Apache-2.0 */
/* top_view - what `spprofctl top` looks at, asked of the daemon again and again. */
#ifndef SPPROF_CLI_TOP_VIEW_H
#define SPPROF_CLI_TOP_VIEW_H

#include "base/buffer.h"
#include "cli/options.h"
#include "cli/top_table.h"
#include "control/client.h"

#include <stdint.h>

struct top_view {
	const struct cli_options *options;
	int signals;	     /* see signals_open() */
	struct buffer query; /* see selection_query() */
	struct buffer what;  /* who that is, for the title */
	uint64_t since_ns;   /* older seconds are not looked at (CLOCK_MONOTONIC) */
	enum top_rows rows;
	enum top_order order;
	struct profile *profile; /* the newest; NULL: none yet */
	struct top_table table;	 /* of it */

	/* Why top_view_look() failed; told by top_view_fail(). */
	int err;
	struct control_reply reply;
};

/* 0, or the exit code, and the error has been printed. */
int top_view_init(struct top_view *v, const struct cli_options *o, int signals);
void top_view_fini(struct top_view *v);

static inline void top_view_cleanup(struct top_view *v)
{
	top_view_fini(v);
}

/* Gets the newest profile and its table. -ECANCELED: a signal came; else 0 or another error. */
int top_view_look(struct top_view *v);

/* The same profile, after rows or order were changed. 0 or -ENOMEM. */
int top_view_sort(struct top_view *v);

/* Prints why the last top_view_look() failed. The exit code. */
int top_view_fail(const struct top_view *v);

/* Whether all the processes that were named have ended. */
bool top_view_has_ended(const struct top_view *v);

/* The two ways to show it, both until a signal comes or nothing is left to see. Exit codes. */
int top_plain(struct top_view *v);
int top_screen(struct top_view *v);

#endif
