/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api.h"

#include "base/clock.h"
#include "control/server.h"
#include "daemon/call.h"
#include "daemon/query.h"
#include "daemon/recorder.h"
#include "daemon/report.h"
#include "daemon/sampler.h"
#include "daemon/stacks.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

#define FINISH_MS 1000 /* for answers to reach their clients when the daemon ends */
#define PPROF_TYPE "application/vnd.google.protobuf+gzip"

struct api {
	struct sampler *sampler;
	struct mailbox *home;
	struct control_server *server;
	struct recorder *recorder; /* the sampler's thread's */
	uint64_t start_ns;
};

/* --- from the main thread to the sampler's and back --- */

static void do_work(struct letter *l, void *owner)
{
	struct call *c = (struct call *)l;

	c->work(c, owner);
}

static void call_free(struct call *c)
{
	json_decref(c->json);
	buffer_fini(&c->bytes);
	free(c);
}

static void answer(struct letter *l, void *owner)
{
	struct call *c = (struct call *)l;

	(void)owner;
	if (c->request && c->exit)
		control_answer_error(c->request, c->exit, "%s", c->message);
	else if (c->request && c->json)
		control_answer_json(c->request, TAKE(c->json));
	else if (c->request)
		control_answer_bytes(c->request, PPROF_TYPE, &c->bytes);
	call_free(c);
}

static void abandon(struct call *c, struct sampler *s)
{
	(void)s;
	recorder_abandon(c->api->recorder, c->session_id);
	call_return(c);
}

static void post(struct call *c, void (*work)(struct call *c, struct sampler *s))
{
	c->work = work;
	c->letter.deliver = do_work;
	sampler_post(c->api->sampler, &c->letter);
}

static struct call *call_new(struct api *a)
{
	struct call *c = calloc(1, sizeof(*c));

	if (c) {
		c->api = a;
		c->home = a->home;
		c->answer = answer;
	}
	return c;
}

/* The client left. Its recording, if it has one, ends. */
static void on_gone(void *ctx)
{
	struct call *c = ctx;
	struct call *end;

	c->request = NULL;
	if (!c->session_began)
		return;
	end = call_new(c->api);
	if (!end)
		return; /* the recording ends by its length or its processes */
	end->session_id = c->session_began;
	post(end, abandon);
}

/* Makes a call of the request and keeps that; NULL when it was answered with an error. */
static struct call *keep(struct control_request *r, struct api *a)
{
	struct call *c = call_new(a);

	if (!c) {
		control_answer_error(r, SPPROF_EXIT_FAILED, "out of memory");
		return NULL;
	}
	c->request = r;
	c->uid = control_uid(r);
	c->sees_all = control_sees_all(r);
	control_keep(r, on_gone, c);
	return c;
}

/* --- a recording's start, told before its end --- */

struct start_notice {
	struct letter letter; /* first */
	struct call *call;    /* alive: its own return is behind this letter */
	unsigned int session_id;
};

static void tell_start(struct letter *l, void *owner)
{
	struct start_notice *n = (struct start_notice *)l;
	struct call *c = n->call;
	char id[16];

	(void)owner;
	c->session_began = n->session_id;
	snprintf(id, sizeof(id), "%u", n->session_id);
	if (c->request)
		control_begin(c->request, PPROF_TYPE, SPPROF_SESSION_HEADER, id);
	else
		on_gone(c);
	free(n);
}

/* In the sampler's thread. Without memory the client learns of the session at its end. */
static void on_began(struct call *c, unsigned int session_id)
{
	struct start_notice *n = calloc(1, sizeof(*n));

	if (!n)
		return;
	n->letter.deliver = tell_start;
	n->call = c;
	n->session_id = session_id;
	mailbox_post(c->home, &n->letter);
}

/* --- endpoints --- */

static void work_status(struct call *c, struct sampler *s)
{
	report_status(c, s, c->api->start_ns);
}

static void get_status(struct control_request *r, void *ctx)
{
	struct call *c = keep(r, ctx);

	if (c)
		post(c, work_status);
}

static void get_processes(struct control_request *r, void *ctx)
{
	struct call *c = keep(r, ctx);

	if (c)
		post(c, report_processes);
}

static void get_stacks(struct control_request *r, void *ctx)
{
	pid_t pid;
	struct call *c;

	if (query_pid(control_segment(r, 0), &pid))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "'%s' is not a process id",
					    control_segment(r, 0));
	c = keep(r, ctx);
	if (!c)
		return;
	c->pid = pid;
	post(c, stacks_read);
}

static void work_record(struct call *c, struct sampler *s)
{
	recorder_start(c->api->recorder, c, s);
}

static void get_profile(struct control_request *r, void *ctx)
{
	struct session_request session = { 0 };
	char why[160];
	struct call *c;

	if (query_session(r, &session, why, sizeof(why)))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "%s", why);
	c = keep(r, ctx);
	if (!c)
		return;
	c->session = session;
	c->session.uid = c->uid;
	c->session.sees_all = c->sees_all;
	post(c, work_record);
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
	c = keep(r, ctx);
	if (!c)
		return;
	c->session_id = id;
	post(c, work_stop);
}

static const struct control_endpoint endpoints[] = {
	{ "GET", "/v1/status", get_status },
	{ "GET", "/v1/processes", get_processes },
	{ "GET", "/v1/processes/*/stacks", get_stacks },
	{ "GET", "/v1/profile", get_profile },
	{ "POST", "/v1/profile/*/stop", post_stop },
	{ NULL, NULL, NULL },
};

struct api *api_new(sd_event *loop, const char *path, struct sampler *s, int *err)
{
	OWNS(api) struct api *a = calloc(1, sizeof(*a));

	*err = -ENOMEM;
	if (!a)
		return NULL;
	a->sampler = s;
	a->start_ns = monotonic_ns();
	a->home = mailbox_new(a);
	a->recorder = recorder_new(on_began);
	if (!a->home || !a->recorder)
		return NULL;
	*err = mailbox_attach(a->home, loop);
	if (*err < 0)
		return NULL;
	a->server = control_server_new(loop, path, endpoints, a, err);
	return a->server ? TAKE(a) : NULL;
}

/*
 * Each step brings letters that the next delivers. Recordings that run are ended and
 * answered: what was sampled until now reaches its client.
 */
void api_free(struct api *a)
{
	if (!a)
		return;
	sampler_stop(a->sampler);
	recorder_free(a->recorder);
	a->recorder = NULL;
	if (a->home)
		mailbox_deliver(a->home);
	if (a->server)
		control_server_finish(a->server, FINISH_MS);
	control_server_free(a->server);
	sampler_stop(a->sampler);
	mailbox_free(a->home);
	free(a);
}
