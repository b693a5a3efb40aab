/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a perf.data, in the byte order of who wrote it. */
#ifndef SPPROF_PERF_DATA_WIRE_H
#define SPPROF_PERF_DATA_WIRE_H

#include "base/cursor.h"

struct perf_wire {
	struct cursor c;
	bool is_swapped; /* against this machine */
};

static inline struct perf_wire perf_wire_of(const void *data, size_t len, bool is_swapped)
{
	return (struct perf_wire){ cursor_of(data, len), is_swapped };
}

static inline uint16_t perf_take_u16(struct perf_wire *w)
{
	const uint8_t *at = take_bytes(&w->c, sizeof(uint16_t));
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return w->is_swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t perf_take_u32(struct perf_wire *w)
{
	const uint8_t *at = take_bytes(&w->c, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return w->is_swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t perf_take_u64(struct perf_wire *w)
{
	const uint8_t *at = take_bytes(&w->c, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return w->is_swapped ? __builtin_bswap64(value) : value;
}

static inline void perf_skip(struct perf_wire *w, uint64_t len)
{
	if (len > cursor_left(&w->c))
		w->c.short_read = true;
	else
		w->c.at += len;
}

/* The next @len bytes, of which there may be fewer. */
static inline struct perf_wire perf_take_part(struct perf_wire *w, uint64_t len)
{
	struct perf_wire part = *w;

	perf_skip(w, len);
	part.c.end = w->c.short_read ? part.c.at : w->c.at;
	part.c.short_read = w->c.short_read;
	return part;
}

/* A text up to its NUL, or to the end. Its length. */
static inline size_t perf_text_len(const struct perf_wire *w)
{
	return strnlen((const char *)w->c.at, cursor_left(&w->c));
}

#endif
