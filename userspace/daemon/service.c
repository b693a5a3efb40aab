/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/service.h"

#include "base/clock.h"
#include "base/log.h"
#include "daemon/announce.h"
#include "daemon/api.h"
#include "daemon/arguments.h"
#include "daemon/config.h"
#include "daemon/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#define PULSE_US 5000000ull /* how old the status text may be */

/*
 * Both letters go to the sampler's thread and come back. Each is on its way at most once, and
 * only whoever holds it touches what is in it.
 */
struct pulse {
	struct letter letter; /* first */
	struct service *service;
	bool is_away; /* the main thread's */
	unsigned int pythons, hz, recordings;
	uint64_t lost;
};

struct reload {
	struct letter letter; /* first */
	struct service *service;
	bool is_away;	/* the main thread's */
	bool is_wanted; /* likewise: to be done as soon as it can */
	struct config config;
	int err; /* of the sampler */
};

struct service {
	const struct arguments *args;
	struct sampler *sampler;
	struct api *api;
	struct mailbox *home; /* where the letters come back to */
	sd_event_source *timer, *hangup;
	uint64_t pulse_us; /* from one to the next */
	bool is_watched;   /* somebody waits for WATCHDOG=1 */
	bool is_ready, is_ending;
	char socket[sizeof(((struct config *)0)->socket)]; /* where we listen */
	char status[128];				   /* as told last */
	struct pulse pulse;
	struct reload reload;
};

/* --- the pulse: both threads had their turn; the worker's may be away for long --- */

static void count_python(struct process *p, void *ctx)
{
	struct pulse *pulse = ctx;

	pulse->pythons += p->state == PROCESS_READY;
}

static void tell_state(struct service *v)
{
	const struct pulse *p = &v->pulse;
	char rate[32] = "on demand", status[sizeof(v->status)];

	if (p->hz)
		snprintf(rate, sizeof(rate), "at %u Hz", p->hz);
	snprintf(status, sizeof(status),
		 "sampling %u Python%s %s; %u recording%s; %" PRIu64 " sample%s lost", p->pythons,
		 p->pythons == 1 ? "" : "s", rate, p->recordings, p->recordings == 1 ? "" : "s",
		 p->lost, p->lost == 1 ? "" : "s");
	if (strcmp(status, v->status))
		sd_notifyf(0, "STATUS=%s", status);
	memcpy(v->status, status, sizeof(status));
}

static void begin_reload(struct service *v);

/* What the sampler's thread did before it took the first pulse: it looked at every process. */
static void tell_ready(struct service *v)
{
	v->is_ready = true;
	log_info("ready on %s", v->socket);
	sd_notify(0, "READY=1");
	if (v->reload.is_wanted)
		begin_reload(v);
}

static void end_pulse(struct letter *l, void *owner)
{
	struct service *v = owner;

	(void)l;
	v->pulse.is_away = false;
	if (v->is_ending)
		return;
	if (!v->is_ready)
		tell_ready(v);
	if (v->is_watched)
		sd_notify(0, "WATCHDOG=1");
	tell_state(v);
}

/* In the sampler's thread. */
static void take_pulse(struct letter *l, void *owner)
{
	struct pulse *p = (struct pulse *)l;
	struct sampler_load load = sampler_load(owner);
	struct collector_counts counts;

	p->hz = load.hz;
	p->recordings = load.watchers;
	p->pythons = 0;
	process_table_each(sampler_processes(owner), count_python, p);
	if (!sampler_read_counts(owner, &counts)) {
		p->lost = 0;
		for (unsigned int i = 0; i < SP_LOST_MAX; i++)
			p->lost += counts.lost[i];
	}
	p->letter.deliver = end_pulse;
	mailbox_post(p->service->home, &p->letter);
}

