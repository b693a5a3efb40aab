/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP library's loop inside ours: its epoll set is one source, its timeout another. */
#include "control/server.h"

#include "base/clock.h"
#include "control/connection.h"
#include "control/peer.h"
#include "control/request.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#define FINISH_POLL_MS 10
#define CONNECTIONS 128u /* until control_server_limit() */
#define CONNECTIONS_PER_USER 32u
#define STUCK_SECONDS 60u	      /* without a byte of an answer read; not while it is kept */
#define CONNECTION_MEMORY (32u << 10) /* bytes for a request's line and headers */

static bool has_body(struct MHD_Connection *c)
{
	const char *length =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return (length && strcmp(length, "0")) ||
	       MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/*
 * The library calls this when the headers are there, again when the request is whole,
 * and after a resume without an answer: nothing but closing is left to do then.
 */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_len, void **slot)
{
	struct control_request *r = *slot;

	(void)version;
	(void)upload;
	(void)upload_len;
	if (!r) {
		connection_has_request(c);
		r = *slot = request_new(ctx, c);
		if (r && has_body(c))
			request_refuse(r, MHD_HTTP_CONTENT_TOO_LARGE, NULL,
				       "the control API takes no request bodies");
		return r ? MHD_YES : MHD_NO;
	}
	if (r->state != REQUEST_NEW)
		return MHD_NO;
	route_request(r, method, url);
	return MHD_YES;
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **slot,
			 enum MHD_RequestTerminationCode why)
{
	struct control_request *r = *slot;

	(void)ctx;
	(void)why;
	if (!r)
		return;
	connection_awaits_request(c);
	request_drop(r);
	request_free(r);
	*slot = NULL;
}

static void arm_timer(struct control_server *s)
{
	MHD_UNSIGNED_LONG_LONG left_ms = 0;

	if (!s->has_resumed && MHD_get_timeout(s->http, &left_ms) != MHD_YES) {
		sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time_relative(s->timer, left_ms * 1000);
	sd_event_source_set_enabled(s->timer, SD_EVENT_ONESHOT);
}

void server_wake(struct control_server *s)
{
	s->has_resumed = true;
	arm_timer(s);
}

void server_run(struct control_server *s)
{
	s->has_resumed = false; /* a handler may set it again meanwhile */
	MHD_run(s->http);
	arm_timer(s);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	(void)source;
	(void)fd;
	(void)events;
	server_run(ctx);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t now_us, void *ctx)
{
	(void)now_us;
	return on_ready(source, -1, 0, ctx);
}

static struct MHD_Daemon *start_http(struct control_server *s)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
		on_request, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
		MHD_OPTION_NOTIFY_CONNECTION, connection_notify, s, MHD_OPTION_CONNECTION_LIMIT,
		UINT_MAX, MHD_OPTION_CONNECTION_TIMEOUT, STUCK_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
}

static int join_loop(struct control_server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	int err;

	if (!info)
		return -ENOTSUP;
	err = sd_event_add_io(s->loop, &s->ready, info->epoll_fd, EPOLLIN, on_ready, s);
	if (err < 0)
		return err;
	return sd_event_add_time_relative(s->loop, &s->timer, CLOCK_MONOTONIC, 0, 1, on_timer, s);
}

static int start(struct control_server *s, const char *path)
{
	int err;

	s->listen_fd = listen_at(path, &s->place);
	if (s->listen_fd < 0)
		return s->listen_fd;
	s->http = start_http(s);
	if (!s->http)
		return -ENOMEM;
	err = join_loop(s);
	return err < 0 ? err : connections_start(s);
}

struct control_server *control_server_new(sd_event *loop, const char *path,
					  const struct control_endpoint *endpoints, void *ctx,
					  int *err)
{
	OWNS(control_server) struct control_server *s = calloc(1, sizeof(*s));
	int failed;

	if (!s) {
		*err = -ENOMEM;
		return NULL;
	}
	s->loop = sd_event_ref(loop);
	s->endpoints = endpoints;
	s->ctx = ctx;
	s->group = peer_group_id(PEER_GROUP);
	s->listen_fd = -1;
	s->admission.own = geteuid();
	control_server_limit(s, CONNECTIONS, CONNECTIONS_PER_USER);
	failed = start(s, path);
	if (failed < 0) {
		*err = failed;
		return NULL;
	}
	return TAKE(s);
}

void control_server_limit(struct control_server *s, unsigned int connections, unsigned int per_user)
{
	s->admission.most = connections;
	s->admission.most_per_user = per_user;
}

static unsigned int connections_left(struct control_server *s)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? info->num_connections : 0;
}

void control_server_finish(struct control_server *s, unsigned int most_ms)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	uint64_t end_ns = monotonic_ns() + most_ms * 1000000ull;
	struct pollfd ready = { .fd = info->epoll_fd, .events = POLLIN };

	connections_end_idle(s);
	MHD_run(s->http);
	while (connections_left(s) && monotonic_ns() < end_ns) {
		poll(&ready, 1, FINISH_POLL_MS);
		MHD_run(s->http);
	}
}

void control_server_free(struct control_server *s)
{
	if (!s)
		return;
	for (struct control_request *r = s->requests; r; r = r->next)
		request_drop(r);
	if (s->http)
		MHD_stop_daemon(s->http);
	connections_stop(s);
	admission_fini(&s->admission);
	sd_event_source_disable_unref(s->ready);
	sd_event_source_disable_unref(s->timer);
	listen_place_fini(&s->place);
	sd_event_unref(s->loop);
	free(s);
}
