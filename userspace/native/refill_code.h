/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refill_code - recognises pymalloc's allocate_from_new_pool() by its instructions, and which of
 * its arguments is the size class: the builds that have no symbols have the function, too.
 */
#ifndef SPPROF_REFILL_CODE_H
#define SPPROF_REFILL_CODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Of the x86-64 function at @address whose bytes are the @len at @code: the number of the argument,
 * from 1 on; -ENOENT: it is another function, or the argument could not be told; -ENOMEM. Any
 * content is legal input.
 */
int refill_code_argument(const uint8_t *code, size_t len, uint64_t address);

/*
 * Where the function goes directly to that is not in itself, by calls and by jumps: at most @room
 * addresses, in the code's order, some of them more than once. Their number, or -ENOMEM.
 */
int refill_code_calls(const uint8_t *code, size_t len, uint64_t address, uint64_t *out,
		      size_t room);

#endif
