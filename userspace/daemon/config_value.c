/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct config_unit config_times[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", 60 * 1000000000ull },
	{ "h", 3600 * 1000000000ull },
	{ NULL, 0 },
};

const struct config_unit config_sizes[] = {
	{ "B", 1 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { NULL, 0 },
};

static const struct config_unit *find(const struct config_unit *units, const char *name)
{
	for (; units && units->name; units++)
		if (!strcmp(units->name, name))
			return units;
	return NULL;
}

int config_value(const char *text, const struct config_unit *units, uint64_t *out)
{
	static const struct config_unit none = { "", 1 };
	const struct config_unit *unit = &none;
	char *end;
	uint64_t number;

	if (*text < '0' || *text > '9') /* strtoull() would take blanks and signs */
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		number = UINT64_MAX;
	end += strspn(end, " \t");
	if (!units && *end)
		return -EINVAL;
	if (units && !*end)
		return -ENODATA;
	if (units)
		unit = find(units, end);
	if (!unit)
		return strspn(end, "0123456789.,+-_") ? -EINVAL : -ENOTSUP;
	if (errno || __builtin_mul_overflow(number, unit->factor, &number))
		return -ERANGE;
	*out = number;
	return 0;
}

void config_value_add(struct buffer *out, uint64_t value, const struct config_unit *units)
{
	const struct config_unit *best = units;

	for (; units && units->name; units++)
		if (value && value % units->factor == 0)
			best = units;
	buffer_print(out, "%" PRIu64 "%s", best ? value / best->factor : value,
		     best ? best->name : "");
}

void config_units_add(struct buffer *out, const struct config_unit *units)
{
	for (unsigned int i = 0; units[i].name; i++)
		buffer_print(out, "%s%s", i ? ", " : "", units[i].name);
}
