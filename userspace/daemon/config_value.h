/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with a unit, as people write them: read, and written back. */
#ifndef SPPROF_CONFIG_VALUE_H
#define SPPROF_CONFIG_VALUE_H

#include "base/buffer.h"

#include <stdint.h>

struct config_unit {
	const char *name;
	uint64_t factor;
};

/* From the smallest on, each list ends with a NULL name. The smallest unit is 1. */
extern const struct config_unit config_times[]; /* in nanoseconds */
extern const struct config_unit config_sizes[]; /* in bytes */

/*
 * The whole number @text, times the unit that follows it. @units NULL: it has none. 0, or
 * -EINVAL if it is no such number, -ENODATA if it lacks its unit, -ENOTSUP if the unit is not
 * one of @units, -ERANGE if it does not fit.
 */
int config_value(const char *text, const struct config_unit *units, uint64_t *out);

/* Appends @value in the largest unit that divides it. @units may be NULL. */
void config_value_add(struct buffer *out, uint64_t value, const struct config_unit *units);

/* Appends the names, comma-separated. */
void config_units_add(struct buffer *out, const struct config_unit *units);

#endif
