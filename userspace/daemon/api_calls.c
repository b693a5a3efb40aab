/* SPDX-License-Identifier: Apache-2.0 */
/* From the main thread to the sampler's and back. */
#include "daemon/api_parts.h"

#include "daemon/recorder.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#define PPROF_TYPE "application/vnd.google.protobuf+gzip"

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
		control_answer_bytes(c->request, c->type ? c->type : PPROF_TYPE, &c->bytes);
	call_free(c);
}

static void abandon(struct call *c, struct sampler *s)
{
	(void)s;
	recorder_abandon(c->api->recorder, c->session_id);
	call_return(c);
}

void api_post(struct call *c, void (*work)(struct call *c, struct sampler *s))
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

/* The client left. Its recording, if it has one, ends, and a scan for it alone. */
static void on_gone(void *ctx)
{
	struct call *c = ctx;
	struct call *end;

	c->request = NULL;
	if (c->heap)
		return heap_desk_leave(c);
	if (!c->session_began)
		return;
	end = call_new(c->api);
	if (!end)
		return; /* the recording ends by its length or its processes */
	end->session_id = c->session_began;
	api_post(end, abandon);
}

struct call *api_keep(struct control_request *r, struct api *a)
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

/* A recording's start, told before its end. */
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
	if (c->request && !c->take_profile)
		control_begin(c->request, PPROF_TYPE, SPPROF_SESSION_HEADER, id);
	else if (!c->request)
		on_gone(c);
	free(n);
}

void api_tell_began(struct call *c, unsigned int session_id)
{
	struct start_notice *n = calloc(1, sizeof(*n));

	if (!n)
		return;
	n->letter.deliver = tell_start;
	n->call = c;
	n->session_id = session_id;
	mailbox_post(c->home, &n->letter);
}
