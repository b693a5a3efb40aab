/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/values.h"

#include "spprof_api.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int value_whole(const char *text, unsigned int least, unsigned int most, unsigned int *out)
{
	unsigned long value;

	if (!*text || text[strspn(text, "0123456789")])
		return -EINVAL;
	errno = 0;
	value = strtoul(text, NULL, 10);
	if (errno || value < least || value > most)
		return -EINVAL;
	*out = value;
	return 0;
}

int value_decimal(const char *text, double least, double most, double *out)
{
	char *end;
	double value;

	/* Keeps strtod() from exponents, "nan", "inf" and hexadecimal. */
	if (!*text || text[strspn(text, "0123456789.")])
		return -EINVAL;
	value = strtod(text, &end);
	if (end == text || *end || value < least || value > most)
		return -EINVAL;
	*out = value;
	return 0;
}

int value_seconds(const char *text, double *out)
{
	return value_decimal(text, 1e-9, SPPROF_SECONDS_MAX, out);
}

int value_time(const char *text, double *out)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 } };
	size_t len = strspn(text, "0123456789.");
	double factor = text[len] ? 0 : 1, value;
	char number[24];

	for (size_t i = 0; text[len] && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text + len, units[i].name))
			factor = units[i].seconds;
	if ((text[len] && factor <= 0) || len >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, len);
	number[len] = '\0';
	if (value_seconds(number, &value) || value * factor > SPPROF_SECONDS_MAX)
		return -EINVAL;
	*out = value * factor;
	return 0;
}

static bool find_unit(const char *name, uint64_t *factor)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = { { "", 1 },	{ "B", 1 },	    { "K", 1 << 10 }, { "KiB", 1 << 10 },
		      { "M", 1 << 20 }, { "MiB", 1 << 20 }, { "G", 1 << 30 }, { "GiB", 1 << 30 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(name, units[i].name))
			continue;
		*factor = units[i].bytes;
		return true;
	}
	return false;
}

int value_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
	size_t len = strspn(text, "0123456789");
	uint64_t number, factor;

	if (!len || !find_unit(text + len, &factor))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, NULL, 10);
	if (errno || __builtin_mul_overflow(number, factor, &number))
		return -EINVAL;
	if (number < least || number > most)
		return -EINVAL;
	*out = number;
	return 0;
}
