/* SPDX-License-Identifier: Apache-2.0 */
/* What the windows answer. */
#include "daemon/windows.h"

#include "base/clock.h"
#include "daemon/facts.h"
#include "daemon/filling.h"
#include "daemon/windows_parts.h"

#include <errno.h>

uint64_t windows_span_ns(const struct windows *w, uint64_t now_ns)
{
	uint64_t since = w->since_ns;
	uint64_t oldest_kept = now_ns / WINDOWS_SLICE_NS - w->limits.keep_ns / WINDOWS_SLICE_NS;

	if (!w->is_running)
		return 0;
	if (now_ns > w->limits.keep_ns && since < oldest_kept * WINDOWS_SLICE_NS)
		since = oldest_kept * WINDOWS_SLICE_NS;
	return now_ns > since ? now_ns - since : 0;
}

/* Of one process the image that runs, or the last that ended: it says who owns it. */
static bool is_newer(const struct process *a, const struct process *b)
{
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks > b->start_ticks;
	return !a->ended_ns || (b->ended_ns && a->ended_ns > b->ended_ns);
}

struct process *windows_find(const struct windows *w, pid_t pid)
{
	struct process *newest = NULL;

	for (uint32_t i = 0; i < w->holdings.count; i++)
		if (w->holdings.processes[i]->pid == pid &&
		    (!newest || is_newer(w->holdings.processes[i], newest)))
			newest = w->holdings.processes[i];
	return newest;
}

static void name_newest(const struct windows *w, struct selection *s)
{
	for (unsigned int i = 0; s->kind == SELECT_PIDS && i < s->pid_count; i++) {
		const struct process *p = s->starts[i] ? NULL : windows_find(w, s->pids[i]);

		if (p)
			s->starts[i] = p->start_ticks;
	}
}

struct question {
	struct selection selection;
	struct filling filling;
	struct facts facts;
	struct process *newest;
};

static int take_slice(struct question *q, const struct slice *s)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < s->count; i++) {
		const struct row *row = &s->rows[i];
		struct process *p = row->stack->process;

		if (!selection_takes(&q->selection, p))
			continue;
		if (!q->newest || p->start_ticks >= q->newest->start_ticks)
			q->newest = p;
		facts_add_process(&q->facts, p);
		q->facts.delivered += row->count;
		err = filling_add(&q->filling, row->stack, row->thread, row->weight_ns, row->count,
				  0);
	}
	for (int i = 0; i < SP_LOST_MAX; i++)
		q->facts.lost[i] += s->lost[i];
	q->facts.refused += s->refused;
	return err;
}

int windows_profile(struct windows *w, const struct selection *selection, uint64_t now_ns,
		    uint64_t length_ns, struct profile **out, struct process **newest)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS_MEM struct question *q = calloc(1, sizeof(*q));
	uint64_t span = windows_span_ns(w, now_ns), first;
	int err = p && q ? 0 : -ENOMEM;

	if (err)
		return err;
	q->selection = *selection;
	q->filling.out = p;
	name_newest(w, &q->selection);
	first = (now_ns - (length_ns < span ? length_ns : span)) / WINDOWS_SLICE_NS;
	q->facts.start_ns =
		first * WINDOWS_SLICE_NS > now_ns - span ? first * WINDOWS_SLICE_NS : now_ns - span;
	q->facts.end_ns = now_ns;
	q->facts.unix_minus_monotonic_ns = unix_ns() - monotonic_ns();
	for (uint32_t i = 0; !err && i < w->count; i++)
		if (w->slices[i]->number >= first &&
		    w->slices[i]->number <= now_ns / WINDOWS_SLICE_NS)
			err = take_slice(q, w->slices[i]);
	if (!err)
		err = facts_write(&q->facts, w->rates, p);
	filling_fini(&q->filling);
	if (err)
		return err;
	*out = TAKE(p);
	if (newest)
		*newest = q->newest;
	return 0;
}

struct windows_load windows_load(const struct windows *w, uint64_t now_ns)
{
	struct windows_load load = { .slices = w->count,
				     .span_ns = windows_span_ns(w, now_ns),
				     .bytes = w->holdings.bytes,
				     .dropped_slices = w->dropped,
				     .refused = w->refused };

	for (uint32_t i = 0; i < w->count; i++)
		load.samples += w->slices[i]->samples;
	return load;
}
