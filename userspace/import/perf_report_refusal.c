/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_report_reader.h"

#include <inttypes.h>

int report_refuse(struct report_reader *r, int err, const char *reason)
{
	if (err == -ENOTSUP)
		return import_refuse(r->why, err, "%s: have it written by " IMPORT_LOSSLESS_COMMAND,
				     reason);
	return import_refuse(r->why, err, "line %" PRIu64 ": %s", r->line_number, reason);
}

int report_refuse_mode(struct report_reader *r, enum import_mode mode, const char *reason)
{
	r->facts->mode = mode;
	r->facts->has_chains = true;
	return report_refuse(r, -ENOTSUP, reason);
}
