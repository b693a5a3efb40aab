/* SPDX-License-Identifier: Apache-2.0 */
/* address_set - addresses of another process, each once. It may choose them as it likes. */
#ifndef SPPROF_ADDRESS_SET_H
#define SPPROF_ADDRESS_SET_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory but for the first two is an empty set. */
struct address_set {
	uint64_t factor; /* odd, and not to be guessed */
	size_t most;
	uint64_t *slots; /* 0: empty */
	size_t capacity; /* a power of two, or 0 */
	size_t count;
	uint64_t left_out; /* beyond the most, each time they came */
};

void address_set_fini(struct address_set *s);

/* 1; 0: it is in already, or is 0, or is one too many; -ENOMEM. */
int address_set_add(struct address_set *s, uint64_t address);

#endif
