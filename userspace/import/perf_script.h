/* SPDX-License-Identifier: Apache-2.0 */
/* The text of `perf script` into a profile. */
#ifndef SPPROF_IMPORT_PERF_SCRIPT_H
#define SPPROF_IMPORT_PERF_SCRIPT_H

#include "import/import_file.h"

/*
 * Fills @out, an empty profile: a sample weighs its period, in what the event counts
 * ("nanoseconds" for the clocks), or 1 ("samples") where the text has none. The first event
 * is that of the first sample. Several, if none is asked for, add up; as "periods" where
 * they count different things, and @why says so after 0. The bytes may come from anywhere.
 * 0; -EBADMSG: a line that is neither sample nor frame, or a cut one; -ENOENT: no such
 * event; -E2BIG: see import/reason.h; -ENOMEM. @why says what it is and where.
 */
int import_perf_script(const struct import_file *file, struct profile *out,
		       struct import_facts *facts, struct buffer *why);

/* Whether the first line that says anything begins a sample. */
bool perf_script_is_it(const void *bytes, size_t len);

#endif
