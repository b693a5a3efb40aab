/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api.h"

#include "base/clock.h"
#include "daemon/api_parts.h"
#include "daemon/heap_job.h"
#include "daemon/lookback.h"
#include "daemon/metrics.h"
#include "daemon/query.h"
#include "daemon/recorder.h"
#include "daemon/report.h"
#include "daemon/sampler.h"
#include "daemon/snapshot.h"
#include "daemon/stacks.h"
#include "daemon/worker.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

#define FINISH_MS 1000 /* for answers to reach their clients when the daemon ends */
#define WHY_BYTES 160

/* Refuses what is wrong with the request's query. */
static void refuse(struct control_request *r, const char *why)
{
	control_answer_error(r, SPPROF_EXIT_USAGE, "%s", why);
}

static void work_status(struct call *c, struct sampler *s)
{
	report_status(c, s, c->api->start_ns);
}

static void get_status(struct control_request *r, void *ctx)
{
	struct api *a = ctx;
	struct call *c = api_keep(r, a);

	if (!c)
		return;
	c->heap_load = heap_desk_load(a->heaps);
	api_post(c, work_status);
}

/* Who asks, as the rights of a selection. */
static struct selection selection_of(const struct control_request *r)
{
	return (struct selection){ .kind = SELECT_ALL,
				   .uid = control_uid(r),
				   .sees_all = control_sees_all(r) };
}

static void get_processes(struct control_request *r, void *ctx)
{
	struct selection whose = selection_of(r);
	char why[WHY_BYTES];
	struct call *c;

	if (query_selection(r, &whose, why, sizeof(why)) == -EINVAL)
		return refuse(r, why);
	c = api_keep(r, ctx);
	if (!c)
		return;
	c->selection = whose;
	api_post(c, report_processes);
}

static void get_stacks(struct control_request *r, void *ctx)
{
	pid_t pid;
	struct call *c;

	if (query_pid(control_segment(r, 0), &pid))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "'%s' is not a process id",
					    control_segment(r, 0));
	c = api_keep(r, ctx);
	if (!c)
		return;
	c->pid = pid;
	api_post(c, stacks_read);
}

static void work_record(struct call *c, struct sampler *s)
{
	recorder_start(c->api->recorder, c, s);
}

/* What holds for every recording, whoever asks for it. */
static void limit_session(const struct api *a, struct session_request *session)
{
	session->recording_bytes = a->config.recording_bytes;
	session->most_recordings = a->config.recordings_per_user;
}

static void get_profile(struct control_request *r, void *ctx)
{
	struct session_request session = { .selection = selection_of(r) };
	char why[WHY_BYTES];
	uint64_t last_ns;
	bool is_strict;
	struct call *c;
	int err;

	err = query_selection(r, &session.selection, why, sizeof(why));
	if (err == -ENOENT)
		return refuse(r, "a profile is of pid=N[,N], all=1, cgroup=PATH or unit=NAME");
	if (err || query_last(r, &last_ns, &is_strict, why, sizeof(why)) ||
	    query_session(r, &session, why, sizeof(why)))
		return refuse(r, why);
	limit_session(ctx, &session);
	c = api_keep(r, ctx);
	if (!c)
		return;
	c->session = session;
	c->selection = session.selection;
	c->last_ns = last_ns;
	c->is_strict = is_strict;
	api_post(c, last_ns ? lookback_answer : work_record);
}

static void get_snapshot(struct control_request *r, void *ctx)
{
	struct session_request session = { .selection = selection_of(r) };
	char why[WHY_BYTES];
	struct call *c;

	if (query_selection(r, &session.selection, why, sizeof(why)) ||
	    session.selection.kind != SELECT_PIDS || session.selection.pid_count != 1)
		return refuse(r, "a snapshot is of pid=N");
	if (query_session(r, &session, why, sizeof(why)))
		return refuse(r, why);
	limit_session(ctx, &session);
	c = api_keep(r, ctx);
	if (!c)
		return;
	c->session = session;
	c->selection = session.selection;
	c->pid = session.selection.pids[0];
	c->take_profile = snapshot_with;
	api_post(c, session.length_ns ? work_record : snapshot_now);
}

static void work_heap(struct call *c, struct sampler *s)
{
	heap_subject_find(&c->heap->subject, c, s);
	call_return(c);
}

