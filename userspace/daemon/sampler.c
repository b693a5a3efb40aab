/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/sampler.h"

#include "base/clock.h"
#include "daemon/clock.h"
#include "daemon/config.h"
#include "daemon/heap_sessions.h"
#include "daemon/windows.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/epoll.h>

/*
 * The programs wake us when many records wait, or a process ends; this is for the few. At
 * 10,000 Hz on a processor it is also far from what the ring holds.
 */
#define TURN_NS (250 * 1000 * 1000ull)
#define FIRST_TURN_NS (20 * 1000 * 1000ull) /* until there is something to answer from */

struct sampler {
	struct collector *collector;
	struct process_table *processes;
	struct mailbox *mailbox;
	struct watcher *watchers;
	struct stack_store *stacks;
	struct windows *windows;
	struct heap_sessions *heaps;
	unsigned int stack_depth;
	unsigned int sample_hz; /* of the windows; 0: there are none */
	uint64_t next_slice_ns;
	sd_event *loop;
	sd_event_source *ring, *turn;
	pthread_t thread;
	bool has_thread;
	struct clock clock;
	uint64_t weight_ns;
};

static void on_sample(const struct sp_sample *sample, void *ctx)
{
	struct sampler *s = ctx;
	struct sampled x = {
		.record = sample,
		.process = process_table_find(s->processes, sample->head.pid, sample->epoch),
		.store = s->stacks,
	};

	s->weight_ns += sample->weight_ns;
	if (!x.process)
		return;
	windows_add(s->windows, &x);
	for (struct watcher *w = s->watchers; w; w = w->next)
		w->on_sample(w, &x);
	sampled_fini(&x);
}

static void on_code(const struct sp_code *code, void *ctx)
{
	struct sampler *s = ctx;
	struct process *p = process_table_find(s->processes, code->head.pid, code->epoch);

	if (p && p->codes)
		(void)code_table_learn(p->codes, code);
}

static void on_process(const struct sp_process *event, void *ctx)
{
	struct sampler *s = ctx;
	struct process *p;

	process_table_on_event(s->processes, event);
	if (s->heaps)
		heap_sessions_on_process(s->heaps, event);
	if (event->head.kind != SP_EVENT_EXIT)
		return;
	p = process_table_find(s->processes, event->head.pid, event->epoch);
	for (struct watcher *w = s->watchers; p && w; w = w->next)
		if (w->on_exit)
			w->on_exit(w, p);
}

static void on_alloc(const struct sp_alloc *alloc, void *ctx)
{
	const struct sp_sample *sample = &alloc->sample;
	struct sampler *s = ctx;
	struct sampled x = {
		.record = sample,
		.process = process_table_find(s->processes, alloc->head.pid, sample->epoch),
		.store = s->stacks,
	};

	if (!x.process || !s->heaps)
		return;
	heap_sessions_on_alloc(s->heaps, alloc, &x);
	sampled_fini(&x);
}

static void on_free(const struct sp_free *record, void *ctx)
{
	struct sampler *s = ctx;

	if (s->heaps)
		heap_sessions_on_free(s->heaps, record);
}

void sampler_drain(struct sampler *s)
{
	(void)collector_drain(s->collector);
}

