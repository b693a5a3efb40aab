/* SPDX-License-Identifier: Apache-2.0 */
#include "served.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int on_stop(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	(void)fd;
	(void)events;
	(void)ctx;
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static void *serve(void *ctx)
{
	struct served *s = ctx;

	sd_event_loop(s->loop);
	return NULL;
}

void served_begin(struct served *s, const struct control_endpoint *endpoints, void *ctx)
{
	int err = 0;

	*s = (struct served){ .dir = "/tmp/spprof-test-XXXXXX" };
	cr_assert(mkdtemp(s->dir) != NULL);
	snprintf(s->path, sizeof(s->path), "%s/s", s->dir);
	cr_assert(sd_event_new(&s->loop) >= 0);
	s->stop = eventfd(0, EFD_CLOEXEC);
	cr_assert(sd_event_add_io(s->loop, NULL, s->stop, EPOLLIN, on_stop, NULL) >= 0);
	s->server = control_server_new(s->loop, s->path, endpoints, ctx, &err);
	cr_assert(s->server != NULL, "%s", strerror(-err));
	cr_assert(pthread_create(&s->thread, NULL, serve, s) == 0);
}

void served_end(struct served *s)
{
	uint64_t one = 1;

	cr_assert(write(s->stop, &one, sizeof(one)) == sizeof(one));
	pthread_join(s->thread, NULL);
	control_server_free(s->server);
	sd_event_unref(s->loop);
	close(s->stop);
	cr_assert(access(s->path, F_OK) == -1, "the socket stays behind");
	rmdir(s->dir);
}
