/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/windows.h"

#include "daemon/windows_parts.h"

#include <errno.h>
#include <string.h>

#define OPEN_SLICES 2 /* records may come late, up to a turn and the time between two ticks */

struct windows *windows_new(const struct rates *rates, const struct windows_limits *limits)
{
	struct windows *w = calloc(1, sizeof(*w));

	if (w) {
		w->rates = rates;
		w->limits = *limits;
	}
	return w;
}

/* The slice of @number, which is made if there is none; NULL without memory. */
static struct slice *slice_of(struct windows *w, uint64_t number)
{
	uint32_t room = w->room ? w->room * 2 : 64, i = w->count;
	struct slice **grown, *s;

	while (i && w->slices[i - 1]->number > number)
		i--;
	if (i && w->slices[i - 1]->number == number)
		return w->slices[i - 1];
	if (w->count == w->room) {
		grown = reallocarray(w->slices, room, sizeof(*grown));
		if (!grown)
			return NULL;
		w->slices = grown;
		w->room = room;
	}
	s = slice_new(&w->holdings, number);
	if (!s)
		return NULL;
	memmove(&w->slices[i + 1], &w->slices[i], (w->count++ - i) * sizeof(*w->slices));
	w->slices[i] = s;
	return s;
}

static void drop_oldest(struct windows *w)
{
	uint64_t end_ns = (w->slices[0]->number + 1) * WINDOWS_SLICE_NS;

	slice_free(w->slices[0], &w->holdings);
	memmove(w->slices, w->slices + 1, --w->count * sizeof(*w->slices));
	if (w->since_ns < end_ns)
		w->since_ns = end_ns;
}

/* Makes room at the cost of the past, but for the newest slice. */
static void keep_limit(struct windows *w)
{
	while (w->holdings.bytes > w->limits.bytes && w->count > 1) {
		drop_oldest(w);
		w->dropped++;
	}
}

static void forget(struct windows *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		slice_free(w->slices[i], &w->holdings);
	w->count = 0;
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	forget(w);
	free(w->slices);
	holdings_fini(&w->holdings);
	free(w);
}

void windows_set_limits(struct windows *w, const struct windows_limits *limits)
{
	w->limits = *limits;
	keep_limit(w);
}

void windows_start(struct windows *w, uint64_t now_ns)
{
	forget(w);
	w->is_running = true;
	w->since_ns = now_ns;
	w->has_lost_before = false;
}

void windows_stop(struct windows *w)
{
	forget(w);
	w->is_running = false;
}

static void refuse(struct windows *w, struct slice *s)
{
	w->refused++;
	if (s)
		s->refused++;
}

void windows_add(struct windows *w, struct sampled *x)
{
	uint64_t time = x->record->head.time_ns, weight = x->record->weight_ns;
	struct slice *s;
	struct row *row;

	if (!w->is_running || time < w->since_ns)
		return;
	s = slice_of(w, time / WINDOWS_SLICE_NS);
	if (!s || (w->holdings.bytes > w->limits.bytes && w->count == 1))
		return refuse(w, s);
	row = sampled_store(x) ? NULL : slice_row(s, &w->holdings, x->stack, x->thread);
	if (!row)
		return refuse(w, s);
	row->weight_ns += weight > time - w->since_ns ? time - w->since_ns : weight;
	row->count++;
	s->samples++;
	keep_limit(w);
}

static void count_losses(struct windows *w, uint64_t now_ns, const struct collector_counts *counts)
{
	struct slice *s = NULL;

	for (int i = 0; i < SP_LOST_MAX; i++) {
		uint64_t lost = counts->lost[i] - w->lost_before[i];

		if (lost && w->has_lost_before && !s)
			s = slice_of(w, now_ns / WINDOWS_SLICE_NS);
		if (s)
			s->lost[i] += lost;
		w->lost_before[i] = counts->lost[i];
	}
	w->has_lost_before = true;
}

void windows_turn(struct windows *w, uint64_t now_ns, const struct collector_counts *counts)
{
	uint64_t number = now_ns / WINDOWS_SLICE_NS;
	uint64_t keep = w->limits.keep_ns / WINDOWS_SLICE_NS;

	if (!w->is_running)
		return;
	count_losses(w, now_ns, counts);
	while (w->count && w->slices[0]->number + keep < number)
		drop_oldest(w);
	for (uint32_t i = 0; i < w->count && w->slices[i]->number + OPEN_SLICES <= number; i++)
		slice_close(w->slices[i], &w->holdings);
	holdings_count_names(&w->holdings);
	keep_limit(w);
}
