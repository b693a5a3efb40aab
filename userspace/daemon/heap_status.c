/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_status.h"

#include "daemon/stack_json.h"

#include <string.h>

static const char *const kind_names[] = {
	[SP_PROBE_REFILL] = "refill",
	[SP_PROBE_MALLOC] = "malloc",
	[SP_PROBE_CALLOC] = "calloc",
	[SP_PROBE_REALLOC] = "realloc",
	[SP_PROBE_POSIX_MEMALIGN] = "posix_memalign",
	[SP_PROBE_FREE] = "free",
};

static json_t *json_count(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static json_t *json_text(const char *text)
{
	return stack_json_text(text, strlen(text));
}

/* Each part is a new reference; whoever packs it finds out that it is NULL. */
static json_t *json_costs(const struct heap_costs *c)
{
	return json_pack("{sf sf sf}", "emulated", c->emulated_ns, "stepped", c->stepped_ns,
			 "return", c->return_ns);
}

static json_t *json_probes(const struct heap_session *s)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < s->site_count; i++) {
		const struct heap_site *site = &s->sites[i];

		if (!(s->attached & (1u << i)))
			continue;
		if (json_array_append_new(rows, json_pack("{so ss sb sb}", "function",
							  json_text(site->function), "kind",
							  kind_names[site->what.kind], "is_stepped",
							  site->what.is_stepped, "has_return",
							  site->has_return))) {
			json_decref(rows);
			return NULL;
		}
	}
	return rows;
}

static json_t *json_counts(const struct sp_heap_counts *counts)
{
	json_t *all = json_object();
	int err = 0;

#define X(name, label, help) \
	err |= json_object_set_new(all, label, json_count(counts->count[SP_HEAP_##name]));
	SP_HEAP_COUNTERS(X)
#undef X
	if (!err)
		return all;
	json_decref(all);
	return NULL;
}

static json_t *json_lost(const struct heap_session *s)
{
	json_t *lost = json_object();
	int err = 0;

#define X(name, label, help) \
	err |= json_object_set_new(lost, label, json_count(s->counts.lost[SP_HEAP_LOST_##name]));
	SP_HEAP_LOSSES(X)
#undef X
	err |= json_object_set_new(lost, "table_full", json_count(s->load.dropped));
	err |= json_object_set_new(lost, "children_not_cloned", json_count(s->children_not_cloned));
	if (!err)
		return lost;
	json_decref(lost);
	return NULL;
}

static json_t *json_health(const struct frame_health *h)
{
	return json_pack("{ss so so sf}", "confidence",
			 frame_confidence_name(frame_health_confidence(h)), "stacks",
			 json_count(h->total_native_stacks), "shallow",
			 json_count(h->shallow_stack_warnings), "average_depth",
			 frame_health_avg_native_depth(h));
}

static json_t *json_warnings(const struct heap_session *s)
{
	json_t *rows = json_array();
	int err = 0;

	for (unsigned int i = 0; i < s->warning_count; i++)
		err |= json_array_append_new(rows, json_text(s->warnings[i]));
	if (s->warnings_left_out)
		err |= json_array_append_new(
			rows, json_sprintf("%u more warnings are left out", s->warnings_left_out));
	if (!err)
		return rows;
	json_decref(rows);
	return NULL;
}

static json_t *json_overhead(const struct heap_overhead *o)
{
	return o->is_known ? json_real(o->percent) : json_null();
}

/* Before it has begun, what the request leaves open is open. */
static json_t *json_request(const struct heap_session *s)
{
	const struct heap_request *r = &s->request;

	return json_pack("{so so so so}", "for_seconds",
			 r->seconds ? json_integer(r->seconds) : json_null(), "rate_bytes",
			 json_count(r->rate), "max_overhead_percent", json_integer(r->max_overhead),
			 "overhead_percent", json_overhead(&s->overhead));
}

static json_t *json_head(const struct heap_session *s, uint64_t now_ns)
{
	return json_pack("{si so ss ss so so sf}", "pid", s->pid, "name", json_text(s->name),
			 "tier", heap_tier_name(s->tier), "state",
			 heap_session_state_name(s->state), "reason",
			 s->reason[0] ? json_text(s->reason) : json_null(), "since_ns",
			 json_count(s->unix_ns), "seconds", heap_session_seconds(s, now_ns));
}

static json_t *json_figures(const struct heap_session *s)
{
	return json_pack("{so so so so so so so so so so}", "probe_cost_ns", json_costs(&s->costs),
			 "probes", json_probes(s), "counts", json_counts(&s->counts), "lost",
			 json_lost(s), "live_samples", json_count(s->load.live_samples), "samples",
			 json_count(s->load.samples), "freed", json_count(s->load.freed), "scans",
			 json_count(s->scans), "frame_pointers", json_health(&s->load.health),
			 "warnings", json_warnings(s));
}

/* Takes @part over. */
static bool add(json_t *all, json_t *part)
{
	bool is_whole = part && !json_object_update(all, part);

	json_decref(part);
	return is_whole;
}

json_t *heap_status_json(const struct heap_session *s, uint64_t now_ns)
{
	json_t *all = json_head(s, now_ns);

	if (all && add(all, json_request(s)) && add(all, json_figures(s)))
		return all;
	json_decref(all);
	return NULL;
}
