/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/weight.h"

/* A JSON of millions of weights is written with this, so without printf. */
void weight_print(struct buffer *out, int64_t weight, uint32_t decimals)
{
	uint64_t rest = weight < 0 ? -(uint64_t)weight : (uint64_t)weight;
	char text[48];
	size_t at = sizeof(text);

	if (!rest)
		decimals = 0;
	for (; decimals > 0 && rest % 10 == 0; decimals--)
		rest /= 10;
	for (uint32_t i = 0; i < decimals; i++, rest /= 10)
		text[--at] = '0' + rest % 10;
	if (decimals)
		text[--at] = '.';
	do
		text[--at] = '0' + rest % 10;
	while (rest /= 10);
	if (weight < 0)
		text[--at] = '-';
	buffer_add(out, text + at, sizeof(text) - at);
}
