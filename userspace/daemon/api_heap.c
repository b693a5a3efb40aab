/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints of sessions of heaps. */
#include "daemon/api_parts.h"

#include "daemon/heap_request.h"
#include "daemon/query.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#define WHY_BYTES 160

static void work_start(struct call *c, struct sampler *s)
{
	heap_sessions_start(sampler_heaps(s), c);
}

static void work_stop(struct call *c, struct sampler *s)
{
	heap_sessions_stop(sampler_heaps(s), c);
}

static void work_status(struct call *c, struct sampler *s)
{
	heap_sessions_status(sampler_heaps(s), c);
}

/* Posts @work for the process and the session that @r asks for, or refuses it. */
static void post(struct control_request *r, struct api *a,
		 void (*work)(struct call *c, struct sampler *s))
{
	const struct heap_words words = { .tier = control_query(r, "tier"),
					  .rate = control_query(r, "rate"),
					  .max_overhead = control_query(r, "max_overhead"),
					  .seconds = control_query(r, "seconds"),
					  .discard = control_query(r, "discard") };
	struct heap_request request;
	char why[WHY_BYTES];
	struct call *c;
	pid_t pid;

	if (query_pid(control_query(r, "pid"), &pid))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "a session is of pid=N");
	if (heap_request_read(&words, &request, why, sizeof(why)))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "%s", why);
	c = api_keep(r, a);
	if (!c)
		return;
	c->pid = pid;
	c->heap_request = request;
	c->session.most_recordings = a->config.recordings_per_user;
	api_post(c, work);
}

void api_start_heap(struct control_request *r, void *ctx)
{
	post(r, ctx, work_start);
}

void api_stop_heap(struct control_request *r, void *ctx)
{
	post(r, ctx, work_stop);
}

void api_tell_heaps(struct control_request *r, void *ctx)
{
	const char *text = control_query(r, "pid");
	struct call *c;
	pid_t pid = 0;

	if (text && query_pid(text, &pid))
		return control_answer_error(r, SPPROF_EXIT_USAGE, "pid= is a process id");
	c = api_keep(r, ctx);
	if (!c)
		return;
	c->pid = pid;
	api_post(c, work_status);
}
