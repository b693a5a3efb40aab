/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One size class of pymalloc, as cpython's Objects/obmalloc.c does it: pools of blocks, in each the
 * newest freed block is given out first, then one that never was; the pool that was full before
 * is tried first; a new pool is taken when every block lives; one without live blocks goes back.
 */
#ifndef SPPROF_TESTS_PYMALLOC_MODEL_H
#define SPPROF_TESTS_PYMALLOC_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct pymalloc_model;

/* @forgets: pools that went back are used by other sizes before they return, which wipes them. */
struct pymalloc_model *pymalloc_model_new(uint32_t block_bytes, uint32_t pool_bytes, bool forgets);
void pymalloc_model_free(struct pymalloc_model *m);

/* A block's number; @is_refill: whether a new pool was taken for it. */
uint32_t pymalloc_model_take(struct pymalloc_model *m, bool *is_refill);
void pymalloc_model_give(struct pymalloc_model *m, uint32_t block);

/* What a scan finds. */
struct pymalloc_model_state {
	uint64_t live, freed, pools;
};
struct pymalloc_model_state pymalloc_model_look(const struct pymalloc_model *m);

#endif
