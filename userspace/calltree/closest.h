/* SPDX-License-Identifier: Apache-2.0 */
/* closest - of many texts those few that somebody who mistyped may have meant. */
#ifndef SPPROF_CALLTREE_CLOSEST_H
#define SPPROF_CALLTREE_CLOSEST_H

#include "base/buffer.h"

#include <stdint.h>

#define CLOSEST_COUNT 3

struct closest {
	const char *wanted;
	size_t wanted_len;
	struct closest_text {
		const char *text;
		size_t len;
		uint32_t distance;
	} best[CLOSEST_COUNT]; /* closest first, then as they came */
	uint32_t count;
};

/* A text that is there; it must last, each is offered once. */
void closest_offer(struct closest *c, const char *text, size_t len);

/* Appends "; closest: "A", "B"", safe for a terminal, or nothing. */
void closest_print(const struct closest *c, struct buffer *out);

/* Insertions, deletions and changes of bytes between the beginnings of two texts. */
uint32_t closest_distance(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
