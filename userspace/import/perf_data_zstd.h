/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_zstd - a stream of zstd, cut into records that have nothing to do
 * with its own. */
#ifndef SPPROF_PERF_DATA_ZSTD_H
#define SPPROF_PERF_DATA_ZSTD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_ZSTD_ROOM (256u << 10) /* bytes unpacked at a time, with what was not taken */

struct perf_zstd {
	struct ZSTD_DCtx_s *stream;
	uint8_t *room;
	size_t have; /* bytes in it that were not taken */
	uint64_t packed, unpacked;
};

void perf_zstd_fini(struct perf_zstd *z);

/* How many of the @len bytes were taken, which may be none; or an error. */
typedef ssize_t perf_zstd_take(void *arg, const uint8_t *bytes, size_t len);

/*
 * Unpacks @len bytes more, and gives @take piece by piece what comes out. What
 * it does not take comes again with the next piece; that must be less than half
 * of the room. 0 or its error; -EBADMSG: no zstd; -E2BIG: more comes out than
 * any recording has; -ENOMEM.
 */
int perf_zstd_unpack(struct perf_zstd *z, const void *bytes, size_t len, perf_zstd_take *take,
		     void *arg);

#endif
