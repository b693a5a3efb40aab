/* SPDX-License-Identifier: Apache-2.0 */
/* perf.data, the file of `perf record`, into a profile. */
#ifndef SPPROF_IMPORT_PERF_DATA_H
#define SPPROF_IMPORT_PERF_DATA_H

#include "import/import_file.h"

/* Whether the bytes begin as perf.data does, in either byte order. */
bool perf_data_is_it(const void *bytes, size_t len);

/*
 * Fills @out, an empty profile, with the samples in the file's order. A sample
 * weighs its period, in what the event counts ("nanoseconds" for the clocks),
 * or 1 ("samples") where none is known. Names come from the binaries, see
 * import/objects.h; what has none is called by its address. A file that was cut
 * is read as far as it is whole. The bytes may come from anywhere. 0, and
 * warnings in @why; or an error of import_profile(), and why. Source:
 * linux/perf_event.h, and tools/perf/Documentation/perf.data-file-format.txt
 */
int import_perf_data(const struct import_file *file, struct profile *out,
		     struct import_facts *facts, struct buffer *why);

#endif
