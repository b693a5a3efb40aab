/* SPDX-License-Identifier: Apache-2.0 */
#include "import/gunzip.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>

#define ANY_WINDOW (15 + 16) /* up to the largest window, with a gzip header (zlib.h) */

struct inflater {
	z_stream zlib;
	size_t left; /* input beyond zlib.avail_in, which counts in 32 bits */
};

static void inflater_cleanup(struct inflater *in)
{
	inflateEnd(&in->zlib);
}

bool gunzip_is_gzip(const void *data, size_t len)
{
	return len >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

static void feed(struct inflater *in)
{
	if (in->zlib.avail_in)
		return;
	in->zlib.avail_in = in->left < UINT_MAX ? in->left : UINT_MAX;
	in->left -= in->zlib.avail_in;
}

/* Inflates a piece. 1: there is more; 0: that was all; or an error. */
static int step(struct inflater *in, struct buffer *out)
{
	unsigned char piece[32 << 10];
	int got;

	feed(in);
	in->zlib.next_out = piece;
	in->zlib.avail_out = sizeof(piece);
	got = inflate(&in->zlib, Z_NO_FLUSH);
	if (got == Z_MEM_ERROR)
		return -ENOMEM;
	if (got != Z_OK && got != Z_STREAM_END)
		return -EBADMSG; /* Z_BUF_ERROR too: it wants more and there is none */
	buffer_add(out, piece, sizeof(piece) - in->zlib.avail_out);
	if (buffer_error(out))
		return -ENOMEM;
	if (got == Z_OK)
		return 1;
	feed(in);
	return in->zlib.avail_in && inflateReset(&in->zlib) == Z_OK;
}

int gunzip(const void *data, size_t len, size_t limit, struct buffer *out)
{
	OWNS(inflater) struct inflater in = { .zlib.next_in = (unsigned char *)data, .left = len };
	size_t start = out->len;
	int more = 1;

	if (inflateInit2(&in.zlib, ANY_WINDOW) != Z_OK)
		return -ENOMEM;
	while (more > 0) {
		more = step(&in, out);
		if (more >= 0 && out->len - start > limit)
			return -E2BIG;
	}
	return more;
}
