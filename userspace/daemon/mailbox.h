/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox - letters from other threads, delivered one after another in the thread whose
 * event loop it belongs to. The only way in which the daemon's threads speak.
 */
#ifndef SPPROF_MAILBOX_H
#define SPPROF_MAILBOX_H

#include "base/cleanup.h"

#include <systemd/sd-event.h>

/* First member of a message. Whoever it is delivered to owns it. */
struct letter {
	struct letter *next;
	void (*deliver)(struct letter *l, void *owner);
};

struct mailbox;

/* @owner is handed to each deliver(). NULL when out of memory or descriptors. */
struct mailbox *mailbox_new(void *owner);
/* Letters that were not delivered are delivered first. NULL is fine. */
void mailbox_free(struct mailbox *m);
DEFINE_OWNS(mailbox);

/* Deliver from @loop, in its thread. 0 or -errno. */
int mailbox_attach(struct mailbox *m, sd_event *loop);

/* Delivers what waits; for an owner whose loop has ended. */
void mailbox_deliver(struct mailbox *m);

/* From any thread. Never fails, never blocks for long. */
void mailbox_post(struct mailbox *m, struct letter *l);

#endif
