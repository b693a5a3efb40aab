/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that a profile can be written in: one file each, listed in exporter.c. */
#ifndef SPPROF_EXPORTER_H
#define SPPROF_EXPORTER_H

#include "base/buffer.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Choices that only some formats heed. Zeroed: the usual form. */
struct export_options {
	bool with_lines;   /* collapsed: the line that runs in place of the function's first */
	bool with_threads; /* collapsed: the thread is the first frame */
	bool as_samples;   /* collapsed: count samples, not the profile's unit */
};

struct exporter {
	const char *name;   /* as in `spprofctl record -f NAME` */
	const char *ending; /* of a file's name, with its dots */
	bool shows_order;   /* it says more of a profile that keeps the order of its samples */

	/* Appends all of @p to @out. 0 or -errno; never logs. */
	int (*write)(const struct profile *p, const struct export_options *o, struct buffer *out);
};

/* NULL if no format has that name. */
const struct exporter *exporter_find(const char *name);

/* The formats in order, up to NULL. */
const struct exporter *exporter_at(unsigned int i);

extern const struct exporter export_pprof;
extern const struct exporter export_speedscope;
extern const struct exporter export_collapsed;
extern const struct exporter export_html;
extern const struct exporter export_svg;

#endif
