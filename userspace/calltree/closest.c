/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/closest.h"
#include "base/utf8.h"

#include <string.h>

/* Enough to tell names apart, and little enough for a hundred thousand of them. */
#define MOST_BYTES 96

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t closest_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	uint32_t row[MOST_BYTES + 1];
	size_t rows = a_len < MOST_BYTES ? a_len : MOST_BYTES;
	size_t columns = b_len < MOST_BYTES ? b_len : MOST_BYTES;

	for (size_t j = 0; j <= columns; j++)
		row[j] = j;
	for (size_t i = 1; i <= rows; i++) {
		uint32_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= columns; j++) {
			uint32_t changed = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = smaller(changed, smaller(row[j], row[j - 1]) + 1);
		}
	}
	return row[columns];
}

void closest_offer(struct closest *c, const char *text, size_t len)
{
	struct closest_text offered = {
		.text = text,
		.len = len,
		.distance = closest_distance(c->wanted, c->wanted_len, text, len),
	};
	uint32_t at = c->count;

	while (at && c->best[at - 1].distance > offered.distance)
		at--;
	if (at == CLOSEST_COUNT)
		return;
	if (c->count < CLOSEST_COUNT)
		c->count++;
	memmove(&c->best[at + 1], &c->best[at], (c->count - 1 - at) * sizeof(*c->best));
	c->best[at] = offered;
}

void closest_print(const struct closest *c, struct buffer *out)
{
	for (uint32_t i = 0; i < c->count; i++) {
		buffer_add_text(out, i ? ", \"" : "; closest: \"");
		utf8_add_visible(out, c->best[i].text);
		buffer_add_text(out, "\"");
	}
}
