/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_health - how far native stacks can be trusted that were walked by frame pointers.
 *
 * Code without frame pointers ends such a walk early: a stack of few frames is a warning. One
 * thread adds to one health; those of several threads are merged.
 */
#ifndef SPPROF_FRAME_HEALTH_H
#define SPPROF_FRAME_HEALTH_H

#include <stdint.h>

#define FRAME_HEALTH_SHALLOW 3 /* frames; fewer are a warning: the start of a thread has more */

enum frame_confidence {
	FRAME_CONFIDENCE_HIGH,	 /* less than 5 % of the stacks are shallow */
	FRAME_CONFIDENCE_MEDIUM, /* 5 % to 20 %, both included */
	FRAME_CONFIDENCE_LOW,
};

/* Zeroed memory has seen no stack. */
struct frame_health {
	uint64_t shallow_stack_warnings;
	uint64_t total_native_stacks;
	uint64_t native_frames;	   /* of all of them */
	uint32_t min_native_depth; /* frames; 0 while there is no stack */
};

/* A stack of @depth native frames. */
void frame_health_add(struct frame_health *h, uint32_t depth);
void frame_health_merge(struct frame_health *h, const struct frame_health *other);

double frame_health_avg_native_depth(const struct frame_health *h); /* 0 without a stack */
double frame_health_truncation_rate(const struct frame_health *h);  /* 0..1; 0 without a stack */
enum frame_confidence frame_health_confidence(const struct frame_health *h);
const char *frame_confidence_name(enum frame_confidence c); /* "high", "medium", "low" */

#endif
