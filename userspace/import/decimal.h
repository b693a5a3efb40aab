/* SPDX-License-Identifier: Apache-2.0 */
/* decimal - a number as a file writes it, exact: digits * 10^exponent. */
#ifndef SPPROF_IMPORT_DECIMAL_H
#define SPPROF_IMPORT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {
	int64_t digits;	 /* no zeros at the end */
	int exponent;	 /* 0 where digits are 0 */
	bool is_rounded; /* the text had more digits than fit */
};

/*
 * Reads all of @len bytes at @text: `-1.5`, `12`, `.5`, `1.`, `2e-3`. False if they are
 * no such number or one beyond 10^1000.
 */
bool decimal_read(const char *text, size_t len, struct decimal *d);

/* @d * 10^@power, rounded half away from 0. False if it is beyond 63 bits. */
bool decimal_scale(const struct decimal *d, int power, int64_t *result);

double decimal_value(const struct decimal *d); /* roughly */

#endif
