/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options, read strictly: a number and nothing else. */
#ifndef SPPROF_CLI_VALUES_H
#define SPPROF_CLI_VALUES_H

#include <stdint.h>

/* 0 and *@out, or -EINVAL if @text is not decimal digits only, or not within the bounds. */
int value_whole(const char *text, unsigned int least, unsigned int most, unsigned int *out);

/* The same of digits that may have one point among them. */
int value_decimal(const char *text, double least, double most, double *out);

/* Seconds with decimals, of at least a nanosecond and at most SPPROF_SECONDS_MAX. */
int value_seconds(const char *text, double *out);

/* The same, in seconds or with a unit: 90, 90s, 1.5m, 1.5min, 1h. */
int value_time(const char *text, double *out);

/* The same as value_whole() of bytes, which may have a unit: 65536, 64KiB, 64K, 1MiB. */
int value_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *out);

#endif
