/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/values.h"

#include "spprof_api.h"

#include <errno.h>
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

int value_seconds(const char *text, double *out)
{
	char *end;
	double value;

	/* Keeps strtod() from exponents, "nan", "inf" and hexadecimal. */
	if (!*text || text[strspn(text, "0123456789.")])
		return -EINVAL;
	value = strtod(text, &end);
	if (end == text || *end || value < 1e-9 || value > SPPROF_SECONDS_MAX)
		return -EINVAL;
	*out = value;
	return 0;
}
