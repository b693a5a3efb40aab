/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/amount.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* @plus: what stands before a number above 0. */
static const char *add_amount(double bytes, const char *plus, char text[AMOUNT_ROOM])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double size = fabs(bytes);
	size_t unit = 0;

	/* From 1023.95 on one digit behind the point says 1024.0. */
	for (; size >= (unit ? 1023.95 : 1023.5) && unit + 1 < sizeof(units) / sizeof(units[0]);
	     unit++)
		size /= 1024;
	if (!unit && size < 0.5)
		bytes = 0; /* as it will read */
	snprintf(text, AMOUNT_ROOM, "%s%.*f %s",
		 bytes < 0   ? "-"
		 : bytes > 0 ? plus
			     : "",
		 unit ? 1 : 0, size, units[unit]);
	return text;
}

const char *amount_bytes(double bytes, char text[AMOUNT_ROOM])
{
	return add_amount(bytes, "", text);
}

const char *amount_change(double bytes, char text[AMOUNT_ROOM])
{
	return add_amount(bytes, "+", text);
}
