/* SPDX-License-Identifier: Apache-2.0 */
/* A weight as text: profiles count in units of 10^-decimals. */
#ifndef SPPROF_PROFILE_WEIGHT_H
#define SPPROF_PROFILE_WEIGHT_H

#include "base/buffer.h"

#include <stdint.h>

/* Appends @weight / 10^@decimals, exact and without zeros at the end: `-0.5`, `12`. */
void weight_print(struct buffer *out, int64_t weight, uint32_t decimals);

#endif
