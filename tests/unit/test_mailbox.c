/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/mailbox.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdbool.h>

#define LETTERS 1000
#define SENDERS 4

struct note {
	struct letter letter; /* first */
	unsigned int sender, number;
};

/* What the owner saw: the last number of each sender. */
struct owner {
	unsigned int last[SENDERS];
	unsigned int count;
	bool is_in_order;
	sd_event *loop;
};

static void read_note(struct letter *l, void *ctx)
{
	struct note *n = (struct note *)l;
	struct owner *o = ctx;

	o->is_in_order &= n->number == o->last[n->sender] + 1;
	o->last[n->sender] = n->number;
	if (++o->count == SENDERS * LETTERS && o->loop)
		sd_event_exit(o->loop, 0);
	free(n);
}

struct sender {
	struct mailbox *to;
	unsigned int number;
};

static void *send_all(void *ctx)
{
	struct sender *s = ctx;

	for (unsigned int i = 1; i <= LETTERS; i++) {
		struct note *n = calloc(1, sizeof(*n));

		n->letter.deliver = read_note;
		n->sender = s->number;
		n->number = i;
		mailbox_post(s->to, &n->letter);
	}
	return NULL;
}

Test(mailbox, letters_of_each_sender_come_once_and_in_order, .timeout = 20)
{
	struct owner o = { .is_in_order = true };
	struct mailbox *m = mailbox_new(&o);
	struct sender senders[SENDERS];
	pthread_t threads[SENDERS];

	cr_assert(eq(int, sd_event_new(&o.loop) < 0, 0));
	cr_assert(eq(int, mailbox_attach(m, o.loop) < 0, 0));
	for (unsigned int i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){ m, i };
		pthread_create(&threads[i], NULL, send_all, &senders[i]);
	}
	sd_event_loop(o.loop);
	for (unsigned int i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	cr_expect(eq(uint, o.count, SENDERS * LETTERS));
	cr_expect(o.is_in_order);
	mailbox_free(m);
	sd_event_unref(o.loop);
}

Test(mailbox, what_waits_at_the_end_is_delivered)
{
	struct owner o = { .is_in_order = true };
	struct mailbox *m = mailbox_new(&o);
	struct sender s = { m, 0 };

	send_all(&s);
	cr_expect(eq(uint, o.count, 0));
	mailbox_free(m);
	cr_expect(eq(uint, o.count, LETTERS));
	cr_expect(o.is_in_order);
}
