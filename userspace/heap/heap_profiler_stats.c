/* SPDX-License-Identifier: Apache-2.0 */
/* What a heap profiler tells of itself. */
#include "heap/heap_profiler.h"
#include "heap/heap_profiler_parts.h"

int heap_profiler_snapshot(struct heap_profiler *p, uint64_t now_ns, struct heap_snapshot *out,
			   struct buffer *why)
{
	int after = heap_profiler_begin(p, HEAP_CALL_SNAPSHOT, why), err;

	if (after < 0)
		return after;
	err = heap_snapshot_take(p->map, now_ns, out);
	if (err)
		return heap_profiler_fail(p, err, why, "snapshot: out of memory");
	out->frame_pointer_health = p->health;
	return heap_profiler_end(p, after);
}

static int add_weight(void *arg, const struct heap_sample *s)
{
	uint64_t *bytes = arg;

	*bytes += allocation_sample_of(s).estimated_bytes;
	return 0;
}

static struct heap_profiler_stats stats_of(const struct heap_profiler *p, uint64_t bytes)
{
	struct heap_map_counts c = heap_map_counts(p->map);

	return (struct heap_profiler_stats){
		.total_samples = c.of[HEAP_MAP_SAMPLES],
		.live_samples = heap_map_live(&c),
		.freed_samples = heap_map_freed(&c),
		.lost_samples = heap_map_lost(&c),
		.unique_stacks = stack_table_stats(p->stacks).stacks,
		.estimated_heap_bytes = bytes,
		.heap_map_load_percent = 100.0 * heap_map_live(&c) / heap_map_capacity(p->map),
		.collisions = c.of[HEAP_MAP_COLLISIONS],
		.sampling_rate_bytes = p->settings.sampling_rate,
	};
}

int heap_profiler_stats(struct heap_profiler *p, uint64_t now_ns, struct heap_profiler_stats *out,
			struct buffer *why)
{
	int after = heap_profiler_begin(p, HEAP_CALL_STATS, why), err;
	struct heap_walk walk;
	uint64_t bytes = 0;

	if (after < 0)
		return after;
	err = heap_map_visit(p->map, now_ns, add_weight, &bytes, &walk);
	if (err)
		return heap_profiler_fail(p, err, why, "stats: out of memory");
	*out = stats_of(p, bytes);
	return heap_profiler_end(p, after);
}

static struct heap_statistics statistics_of(const struct heap_profiler *p)
{
	struct heap_map_counts c = heap_map_counts(p->map);

	return (struct heap_statistics){
		.total_samples = c.of[HEAP_MAP_SAMPLES],
		.total_frees_tracked = c.of[HEAP_MAP_FREES],
		.heap_map_collisions = c.of[HEAP_MAP_COLLISIONS],
		.heap_map_insertions = c.of[HEAP_MAP_INSERTIONS],
		.heap_map_deletions = heap_map_freed(&c),
		.heap_map_full_drops = c.of[HEAP_MAP_FULL_DROPS],
		.stack_table_collisions = stack_table_stats(p->stacks).collisions,
		.bloom_rebuilds = bloom_stats(p->bloom).rebuilds,
		.death_during_birth = c.of[HEAP_MAP_DEATHS_DURING_BIRTH],
		.zombie_races_detected = c.of[HEAP_MAP_ZOMBIE_FREES],
		.tombstones_recycled = c.of[HEAP_MAP_TOMBSTONES_RECYCLED],
		.shallow_stack_warnings = p->health.shallow_stack_warnings,
		.missed_frees = c.of[HEAP_MAP_MISSED_FREES],
		.process_frees = c.of[HEAP_MAP_ENDED],
		.unknown_frees = c.of[HEAP_MAP_UNKNOWN_FREES],
		.refused_samples = c.of[HEAP_MAP_REFUSED],
		.stackless_samples = p->stackless,
		.freed_log_overflow = freed_log_overflow(p->log),
		.tombstones_cleared = c.of[HEAP_MAP_TOMBSTONES_CLEARED],
	};
}

struct heap_statistics heap_profiler_statistics(struct heap_profiler *p)
{
	struct heap_statistics s = { 0 };

	pthread_mutex_lock(&p->control);
	if (p->map && p->stacks && p->bloom)
		s = statistics_of(p);
	pthread_mutex_unlock(&p->control);
	return s;
}