static void begin_pulse(struct service *v)
{
	if (v->pulse.is_away)
		return; /* that thread hangs: no sign of life until it is back */
	v->pulse.is_away = true;
	v->pulse.letter.deliver = take_pulse;
	sampler_post(v->sampler, &v->pulse.letter);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct service *v = userdata;

	(void)usec;
	begin_pulse(v);
	sd_event_source_set_time_relative(source, v->pulse_us);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* --- a new configuration --- */

/* The service manager waits for this after RELOADING=1, whatever came of it. */
static void finish_reload(struct service *v)
{
	sd_notify(0, "READY=1");
	if (v->reload.is_wanted)
		begin_reload(v);
}

static void end_configure(struct letter *l, void *owner)
{
	struct service *v = owner;
	struct reload *r = &v->reload;

	(void)l;
	r->is_away = false;
	if (v->is_ending)
		return;
	if (r->err) {
		log_error(r->err, "cannot sample as the new configuration says");
		return finish_reload(v);
	}
	api_configure(v->api, &r->config);
	announce_reload(&r->config);
	if (strcmp(r->config.socket, v->socket))
		log_warning("socket = %s takes effect at the next start", r->config.socket);
	if (r->config.stack_depth != sampler_stack_depth(v->sampler))
		log_warning("stack_depth = %u takes effect at the next start",
			    r->config.stack_depth);
	finish_reload(v);
}

/* In the sampler's thread. */
static void configure(struct letter *l, void *owner)
{
	struct reload *r = (struct reload *)l;

	r->err = sampler_configure(owner, &r->config);
	r->letter.deliver = end_configure;
	mailbox_post(r->service->home, &r->letter);
}

static void begin_reload(struct service *v)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct reload *r = &v->reload;

	r->is_wanted = false;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, monotonic_ns() / 1000);
	if (arguments_config(v->args, &r->config, &why)) {
		log_write(LVL_ERROR, 0, "%s; the configuration stays as it was",
			  why.data ? why.data : "out of memory");
		return finish_reload(v);
	}
	r->is_away = true;
	r->letter.deliver = configure;
	sampler_post(v->sampler, &r->letter);
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	struct service *v = userdata;

	(void)source;
	(void)info;
	if (v->is_ready && !v->reload.is_away)
		begin_reload(v);
	else
		v->reload.is_wanted = true;
	return 0;
}

/* --- life --- */

static int attach(struct service *v, sd_event *loop)
{
	uint64_t watchdog_us = 0;
	int err = mailbox_attach(v->home, loop);

	if (err >= 0)
		err = sd_event_add_signal(loop, &v->hangup, SIGHUP, on_hangup, v);
	if (err >= 0)
		err = sd_watchdog_enabled(0, &watchdog_us);
	if (err < 0)
		return err;
	v->is_watched = err > 0;
	v->pulse_us = PULSE_US;
	if (v->is_watched && watchdog_us / 2 < PULSE_US)
		v->pulse_us = watchdog_us / 2;
	return sd_event_add_time(loop, &v->timer, CLOCK_MONOTONIC, 0, v->pulse_us / 8 + 1, on_timer,
				 v);
}

struct service *service_new(sd_event *loop, const struct arguments *args,
			    const struct config *config, struct sampler *s, struct api *a, int *err)
{
	OWNS(service) struct service *v = calloc(1, sizeof(*v));

	*err = -ENOMEM;
	if (!v)
		return NULL;
	v->args = args;
	v->sampler = s;
	v->api = a;
	v->pulse.service = v->reload.service = v;
	memcpy(v->socket, config->socket, sizeof(v->socket));
	v->home = mailbox_new(v);
	if (!v->home)
		return NULL;
	*err = attach(v, loop);
	return *err < 0 ? NULL : TAKE(v);
}

/* Letters that are away come back: the sampler's thread delivers them as it ends. */
void service_free(struct service *v)
{
	if (!v)
		return;
	v->is_ending = true;
	sd_notify(0, "STOPPING=1");
	sampler_stop(v->sampler);
	mailbox_free(v->home);
	sd_event_source_disable_unref(v->timer);
	sd_event_source_disable_unref(v->hangup);
	free(v);
}

void service_need_time(void)
{
	sd_notify(0, "EXTEND_TIMEOUT_USEC=15000000");
}
