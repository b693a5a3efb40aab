/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl top: the functions that use the processor, looked at again and again. */
#include "cli/cli.h"

#include "cli/fail.h"
#include "cli/signals.h"
#include "cli/top_view.h"

#include <string.h>

static bool is_live(const struct cli_options *o)
{
	return !o->count && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

int cli_top(const struct cli_options *o)
{
	OWNS(top_view) struct top_view v = { 0 };
	OWNS_FD int signals = -1;
	sigset_t before;
	int err;

	signals = signals_open(SIGQUIT, &before);
	if (signals < 0)
		return fail(SPPROF_EXIT_FAILED, "cannot wait for signals: %s", strerror(-signals));
	err = top_view_init(&v, o, signals);
	if (err)
		return err;
	return is_live(o) ? top_screen(&v) : top_plain(&v);
}
