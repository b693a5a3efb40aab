/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a session, copied for another thread. */
#include "daemon/heap_tracker.h"
#include "daemon/heap_tracker_parts.h"

static void copy_window(const struct tracked *s, uint64_t now_ns, struct heap_seen *out)
{
	uint64_t end_ns = s->stop_ns ? s->stop_ns : now_ns;

	out->window_seconds = end_ns > s->begin_ns ? (double)(end_ns - s->begin_ns) / 1e9 : 0;
}

struct heap_seen *heap_tracker_see(struct heap_tracker *t, uint32_t n, uint64_t now_ns)
{
	const struct tracked *s = heap_tracker_session(t, n);
	struct heap_seen *out = s ? calloc(1, sizeof(*out)) : NULL;

	if (!out)
		return NULL;
	out->model = heap_model_ref(t->model);
	out->ids = s->ids;
	out->tier = s->tier;
	out->misses_frees = s->misses_frees;
	copy_window(s, now_ns, out);
	if (!heap_scans_copy(&s->scans, &out->scans) &&
	    !heap_temporary_copy(&s->temporary, &out->temporary))
		return out;
	heap_seen_free(out);
	return NULL;
}

void heap_seen_free(struct heap_seen *s)
{
	if (!s)
		return;
	heap_scans_fini(&s->scans);
	heap_temporary_fini(&s->temporary);
	heap_live_fini(&s->live);
	heap_freed_fini(&s->freed);
	heap_model_unref(s->model);
	free(s);
}

int heap_seen_find_freed(struct heap_seen *s, const struct heap_scan_target *target)
{
	heap_freed_fini(&s->freed);
	return s->misses_frees ? heap_freed_find(s->model, &s->ids, target, &s->freed) : 0;
}

int heap_seen_add_scan(struct heap_seen *s, uint64_t at_ns, const struct heap_census *census)
{
	int err;

	heap_live_fini(&s->live);
	err = heap_live_take(s->model, &s->ids, &s->freed, census, at_ns, &s->live);
	s->has_live = !err;
	return err ? err : heap_scans_add(&s->scans, at_ns, census, &s->live);
}
