/* SPDX-License-Identifier: Apache-2.0 */
/* gzip_sink - bytes in, small pieces allowed; a gzip file out, at the end of a buffer. */
#ifndef SPPROF_GZIP_SINK_H
#define SPPROF_GZIP_SINK_H

#include "base/buffer.h"

#include <zlib.h>

struct gzip_sink {
	z_stream zlib;
	struct buffer raw;  /* not yet compressed */
	struct buffer *out; /* the caller's */
	int err;	    /* sticky: 0, -ENOMEM */
};

/* 0 or -ENOMEM. @out outlives the sink. */
int gzip_sink_init(struct gzip_sink *s, struct buffer *out);
void gzip_sink_fini(struct gzip_sink *s);
void gzip_sink_add(struct gzip_sink *s, const void *data, size_t len);

/* Writes the end of the file. 0, or the first error of all. */
int gzip_sink_finish(struct gzip_sink *s);

static inline void gzip_sink_cleanup(struct gzip_sink *s)
{
	gzip_sink_fini(s);
}

#endif
