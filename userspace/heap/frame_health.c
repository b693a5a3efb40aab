/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/frame_health.h"

void frame_health_add(struct frame_health *h, uint32_t depth)
{
	struct frame_health one = {
		.shallow_stack_warnings = depth < FRAME_HEALTH_SHALLOW,
		.total_native_stacks = 1,
		.native_frames = depth,
		.min_native_depth = depth,
	};

	frame_health_merge(h, &one);
}

void frame_health_merge(struct frame_health *h, const struct frame_health *other)
{
	if (other->total_native_stacks &&
	    (!h->total_native_stacks || other->min_native_depth < h->min_native_depth))
		h->min_native_depth = other->min_native_depth;
	h->shallow_stack_warnings += other->shallow_stack_warnings;
	h->total_native_stacks += other->total_native_stacks;
	h->native_frames += other->native_frames;
}

double frame_health_avg_native_depth(const struct frame_health *h)
{
	if (!h->total_native_stacks)
		return 0;
	return (double)h->native_frames / (double)h->total_native_stacks;
}

double frame_health_truncation_rate(const struct frame_health *h)
{
	if (!h->total_native_stacks)
		return 0;
	return (double)h->shallow_stack_warnings / (double)h->total_native_stacks;
}

enum frame_confidence frame_health_confidence(const struct frame_health *h)
{
	double rate = frame_health_truncation_rate(h);

	if (rate < 0.05)
		return FRAME_CONFIDENCE_HIGH;
	return rate <= 0.20 ? FRAME_CONFIDENCE_MEDIUM : FRAME_CONFIDENCE_LOW;
}

const char *frame_confidence_name(enum frame_confidence c)
{
	static const char *const names[] = {
		[FRAME_CONFIDENCE_HIGH] = "high",
		[FRAME_CONFIDENCE_MEDIUM] = "medium",
		[FRAME_CONFIDENCE_LOW] = "low",
	};

	return names[c];
}
