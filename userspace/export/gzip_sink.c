/* SPDX-License-Identifier: Apache-2.0 */
#include "export/gzip_sink.h"

#include <errno.h>

#define PIECE_BYTES (256u << 10)
#define GZIP_WINDOW (15 + 16) /* the largest window, with a gzip header (zlib.h) */

int gzip_sink_init(struct gzip_sink *s, struct buffer *out)
{
	*s = (struct gzip_sink){ .out = out };
	/* Profiles are fetched often and repeat a lot: fast is nearly as small as best. */
	if (deflateInit2(&s->zlib, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return -ENOMEM;
	return 0;
}

void gzip_sink_fini(struct gzip_sink *s)
{
	deflateEnd(&s->zlib);
	buffer_fini(&s->raw);
}

static void compress_raw(struct gzip_sink *s, int flush)
{
	unsigned char piece[32 << 10];

	if (!s->err)
		s->err = buffer_error(&s->raw);
	if (s->err)
		return;
	s->zlib.next_in = (unsigned char *)s->raw.data;
	s->zlib.avail_in = s->raw.len;
	do {
		s->zlib.next_out = piece;
		s->zlib.avail_out = sizeof(piece);
		deflate(&s->zlib, flush);
		buffer_add(s->out, piece, sizeof(piece) - s->zlib.avail_out);
	} while (s->zlib.avail_out == 0);
	s->raw.len = 0;
	s->err = buffer_error(s->out);
}

/* In slices, for zlib counts in 32 bits. */
void gzip_sink_add(struct gzip_sink *s, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		size_t slice = len < PIECE_BYTES ? len : PIECE_BYTES;

		buffer_add(&s->raw, at, slice);
		at += slice;
		len -= slice;
		if (s->raw.len >= PIECE_BYTES)
			compress_raw(s, Z_NO_FLUSH);
	}
}

int gzip_sink_finish(struct gzip_sink *s)
{
	compress_raw(s, Z_FINISH);
	return s->err;
}
