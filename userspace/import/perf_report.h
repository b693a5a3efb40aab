/* SPDX-License-Identifier: Apache-2.0 */
/* The text of `perf report --stdio` into a profile. */
#ifndef SPPROF_IMPORT_PERF_REPORT_H
#define SPPROF_IMPORT_PERF_REPORT_H

#include "import/import_file.h"

/*
 * Fills @out, an empty profile, with the whole stacks that the report still shows, and
 * facts->pruned with what else it tells, unless they are proven to be all there are. One
 * event is read: the one that is asked for, else the first. 0, and warnings in @why;
 * -EBADMSG: no report, or a cut one; -ENOTSUP: one that cannot be read right, and @why
 * names the command that writes one that can; -ENOENT: no such event; -E2BIG: see
 * import/reason.h; -ENOMEM.
 */
int import_perf_report(const struct import_file *file, struct profile *out,
		       struct import_facts *facts, struct buffer *why);

/* Whether the comments that it begins with are those of a report. */
bool perf_report_is_it(const void *bytes, size_t len);

#endif
