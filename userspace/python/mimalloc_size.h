/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large a block mimalloc gives for @bytes that are asked for, at most 2^62.
 * Source: cpython Objects/mimalloc/page-queue.c (mi_bin), segment.c, os.c.
 */
#ifndef SPPROF_MIMALLOC_SIZE_H
#define SPPROF_MIMALLOC_SIZE_H

#include <stdint.h>

uint64_t mimalloc_2_1_block_bytes(uint64_t bytes);
uint64_t mimalloc_2_5_block_bytes(uint64_t bytes);

#endif
