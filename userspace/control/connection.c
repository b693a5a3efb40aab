/* SPDX-License-Identifier: Apache-2.0 */
/* We accept ourselves: the HTTP library's limits are fixed at its start and know no users. */
#include "control/connection.h"

#include "base/clock.h"
#include "control/peer.h"

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define IDLE_SECONDS 10	 /* without a request */
#define SWEEP_US 1000000 /* between two looks for those */
#define SECOND_NS 1000000000ull
#define AT_ONCE 64 /* accepted before others are served */

static int fd_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static struct connection *connection_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* Its client is told by the end of the stream; the HTTP library then closes it. */
static void end(int fd)
{
	shutdown(fd, SHUT_RDWR);
}

static struct connection *begin(struct control_server *s, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->uid = peer_uid(fd);
	if (admission_enter(&s->admission, c->uid)) {
		free(c);
		return NULL;
	}
	c->server = s;
	c->fd = fd;
	c->since_ns = monotonic_ns();
	c->next = s->connections;
	c->link = &s->connections;
	if (c->next)
		c->next->link = &c->next;
	s->connections = c;
	return c;
}

static void over(struct connection *c)
{
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	admission_leave(&c->server->admission, c->uid);
	free(c);
}

void connection_notify(void *server, struct MHD_Connection *c, void **slot,
		       enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*slot = begin(server, fd_of(c));
		if (!*slot)
			end(fd_of(c));
	} else if (*slot) {
		over(*slot);
		*slot = NULL;
	}
}

void connection_has_request(struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);

	if (c)
		c->since_ns = 0;
}

void connection_awaits_request(struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);

	if (c)
		c->since_ns = monotonic_ns();
}

static void end_idle_before(struct control_server *s, uint64_t before_ns)
{
	for (struct connection *c = s->connections; c; c = c->next)
		if (c->since_ns && c->since_ns <= before_ns)
			end(c->fd);
}

void connections_end_idle(struct control_server *s)
{
	end_idle_before(s, UINT64_MAX);
}

static void let_in(struct control_server *s, int fd)
{
	const struct sockaddr nameless = { .sa_family = AF_UNIX };
	const char *why = admission_refusal(&s->admission, peer_uid(fd));

	if (why)
		return refusals_tell(&s->refusals, fd, why);
	/* A name of the client's own may be longer than the library has room for (0.9.75). */
	MHD_add_connection(s->http, fd, &nameless, sizeof(nameless));
	server_run(s);
}

static void sweep_later(struct control_server *s)
{
	int enabled;

	/* Those who keep coming do not put it off. */
	if (sd_event_source_get_enabled(s->sweep, &enabled) > 0)
		return;
	sd_event_source_set_time_relative(s->sweep, SWEEP_US);
	sd_event_source_set_enabled(s->sweep, SD_EVENT_ONESHOT);
}

static int on_client(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	struct control_server *s = ctx;

	(void)events;
	for (int i = 0; i < AT_ONCE; i++) {
		int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (client >= 0) {
			let_in(s, client);
			continue;
		}
		/* Without descriptors or memory it would be called again at once, and in vain. */
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			sd_event_source_set_enabled(source, SD_EVENT_OFF);
		break;
	}
	sweep_later(s);
	return 0;
}

/* @seconds before @now_ns, or the boot. */
static uint64_t before(uint64_t now_ns, unsigned int seconds)
{
	return now_ns > seconds * SECOND_NS ? now_ns - seconds * SECOND_NS : 0;
}

static int on_sweep(sd_event_source *source, uint64_t now_us, void *ctx)
{
	struct control_server *s = ctx;
	uint64_t now_ns = monotonic_ns();
	bool has_refusals;

	(void)source;
	(void)now_us;
	end_idle_before(s, before(now_ns, IDLE_SECONDS));
	has_refusals = refusals_close(&s->refusals, before(now_ns, 1));
	sd_event_source_set_enabled(s->arrival, SD_EVENT_ON);
	if (s->connections || has_refusals)
		sweep_later(s);
	return 0;
}

int connections_start(struct control_server *s)
{
	int err = sd_event_add_io(s->loop, &s->arrival, s->listen_fd, EPOLLIN, on_client, s);

	if (err >= 0)
		err = sd_event_add_time_relative(s->loop, &s->sweep, CLOCK_MONOTONIC, SWEEP_US,
						 SWEEP_US / 4, on_sweep, s);
	return err;
}

void connections_stop(struct control_server *s)
{
	sd_event_source_disable_unref(s->arrival);
	sd_event_source_disable_unref(s->sweep);
	s->arrival = s->sweep = NULL;
	(void)refusals_close(&s->refusals, UINT64_MAX);
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	s->listen_fd = -1;
}
