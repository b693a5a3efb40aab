/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/rates.h"

#include <errno.h>
#include <string.h>

void rates_fini(struct rates *r)
{
	free(r->at);
	*r = (struct rates){ 0 };
}

int rates_set(struct rates *r, unsigned int hz, uint64_t now_ns)
{
	unsigned int i = 0;
	struct rate *grown;

	for (unsigned int k = 0; k < r->count; k++)
		if (r->at[k].until_ns > now_ns)
			r->at[k].until_ns = now_ns;
	if (!hz)
		return 0;
	while (i < r->count && r->at[i].hz < hz)
		i++;
	if (i == r->count || r->at[i].hz != hz) {
		grown = reallocarray(r->at, r->count + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		r->at = grown;
		memmove(&grown[i + 1], &grown[i], (r->count++ - i) * sizeof(*grown));
		grown[i].hz = hz;
	}
	r->at[i].until_ns = UINT64_MAX;
	return 0;
}

unsigned int rates_since(const struct rates *r, uint64_t since_ns, struct buffer *text)
{
	unsigned int highest = 0;

	for (unsigned int i = 0; i < r->count; i++)
		if (r->at[i].until_ns > since_ns) {
			buffer_print(text, "%s%u", highest ? "," : "", r->at[i].hz);
			highest = r->at[i].hz;
		}
	return highest;
}
