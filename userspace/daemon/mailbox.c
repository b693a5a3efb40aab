/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/mailbox.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

struct mailbox {
	pthread_mutex_t lock;
	struct letter *first, **last; /* under the lock */
	void *owner;
	int bell; /* eventfd */
	sd_event_source *source;
};

struct mailbox *mailbox_new(void *owner)
{
	struct mailbox *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->owner = owner;
	m->last = &m->first;
	m->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->bell < 0) {
		free(m);
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

void mailbox_deliver(struct mailbox *m)
{
	struct letter *l, *next;

	pthread_mutex_lock(&m->lock);
	l = m->first;
	m->first = NULL;
	m->last = &m->first;
	pthread_mutex_unlock(&m->lock);
	for (; l; l = next) {
		next = l->next;
		l->deliver(l, m->owner);
	}
}

void mailbox_free(struct mailbox *m)
{
	if (!m)
		return;
	mailbox_deliver(m);
	sd_event_source_disable_unref(m->source);
	close(m->bell);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static int on_bell(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	uint64_t rings;

	(void)source;
	(void)revents;
	(void)!read(fd, &rings, sizeof(rings));
	mailbox_deliver(userdata);
	return 0;
}

int mailbox_attach(struct mailbox *m, sd_event *loop)
{
	return sd_event_add_io(loop, &m->source, m->bell, EPOLLIN, on_bell, m);
}

void mailbox_post(struct mailbox *m, struct letter *l)
{
	uint64_t ring = 1;

	l->next = NULL;
	pthread_mutex_lock(&m->lock);
	*m->last = l;
	m->last = &l->next;
	pthread_mutex_unlock(&m->lock);
	(void)!write(m->bell, &ring, sizeof(ring));
}
