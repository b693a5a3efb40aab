/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a request: new, perhaps kept, then answered or gone. */
#include "control/request.h"

#include "control/peer.h"

#include <sys/epoll.h>

struct control_request *request_new(struct control_server *s, struct MHD_Connection *c)
{
	struct control_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->server = s;
	r->connection = c;
	r->next = s->requests;
	r->link = &s->requests;
	if (r->next)
		r->next->link = &r->next;
	s->requests = r;
	return r;
}

void request_free(struct control_request *r)
{
	if (!r)
		return;
	*r->link = r->next;
	if (r->next)
		r->next->link = r->link;
	sd_event_source_disable_unref(r->watch);
	buffer_fini(&r->body);
	free(r->path);
	free(r);
}

static int peer_fd(const struct control_request *r)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

void request_resume(struct control_request *r)
{
	if (!r->is_suspended)
		return;
	r->is_suspended = false;
	r->watch = sd_event_source_disable_unref(r->watch);
	MHD_resume_connection(r->connection);
	server_wake(r->server);
}

void request_drop(struct control_request *r)
{
	bool has_answer_due = r->state == REQUEST_KEPT || r->state == REQUEST_BEGUN;

	if (has_answer_due) {
		r->state = REQUEST_GONE;
		r->gone(r->gone_ctx);
	}
	request_resume(r);
}

static int on_client_left(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	(void)source;
	(void)fd;
	(void)events;
	request_drop(ctx);
	return 0;
}

/* The HTTP library does not look at a suspended connection, so we do. */
void request_suspend(struct control_request *r)
{
	r->is_suspended = true;
	MHD_suspend_connection(r->connection);
	if (sd_event_add_io(r->server->loop, &r->watch, peer_fd(r), EPOLLRDHUP | EPOLLHUP,
			    on_client_left, r) < 0)
		r->watch = NULL; /* the answer then goes to nobody */
}

uid_t control_uid(const struct control_request *r)
{
	return peer_uid(peer_fd(r));
}

bool control_sees_all(const struct control_request *r)
{
	uid_t uid = control_uid(r);

	if (uid == PEER_NOBODY)
		return false;
	return uid == 0 || uid == geteuid() || peer_in_group(peer_fd(r), r->server->group);
}

const char *control_query(const struct control_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *control_segment(const struct control_request *r, unsigned int index)
{
	return index < REQUEST_SEGMENTS ? r->matched[index] : NULL;
}

void control_keep(struct control_request *r, void (*gone)(void *ctx), void *ctx)
{
	r->state = REQUEST_KEPT;
	r->gone = gone;
	r->gone_ctx = ctx;
	request_suspend(r);
}