/* Whether there is no room for one more question of that user; it is answered then. */
static bool is_one_too_many(struct control_request *r, struct api *a)
{
	unsigned int asks = heap_desk_asks_of(a->heaps, control_uid(r));

	if (control_sees_all(r) || asks < a->config.recordings_per_user)
		return false;
	heap_desk_refuse(a->heaps);
	control_answer_error(r, SPPROF_EXIT_DENIED,
			     "you wait for %u heaps already, and may not wait for more", asks);
	return true;
}

static void get_heap(struct control_request *r, void *ctx)
{
	struct api *a = ctx;
	struct call *c;
	pid_t pid;

	if (query_pid(control_query(r, "pid"), &pid))
		return refuse(r, "a heap is of pid=N");
	if (is_one_too_many(r, a))
		return;
	c = api_keep(r, a);
	if (!c)
		return;
	c->pid = pid;
	if (!heap_desk_take(a->heaps, c))
		return api_post(c, work_heap);
	call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
	call_return(c);
}

static void get_metrics(struct control_request *r, void *ctx)
{
	struct api *a = ctx;
	struct call *c = api_keep(r, a);

	if (!c)
		return;
	c->heap_load = heap_desk_load(a->heaps);
	api_post(c, metrics_report);
}

static void work_stop(struct call *c, struct sampler *s)
{
	c->json = json_object();
	recorder_stop(c->api->recorder, c, s);
}

static void post_stop(struct control_request *r, void *ctx)
{
	uint64_t id;
	struct call *c;

	if (query_number(control_segment(r, 0), 1, UINT32_MAX, &id))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "'%s' is not a recording's id",
					    control_segment(r, 0));
	c = api_keep(r, ctx);
	if (!c)
		return;
	c->session_id = id;
	api_post(c, work_stop);
}

static const struct control_endpoint endpoints[] = {
	{ "GET", "/v1/status", get_status },
	{ "GET", "/v1/processes", get_processes },
	{ "GET", "/v1/processes/*/stacks", get_stacks },
	{ "GET", "/v1/profile", get_profile },
	{ "POST", "/v1/profile/*/stop", post_stop },
	{ "GET", "/v1/snapshot", get_snapshot },
	{ "GET", "/v1/heap", get_heap },
	{ "POST", "/v1/heap/start", api_start_heap },
	{ "POST", "/v1/heap/stop", api_stop_heap },
	{ "GET", "/v1/heap/status", api_tell_heaps },
	{ "GET", "/metrics", get_metrics },
	{ NULL, NULL, NULL },
};

void api_configure(struct api *a, const struct config *config)
{
	a->config = *config;
	control_server_limit(a->server, config->connections, config->connections_per_user);
}

struct api *api_new(sd_event *loop, const char *path, struct sampler *s, struct worker *w, int *err)
{
	OWNS(api) struct api *a = calloc(1, sizeof(*a));

	*err = -ENOMEM;
	if (!a)
		return NULL;
	a->sampler = s;
	a->worker = w;
	a->start_ns = monotonic_ns();
	a->config = config_default;
	a->home = mailbox_new(a);
	a->recorder = recorder_new(api_tell_began);
	if (!a->home || !a->recorder)
		return NULL;
	a->heaps = heap_desk_new(w, a->home, heap_job_run);
	if (!a->heaps)
		return NULL;
	*err = mailbox_attach(a->home, loop);
	if (*err < 0)
		return NULL;
	a->server = control_server_new(loop, path, endpoints, a, err);
	return a->server ? TAKE(a) : NULL;
}

/*
 * Each step brings letters that the next delivers. Recordings that run are ended and
 * answered: what was sampled until now reaches its client. A scan is given up.
 */
void api_free(struct api *a)
{
	if (!a)
		return;
	sampler_stop(a->sampler);
	recorder_free(a->recorder);
	a->recorder = NULL;
	if (a->heaps)
		heap_desk_end(a->heaps);
	heap_sessions_end(sampler_heaps(a->sampler));
	worker_stop(a->worker);
	sampler_stop(a->sampler);
	if (a->home)
		mailbox_deliver(a->home);
	if (a->server)
		control_server_finish(a->server, FINISH_MS);
	control_server_free(a->server);
	sampler_stop(a->sampler);
	mailbox_free(a->home);
	heap_desk_free(a->heaps);
	free(a);
}
