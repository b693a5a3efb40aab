/* SPDX-License-Identifier: Apache-2.0 */
/* top for a pipe: a block of text a look, until a signal, the last block, or its reader's end. */
#include "cli/top_view.h"

#include "base/clock.h"
#include "cli/fail.h"
#include "cli/signals.h"
#include "cli/top_text.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define ROWS_MOST 30

/* 0 or -errno. */
static int print_block(const struct top_view *v, bool is_first)
{
	OWNS(buffer) struct buffer out = { 0 };

	if (!is_first)
		buffer_add_text(&out, "\n");
	top_text_add_block(&out, v->what.data, v->profile, &v->table, ROWS_MOST);
	if (buffer_error(&out))
		return -ENOMEM;
	if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout))
		return -errno;
	return 0;
}

static int say_ended(const struct top_view *v)
{
	fprintf(stderr, "%s has ended\n", v->what.data);
	return 0;
}

int top_plain(struct top_view *v)
{
	const struct cli_options *o = v->options;
	uint64_t next_ns = monotonic_ns();
	int err;

	signal(SIGPIPE, SIG_IGN);
	for (unsigned int block = 0; !o->count || block < o->count; block++) {
		if (!signals_wait(v->signals, next_ns))
			return 0;
		next_ns = monotonic_ns() + o->delay * 1e9;
		err = top_view_look(v);
		if (err)
			return err == -ECANCELED ? 0 : top_view_fail(v);
		err = print_block(v, !block);
		if (err == -EPIPE)
			return 0;
		if (err)
			return fail(SPPROF_EXIT_FAILED, "cannot write to standard output: %s",
				    strerror(-err));
		if (top_view_has_ended(v))
			return say_ended(v);
	}
	return 0;
}
