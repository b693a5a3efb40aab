/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/report.h"

#include "base/clock.h"
#include "daemon/sampler.h"
#include "daemon/windows.h"
#include "python/pylayout.h"
#include "spprof_api.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static json_t *json_lost(const struct collector_counts *counts)
{
	json_t *lost = json_object();

#define X(name, label, help) \
	json_object_set_new(lost, label, json_integer(counts->lost[SP_LOST_##name]));
	SP_LOSSES(X)
#undef X
	return lost;
}

static json_t *json_counters(const struct collector_counts *counts)
{
	json_t *all = json_object();

#define X(name, label, help) \
	json_object_set_new(all, label, json_integer(counts->count[SP_COUNT_##name]));
	SP_TICK_COUNTERS(X)
#undef X
	return all;
}

struct state_counts {
	json_int_t of[PROCESS_REFUSED + 1];
	json_int_t names_refused; /* their tables of code objects are full */
};

static void count_state(struct process *p, void *ctx)
{
	struct state_counts *counts = ctx;

	counts->of[p->state]++;
	counts->names_refused += p->codes ? code_table_refused(p->codes) : 0;
}

static json_t *json_processes(struct sampler *s)
{
	struct state_counts counts = { 0 };

	process_table_each(sampler_processes(s), count_state, &counts);
	return json_pack("{sI sI sI sI}", "ready", counts.of[PROCESS_READY], "starting",
			 counts.of[PROCESS_STARTING], "refused", counts.of[PROCESS_REFUSED],
			 "names_refused", counts.names_refused);
}

static json_t *json_clock(struct sampler *s)
{
	struct sampler_load load = sampler_load(s);

	return json_pack("{si si si si sI sI}", "sessions", load.watchers, "sample_hz",
			 load.sample_hz, "hz", load.hz, "processors", load.processors, "ticks_due",
			 (json_int_t)load.ticks_due, "weight_ns", (json_int_t)load.weight_ns);
}

static json_t *json_windows(struct sampler *s)
{
	struct windows_load load = windows_load(sampler_windows(s), monotonic_ns());

	return json_pack("{si sf sI sI sI sI}", "slices", load.slices, "span_s", load.span_ns / 1e9,
			 "bytes", (json_int_t)load.bytes, "samples", (json_int_t)load.samples,
			 "dropped_slices", (json_int_t)load.dropped_slices, "refused",
			 (json_int_t)load.refused);
}

static json_t *json_heap(const struct heap_load *load)
{
	json_t *heap = json_pack("{sI}", "asks", (json_int_t)load->asks);

#define X(name, label, help) \
	json_object_set_new(heap, label, json_integer(load->count[HEAP_COUNT_##name]));
	HEAP_COUNTERS(X)
#undef X
	return heap;
}

void report_status(struct call *c, struct sampler *s, uint64_t start_ns)
{
	struct collector_counts counts;
	struct utsname kernel;
	int err;

	sampler_drain(s);
	err = sampler_read_counts(s, &counts);
	if (err || uname(&kernel)) {
		call_fail(c, SPPROF_EXIT_FAILED, "cannot read the counters: %s", strerror(-err));
		return call_return(c);
	}
	c->json = json_pack(
		"{ss si si sf ss so so so so so s{sI sI sI so}}", "version", SPPROF_VERSION, "api",
		SPPROF_API, "pid", getpid(), "uptime_s", (monotonic_ns() - start_ns) / 1e9,
		"kernel", kernel.release, "processes", json_processes(s), "clock", json_clock(s),
		"windows", json_windows(s), "heap", json_heap(&c->heap_load), "counters",
		json_counters(&counts), "samples", "ticks",
		(json_int_t)counts.count[SP_COUNT_TICKS], "taken", (json_int_t)counts.taken,
		"delivered", (json_int_t)counts.delivered, "lost", json_lost(&counts));
	if (!c->json)
		call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
	call_return(c);
}

struct listing {
	const struct call *call;
	json_t *rows;
};

static void add_row(struct process *p, void *ctx)
{
	struct listing *l = ctx;
	char version[16] = "";

	if (!selection_takes(&l->call->selection, p))
		return;
	if (p->has_interpreter)
		pylayout_version_text(&p->interpreter.layout, version);
	json_array_append_new(l->rows, json_pack("{si sI ss ss? ss ss?}", "pid", p->pid, "uid",
						 (json_int_t)p->uid, "name", p->name, "python",
						 p->has_interpreter ? version : NULL, "state",
						 process_state_name(p->state), "reason",
						 p->state == PROCESS_REFUSED ? p->reason : NULL));
}

void report_processes(struct call *c, struct sampler *s)
{
	struct listing l = { .call = c, .rows = json_array() };

	sampler_drain(s);
	(void)process_table_scan(sampler_processes(s));
	process_table_each(sampler_processes(s), add_row, &l);
	c->json = json_pack("{so}", "processes", l.rows);
	call_return(c);
}
