/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url_numbers - a list of numbers in few characters of a URL, as Firefox Profiler has them.
 *
 * A digit is 5 bits; 32 is added to each but the last of a number, the most significant
 * comes first. A digit 0 in front says: and all numbers between the one before and this.
 */
#ifndef SPPROF_CALLTREE_URL_NUMBERS_H
#define SPPROF_CALLTREE_URL_NUMBERS_H

#include "base/buffer.h"

#include <stdint.h>

/* More than any stack is deep: a few characters can stand for a great many numbers. */
#define URL_NUMBERS_MOST 65536

void url_numbers_write(const uint32_t *numbers, uint32_t count, struct buffer *out);

/*
 * 0 and *@numbers, which the caller frees; -EBADMSG if it is no such list, or one of numbers
 * >= @limit or of more than URL_NUMBERS_MOST; -ENOMEM.
 */
int url_numbers_read(const char *text, size_t len, uint32_t limit, uint32_t **numbers,
		     uint32_t *count);

#endif
