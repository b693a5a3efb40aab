/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metrics_text.h"

#include "spprof_api.h"

#include <inttypes.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

enum kind { COUNTER, GAUGE };

static void begin(struct buffer *out, const char *name, enum kind kind, const char *help)
{
	buffer_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		     kind == COUNTER ? "counter" : "gauge");
}

static void add(struct buffer *out, const char *name, enum kind kind, const char *help,
		uint64_t value)
{
	begin(out, name, kind, help);
	buffer_print(out, "%s %" PRIu64 "\n", name, value);
}

static void add_seconds(struct buffer *out, const char *name, enum kind kind, const char *help,
			uint64_t ns)
{
	begin(out, name, kind, help);
	buffer_print(out, "%s %" PRIu64 ".%09" PRIu64 "\n", name, ns / SECOND_NS, ns % SECOND_NS);
}

static void add_labelled(struct buffer *out, const char *name, const char *label, const char *text,
			 uint64_t value)
{
	buffer_print(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, text, value);
}

/* Prometheus counts time in seconds: so does what our list counts in nanoseconds. */
static void add_counter(struct buffer *out, const char *label, const char *help, uint64_t value)
{
	static const char unit[] = "nano";
	size_t len = strlen(label);
	bool is_time = len > 3 && !strcmp(label + len - 3, "_ns");
	char name[64];

	if (!is_time) {
		snprintf(name, sizeof(name), "spprof_%s_total", label);
		return add(out, name, COUNTER, help, value);
	}
	snprintf(name, sizeof(name), "spprof_%.*s_seconds_total", (int)len - 3, label);
	if (!strncmp(help, unit, strlen(unit)))
		help += strlen(unit);
	add_seconds(out, name, COUNTER, help, value);
}

static void add_counters(const struct metrics *m, struct buffer *out)
{
#define X(name, label, help) add_counter(out, label, help, m->counts.count[SP_COUNT_##name]);
	SP_TICK_COUNTERS(X)
#undef X
	add(out, "spprof_delivered_total", COUNTER, "samples received: taken and not lost",
	    m->counts.delivered);
	begin(out, "spprof_lost_total", COUNTER, "taken ticks that were not delivered, by reason");
#define X(name, label, help) \
	add_labelled(out, "spprof_lost_total", "reason", label, m->counts.lost[SP_LOST_##name]);
	SP_LOSSES(X)
#undef X
}

static void add_clock(const struct sampler_load *load, struct buffer *out)
{
	add(out, "spprof_sample_hz", GAUGE, "configured rate; 0: on demand only", load->sample_hz);
	add(out, "spprof_clock_hz", GAUGE, "rate of the clock now; 0: it stands", load->hz);
	add(out, "spprof_processors", GAUGE, "processors that have a clock", load->processors);
	add(out, "spprof_ticks_due_total", COUNTER, "ticks that the clock should have brought",
	    load->ticks_due);
	add_seconds(out, "spprof_weight_seconds_total", COUNTER,
		    "processor time that the samples received stand for", load->weight_ns);
	add(out, "spprof_sessions", GAUGE, "recordings and looks that run", load->watchers);
}

static void add_processes(const struct metrics *m, struct buffer *out)
{
	begin(out, "spprof_processes", GAUGE, "Python processes that run, by state");
	for (unsigned int i = PROCESS_STARTING; i <= PROCESS_REFUSED; i++)
		add_labelled(out, "spprof_processes", "state", process_state_name(i),
			     m->processes[i]);
	add(out, "spprof_names_refused", GAUGE,
	    "code objects of running processes whose names found no room", m->names_refused);
}

static void add_windows(const struct windows_load *w, struct buffer *out)
{
	add(out, "spprof_window_slices", GAUGE, "slices of the past in memory", w->slices);
	add_seconds(out, "spprof_window_span_seconds", GAUGE, "how far back questions can be asked",
		    w->span_ns);
	add(out, "spprof_window_bytes", GAUGE, "memory that the slices hold", w->bytes);
	add(out, "spprof_window_samples", GAUGE, "samples in the slices", w->samples);
	add(out, "spprof_window_dropped_slices_total", COUNTER,
	    "slices dropped before their time for want of memory", w->dropped_slices);
	add(out, "spprof_window_refused_total", COUNTER, "samples that no slice had room for",
	    w->refused);
}

static void add_heaps(const struct heap_load *h, struct buffer *out)
{
#define X(name, label, help) add_counter(out, label, help, h->count[HEAP_COUNT_##name]);
	HEAP_COUNTERS(X)
#undef X
	add(out, "spprof_heap_asks", GAUGE, "questions for a heap that are not answered yet",
	    h->asks);
}

/* Of allocators' probes, in all sessions that ever were. */
static void add_sessions(const struct heap_sessions_load *l, struct buffer *out)
{
	static const char sessions[] = "spprof_heap_sessions", lost[] = "spprof_heap_lost_total";

	begin(out, sessions, GAUGE, "processes whose heaps are followed, by state");
	for (unsigned int i = 0; i < HEAP_SESSION_STATES; i++)
		add_labelled(out, sessions, "state", heap_session_state_name(i), l->sessions[i]);
#define X(name, label, help) add_counter(out, "heap_" label, help, l->counts.count[SP_HEAP_##name]);
	SP_HEAP_COUNTERS(X)
#undef X
	begin(out, lost, COUNTER, "samples, refills and frees that did not arrive, by reason");
#define X(name, label, help) \
	add_labelled(out, lost, "reason", label, l->counts.lost[SP_HEAP_LOST_##name]);
	SP_HEAP_LOSSES(X)
#undef X
	add_labelled(out, lost, "reason", "table_full", l->table_full);
	add(out, "spprof_heap_children_not_cloned_total", COUNTER,
	    "forks whose inherited heaps were not followed", l->children_not_cloned);
#define X(name, help) add_counter(out, "heap_model_" #name, help, l->model.name);
	HEAP_STATISTICS(X)
#undef X
}

/* The names that every Prometheus client library gives to these. */
static void add_daemon(const struct metrics *m, struct buffer *out)
{
	static const char memory[] = "spprof_memory_bytes";

	add_seconds(out, "process_cpu_seconds_total", COUNTER,
		    "user and system time of the daemon, without BPF", m->cpu_ns);
	add_seconds(out, "process_start_time_seconds", GAUGE,
		    "when the daemon started, in Unix time", m->start_ns);
	add(out, "process_resident_memory_bytes", GAUGE, "resident memory of the daemon",
	    m->memory.rss_bytes);
	begin(out, memory, GAUGE, "parts of the daemon's resident memory");
	add_labelled(out, memory, "part", "anon", m->memory.rss_anon_bytes);
	add_labelled(out, memory, "part", "file", m->memory.rss_file_bytes);
	add_labelled(out, memory, "part", "shmem", m->memory.rss_shmem_bytes);
	add(out, "process_open_fds", GAUGE, "open descriptors of the daemon", m->descriptors);
}

void metrics_write(const struct metrics *m, struct buffer *out)
{
	begin(out, "spprof_build_info", GAUGE, "1; its labels are the version");
	buffer_add_text(out, "spprof_build_info{version=\"" SPPROF_VERSION
			     "\",api=\"" TEXT(SPPROF_API) "\"} 1\n");
	add_counters(m, out);
	add_clock(&m->load, out);
	add_processes(m, out);
	add_windows(&m->windows, out);
	add_heaps(&m->heap, out);
	add_sessions(&m->sessions, out);
	add_daemon(m, out);
}
