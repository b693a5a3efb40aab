/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_data_zstd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/*
 * A bomb would cost time without end. Real recordings unpack to some ten times
 * their size, those with copies of stacks, which are all alike, to some
 * hundred.
 */
#define MOST_RATIO 1024
#define ALWAYS_BYTES (64u << 20)

void perf_zstd_fini(struct perf_zstd *z)
{
	ZSTD_freeDStream(z->stream);
	free(z->room);
}

static int start(struct perf_zstd *z)
{
	if (!z->stream)
		z->stream = ZSTD_createDStream();
	if (!z->room)
		z->room = malloc(PERF_ZSTD_ROOM);
	return z->stream && z->room ? 0 : -ENOMEM;
}

static int error_of(size_t result)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
}

static int give(struct perf_zstd *z, perf_zstd_take *take, void *arg)
{
	ssize_t taken = take(arg, z->room, z->have);

	if (taken < 0)
		return taken;
	z->have -= taken;
	memmove(z->room, z->room + taken, z->have);
	return 0;
}

int perf_zstd_unpack(struct perf_zstd *z, const void *bytes, size_t len, perf_zstd_take *take,
		     void *arg)
{
	ZSTD_inBuffer in = { bytes, len, 0 };
	bool is_full = false;
	int err = start(z);

	z->packed += len;
	while (!err && (in.pos < in.size || is_full)) {
		ZSTD_outBuffer out = { z->room + z->have, PERF_ZSTD_ROOM - z->have, 0 };
		size_t before = in.pos, result = ZSTD_decompressStream(z->stream, &out, &in);

		if (ZSTD_isError(result))
			return error_of(result);
		if (in.pos == before && !out.pos)
			return in.pos < in.size ? -EBADMSG : 0;
		is_full = out.pos == out.size;
		z->have += out.pos;
		z->unpacked += out.pos;
		if (z->unpacked > z->packed * MOST_RATIO + ALWAYS_BYTES)
			return -E2BIG;
		err = give(z, take, arg);
	}
	return err;
}
