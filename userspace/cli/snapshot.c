/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl snapshot: the one page on a process, or the profile that it speaks of. */
#include "cli/cli.h"

#include "cli/pages.h"
#include "cli/snapshot_text.h"

#define WINDOW_S 10 /* of the past, as the daemon's page has it */

static void add_target(const struct cli_options *o, pid_t pid, struct buffer *target)
{
	buffer_print(target, "/v1/snapshot?pid=%d", pid);
	if (o->seconds > 0)
		buffer_print(target, "&seconds=%.9f", o->seconds);
}

/* As a recording of the same time would write it. */
static int write_profile(const struct cli_options *o)
{
	struct cli_options past = *o;

	if (o->seconds <= 0)
		past.recent = WINDOW_S;
	return cli_record(&past);
}

int cli_snapshot(const struct cli_options *o)
{
	static const struct page_kind kind = { add_target, snapshot_text_add };

	return o->format ? write_profile(o) : pages_print(o, &kind);
}