/* Once a second: losses are booked on the slice that ends, what is too old goes. */
static void turn_windows(struct sampler *s, uint64_t now)
{
	struct collector_counts counts;

	if (!s->sample_hz || now < s->next_slice_ns)
		return;
	s->next_slice_ns = now - now % WINDOWS_SLICE_NS + WINDOWS_SLICE_NS;
	if (!collector_read_counts(s->collector, &counts))
		windows_turn(s->windows, now, &counts);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What follows a drain: watchers that are done go, processes that are due are looked at. */
static int take_turn(struct sampler *s)
{
	uint64_t now = monotonic_ns(), due, turn_ns;

	sampler_drain(s);
	turn_ns = s->weight_ns ? TURN_NS : FIRST_TURN_NS;
	for (struct watcher *w = s->watchers, *next; w; w = next) {
		next = w->next;
		if (w->on_turn)
			w->on_turn(w);
	}
	turn_windows(s, now);
	due = process_table_tend(s->processes, now);
	if (s->heaps)
		due = earlier(due, heap_sessions_turn(s->heaps, now));
	if (s->clock.hz && due > now + turn_ns)
		due = now + turn_ns;
	sd_event_source_set_time(s->turn, due / 1000 + 1);
	return sd_event_source_set_enabled(s->turn, SD_EVENT_ONESHOT);
}

static int on_ring(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	return take_turn(userdata);
}

static int on_turn(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	return take_turn(userdata);
}

static int prepare(struct sampler *s, int opener, unsigned int stack_depth)
{
	struct collector_sink sink = { .on_sample = on_sample,
				       .on_code = on_code,
				       .on_process = on_process,
				       .on_alloc = on_alloc,
				       .on_free = on_free,
				       .ctx = s };
	const struct windows_limits none = { 0 };
	int err;

	s->stack_depth = stack_depth;
	s->mailbox = mailbox_new(s);
	s->stacks = stack_store_new();
	s->windows = windows_new(&s->clock.rates, &none);
	if (!s->mailbox || !s->stacks || !s->windows)
		return -ENOMEM;
	s->collector = collector_new(opener, stack_depth, &sink, &err);
	if (!s->collector)
		return err;
	s->processes = process_table_new(s->collector);
	return s->processes ? 0 : -ENOMEM;
}

struct sampler *sampler_new(int opener, unsigned int stack_depth, int *err)
{
	OWNS(sampler) struct sampler *s = calloc(1, sizeof(*s));

	*err = s ? prepare(s, opener, stack_depth) : -ENOMEM;
	return *err ? NULL : TAKE(s);
}

static void stop_loop(struct letter *l, void *owner)
{
	struct sampler *s = owner;

	(void)l;
	sd_event_exit(s->loop, 0);
}

void sampler_stop(struct sampler *s)
{
	struct letter stop = { .deliver = stop_loop };

	if (s->has_thread) {
		mailbox_post(s->mailbox, &stop);
		pthread_join(s->thread, NULL);
		s->has_thread = false;
	}
	mailbox_deliver(s->mailbox);
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	if (s->mailbox)
		sampler_stop(s);
	heap_sessions_free(s->heaps);
	mailbox_free(s->mailbox);
	sd_event_source_disable_unref(s->ring);
	sd_event_source_disable_unref(s->turn);
	windows_free(s->windows);
	stack_store_free(s->stacks);
	clock_fini(&s->clock);
	process_table_free(s->processes);
	collector_free(s->collector);
	sd_event_unref(s->loop);
	free(s);
}

int sampler_follow_heaps(struct sampler *s, struct worker *w, int opener)
{
	s->heaps = heap_sessions_new(s, s->collector, w, opener);
	return s->heaps ? 0 : -ENOMEM;
}

static void *run(void *ctx)
{
	struct sampler *s = ctx;

	pthread_setname_np(pthread_self(), "spprof-sampler");
	(void)process_table_scan(s->processes);
	take_turn(s);
	sd_event_loop(s->loop);
	return NULL;
}

int sampler_start(struct sampler *s)
{
	int err = sd_event_new(&s->loop);

	if (err >= 0)
		err = mailbox_attach(s->mailbox, s->loop);
	if (err >= 0)
		err = sd_event_add_io(s->loop, &s->ring, collector_fd(s->collector), EPOLLIN,
				      on_ring, s);
	if (err >= 0)
		err = sd_event_add_time(s->loop, &s->turn, CLOCK_MONOTONIC, 0, 1000, on_turn, s);
	if (err >= 0)
		err = -pthread_create(&s->thread, NULL, run, s);
	s->has_thread = err >= 0;
	return err < 0 ? err : 0;
}

void sampler_post(struct sampler *s, struct letter *l)
{
	mailbox_post(s->mailbox, l);
}

sd_event *sampler_loop(struct sampler *s)
{
	return s->loop;
}

struct process_table *sampler_processes(struct sampler *s)
{
	return s->processes;
}

struct windows *sampler_windows(struct sampler *s)
{
	return s->windows;
}

struct heap_sessions *sampler_heaps(struct sampler *s)
{
	return s->heaps;
}

unsigned int sampler_stack_depth(const struct sampler *s)
{
	return s->stack_depth;
}

const struct rates *sampler_rates(const struct sampler *s)
{
	return &s->clock.rates;
}

static unsigned int highest_rate(const struct sampler *s)
{
	unsigned int hz = s->sample_hz;

	for (const struct watcher *w = s->watchers; w; w = w->next)
		if (w->hz > hz)
			hz = w->hz;
	return hz;
}

static int adjust_clock(struct sampler *s)
{
	return clock_set(&s->clock, s->collector, highest_rate(s), monotonic_ns());
}

int sampler_configure(struct sampler *s, const struct config *config)
{
	const struct windows_limits limits = { config->window_ns, config->window_bytes };
	unsigned int before = s->sample_hz;
	int err;

	s->sample_hz = config->sample_hz;
	err = adjust_clock(s);
	if (err) {
		s->sample_hz = before;
		return err;
	}
	windows_set_limits(s->windows, &limits);
	if (s->sample_hz && !before)
		windows_start(s->windows, monotonic_ns());
	if (!s->sample_hz)
		windows_stop(s->windows);
	return 0;
}

int sampler_watch(struct sampler *s, struct watcher *w)
{
	int err;

	sampler_drain(s); /* what waits was before its time */
	w->next = s->watchers;
	s->watchers = w;
	err = adjust_clock(s);
	if (err)
		sampler_unwatch(s, w);
	sampler_turn_soon(s);
	return err;
}

void sampler_turn_soon(struct sampler *s)
{
	sd_event_source_set_time(s->turn, (monotonic_ns() + TURN_NS) / 1000);
	sd_event_source_set_enabled(s->turn, SD_EVENT_ONESHOT);
}

void sampler_unwatch(struct sampler *s, struct watcher *w)
{
	for (struct watcher **at = &s->watchers; *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	(void)adjust_clock(s);
}

int sampler_read_counts(struct sampler *s, struct collector_counts *out)
{
	return collector_read_counts(s->collector, out);
}

struct sampler_load sampler_load(const struct sampler *s)
{
	struct sampler_load load = {
		.hz = s->clock.hz,
		.sample_hz = s->sample_hz,
		.processors = collector_clock_count(s->collector),
		.ticks_due = clock_ticks_due(&s->clock, s->collector, monotonic_ns()),
		.weight_ns = s->weight_ns,
	};

	for (const struct watcher *w = s->watchers; w; w = w->next)
		load.watchers++;
	return load;
}
