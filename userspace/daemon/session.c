/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/session.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "daemon/facts.h"

#include <errno.h>

void session_begin(struct session *s)
{
	s->start_ns = monotonic_ns();
	s->start_unix_ns = unix_ns();
	s->end_ns = s->request.length_ns ? s->start_ns + s->request.length_ns : UINT64_MAX;
}

void session_end(struct session *s)
{
	uint64_t now = monotonic_ns();

	if (s->end_ns > now)
		s->end_ns = now;
}

struct session *session_new(unsigned int id, const struct session_request *r,
			    const struct collector_counts *now, struct tally_budget *budget)
{
	OWNS(session) struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->id = id;
	s->request = *r;
	s->before = *now;
	session_begin(s);
	s->tally = tally_new(r->mode, budget);
	return s->tally ? TAKE(s) : NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->target_count; i++)
		process_unref(s->targets[i].image);
	tally_free(s->tally);
	free(s);
}

void session_add_target(struct session *s, struct process *p)
{
	if (s->target_count < SPPROF_PIDS_MAX)
		s->targets[s->target_count++].image = process_ref(p);
}

static struct session_target *find_target(struct session *s, const struct process *p)
{
	for (unsigned int i = 0; i < s->target_count; i++)
		if (s->targets[i].image->pid == p->pid &&
		    s->targets[i].image->start_ticks == p->start_ticks)
			return &s->targets[i];
	return NULL;
}

static bool is_target(struct session *s, struct process *p)
{
	if (s->request.selection.kind == SELECT_PIDS)
		return find_target(s, p) != NULL;
	return selection_takes(&s->request.selection, p);
}

void session_take(struct session *s, struct sampled *x)
{
	struct tally_sample sample = { .time_ns = x->record->head.time_ns,
				       .weight_ns = x->record->weight_ns };

	if (sample.time_ns < s->start_ns || sample.time_ns > s->end_ns || !is_target(s, x->process))
		return;
	if (sample.weight_ns > sample.time_ns - s->start_ns)
		sample.weight_ns = sample.time_ns - s->start_ns; /* the rest was before us */
	if (sampled_store(x)) {
		s->refused++;
		return;
	}
	sample.stack = x->stack;
	sample.thread = x->thread;
	if (tally_add(s->tally, &sample))
		s->refused++;
}

void session_on_exit(struct session *s, const struct process *p)
{
	struct session_target *target = find_target(s, p);

	if (target)
		target->has_ended = true;
}

/* For an end that no record told: the process was not followed, or the ring was full. */
static bool has_ended(const struct session_target *t)
{
	struct proc_stat now;

	return t->has_ended || proc_stat_read(t->image->pid, 0, &now) || now.state == 'Z' ||
	       now.start_ticks != t->image->start_ticks;
}

bool session_is_over(struct session *s)
{
	for (unsigned int i = 0; i < s->target_count; i++)
		if (!has_ended(&s->targets[i]))
			return false;
	return s->request.selection.kind == SELECT_PIDS;
}

static void add_process(struct process *p, void *ctx)
{
	facts_add_process(ctx, p);
}

int session_finish(struct session *s, const struct collector_counts *now, const struct rates *rates,
		   struct profile **out)
{
	OWNS(profile) struct profile *p = profile_new();
	int64_t shift = s->start_unix_ns - s->start_ns;
	struct facts facts = { .start_ns = s->start_ns,
			       .end_ns = s->end_ns,
			       .unix_minus_monotonic_ns = shift,
			       .hz = s->request.hz,
			       .keeps_order = s->request.mode == TALLY_ORDER,
			       .delivered = tally_count(s->tally),
			       .refused = s->refused };
	int err;

	if (!p)
		return -ENOMEM;
	for (int i = 0; i < SP_LOST_MAX; i++)
		facts.lost[i] = now->lost[i] - s->before.lost[i];
	for (unsigned int i = 0; i < s->target_count; i++)
		facts_add_process(&facts, s->targets[i].image);
	tally_each_process(s->tally, add_process, &facts);
	err = facts_write(&facts, rates, p);
	if (!err)
		err = tally_fill(s->tally, p, shift);
	if (!err)
		*out = TAKE(p);
	return err;
}
