/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a session, as the control API tells it on the page on a heap. */
#include "daemon/heap_stack_json.h"
#include "daemon/heap_tracker.h"
#include "daemon/heap_tracker_parts.h"

#include <errno.h>
#include <math.h>

/* Takes @value over. */
static bool set(json_t *page, const char *name, json_t *value)
{
	return !json_object_set_new(page, name, value);
}

static json_t *json_whole(double value)
{
	return json_integer(llround(fmin(fmax(value, -0x1p62), 0x1p62)));
}

static double value_of(const struct estimate_sum *sum)
{
	return sum->seen + sum->unseen;
}

/* Rows in their order, and the sums of those for whose stacks the page has no room. */
struct listing {
	struct heap_stack_json *stacks;
	json_t *rows;
	uint64_t omitted;
	double bytes, objects; /* of those */
	bool is_failed;
};

static struct listing listing_of(struct heap_stack_json *stacks)
{
	json_t *rows = json_array();

	return (struct listing){ .stacks = stacks, .rows = rows, .is_failed = !rows };
}

/* Whether the next row is told; else it is summed up. */
static bool has_room(struct listing *l, double bytes, double objects)
{
	if (heap_stack_json_has_room(l->stacks))
		return true;
	l->omitted++;
	l->bytes += bytes;
	l->objects += objects;
	return false;
}

static void append(struct listing *l, json_t *row)
{
	l->is_failed |= json_array_append_new(l->rows, row) != 0;
}

/* Gives the rows to @page; members of what is left out are there only if something is. */
static bool finish(struct listing *l, json_t *page, const char *name, const char *omitted)
{
	bool is_whole = !l->is_failed && set(page, name, json_incref(l->rows));

	if (is_whole && l->omitted)
		is_whole = set(page, omitted,
			       json_pack("{sI so so}", "rows", (json_int_t)l->omitted, "bytes",
					 json_whole(l->bytes), "objects", json_whole(l->objects)));
	json_decref(l->rows);
	return is_whole;
}

/* --- what lives --- */

static int by_bytes(const void *a, const void *b)
{
	const struct heap_live_row *left = *(const struct heap_live_row *const *)a;
	const struct heap_live_row *right = *(const struct heap_live_row *const *)b;
	double first = value_of(&left->all.bytes), second = value_of(&right->all.bytes);

	if (first != second)
		return first < second ? 1 : -1;
	return (left->stack > right->stack) - (left->stack < right->stack);
}

static json_t *json_live(struct heap_stack_json *stacks, const struct heap_live_row *row)
{
	struct estimate_range bytes = estimate_bytes(&row->all);

	return json_pack("{so so so so so sI}", "frames",
			 heap_stack_json_frames(stacks, row->stack), "bytes",
			 json_whole(bytes.value), "low", json_whole(bytes.low), "high",
			 json_whole(bytes.high), "objects", json_whole(value_of(&row->all.objects)),
			 "samples", (json_int_t)row->all.samples);
}

static int tell_stacks(struct heap_stack_json *stacks, const struct heap_live *live, json_t *page)
{
	OWNS_MEM const struct heap_live_row **rows = calloc(live->count + 1, sizeof(void *));
	struct listing l = listing_of(stacks);

	for (uint32_t i = 0; rows && i < live->count; i++)
		rows[i] = &live->rows[i];
	if (rows)
		qsort(rows, live->count, sizeof(void *), by_bytes);
	for (uint32_t i = 0; rows && i < live->count; i++)
		if (has_room(&l, value_of(&rows[i]->all.bytes), value_of(&rows[i]->all.objects)))
			append(&l, json_live(stacks, rows[i]));
	l.is_failed |= !rows;
	return finish(&l, page, "stacks", "stacks_omitted") ? 0 : -ENOMEM;
}

/* --- what grew --- */

static json_t *json_candidates(struct heap_stack_json *stacks, const struct growth_entry *e)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; rows && i < e->candidate_count; i++)
		if (json_array_append_new(rows, heap_stack_json_line(stacks, e->candidates[i]))) {
			json_decref(rows);
			rows = NULL;
		}
	return rows;
}

/* Of lines that are not named nobody knows what they share with the others. */
static json_t *json_frames(struct heap_stack_json *stacks, const struct growth_entry *e)
{
	if (e->verdict != GROWTH_SHARED)
		return heap_stack_json_frames(stacks, e->stack);
	return heap_stack_json_shared(stacks, e->candidates,
				      e->more_candidates ? 0 : e->candidate_count, e->block_bytes);
}

static json_t *json_growth(struct heap_stack_json *stacks, const struct growth_entry *e)
{
	bool is_sampled = !e->block_bytes;
	json_t *row = json_pack(
		"{so so so so so so sI ss ss sI sI}", "frames", json_frames(stacks, e), "bytes",
		json_whole(e->bytes), "low", json_whole(e->low), "high", json_whole(e->high),
		"surely", json_whole(e->surely), "objects", json_whole(e->objects), "samples",
		(json_int_t)(is_sampled ? e->refills : 0), "verdict",
		growth_verdict_name(e->verdict), "reason", e->reason, "block_bytes",
		(json_int_t)e->block_bytes, "refills", (json_int_t)(is_sampled ? 0 : e->refills));

	if (!row || e->verdict != GROWTH_SHARED)
		return row;
	if (set(row, "candidates", json_candidates(stacks, e)) &&
	    set(row, "more_candidates", json_integer(e->more_candidates)))
		return row;
	json_decref(row);
	return NULL;
}

static int tell_growth(struct heap_stack_json *stacks, const struct growth_report *r, json_t *page)
{
	struct listing l = listing_of(stacks);

	for (size_t i = 0; i < r->count; i++)
		if (has_room(&l, r->entries[i].bytes, r->entries[i].objects))
			append(&l, json_growth(stacks, &r->entries[i]));
	return finish(&l, page, "growth", "growth_omitted") ? 0 : -ENOMEM;
}

/* --- what was there for a while --- */

static int by_objects(const void *a, const void *b)
{
	const struct heap_temporary_row *left = *(const struct heap_temporary_row *const *)a;
	const struct heap_temporary_row *right = *(const struct heap_temporary_row *const *)b;
	double first = value_of(&left->estimate.objects);
	double second = value_of(&right->estimate.objects);

	if (first != second)
		return first < second ? 1 : -1;
	return (left->stack > right->stack) - (left->stack < right->stack);
}

static json_t *json_temporary(struct heap_stack_json *stacks, const struct heap_temporary_row *row,
			      double seconds)
{
	struct estimate_range bytes = estimate_bytes(&row->estimate);
	double objects = value_of(&row->estimate.objects);
	double per_second = seconds > 0 ? 1 / seconds : 0;
	double lifetime = row->objects > 0 ? row->lifetimes_ns / row->objects : 0;

	return json_pack("{so so so sf sf sf sf so}", "frames",
			 heap_stack_json_frames(stacks, row->stack), "objects", json_whole(objects),
			 "bytes", json_whole(bytes.value), "objects_per_second",
			 objects * per_second, "bytes_per_second", bytes.value * per_second, "low",
			 bytes.low * per_second, "high", bytes.high * per_second,
			 "mean_lifetime_ns", json_whole(lifetime));
}

static int tell_temporary(struct heap_stack_json *stacks, const struct heap_seen *s, json_t *page)
{
	const struct heap_temporary *t = &s->temporary;
	OWNS_MEM const struct heap_temporary_row **rows = calloc(t->count + 1, sizeof(void *));
	struct listing l = listing_of(stacks);

	for (uint32_t i = 0; rows && i < t->count; i++)
		rows[i] = &t->rows[i];
	if (rows)
		qsort(rows, t->count, sizeof(void *), by_objects);
	for (uint32_t i = 0; rows && i < t->count; i++) {
		const struct estimate *e = &rows[i]->estimate;

		if (has_room(&l, value_of(&e->bytes), value_of(&e->objects)))
			append(&l, json_temporary(stacks, rows[i], s->window_seconds));
	}
	l.is_failed |= !rows;
	return finish(&l, page, "temporary", "temporary_omitted") ? 0 : -ENOMEM;
}

static int tell(const struct heap_seen *s, const struct heap_live *live, json_t *page)
{
	__attribute__((cleanup(growth_report_cleanup))) struct growth_report report = { 0 };
	OWNS(heap_stack_json)
	struct heap_stack_json *stacks =
		heap_stack_json_new(heap_profiler_stacks(heap_model_profiler(s->model)));
	int err = stacks ? growth_report_make(s->scans.growth, &report) : -ENOMEM;

	if (!err)
		err = tell_growth(stacks, &report, page);
	if (!err)
		err = tell_stacks(stacks, live, page);
	if (!err)
		err = tell_temporary(stacks, s, page);
	return err ? err : heap_seen_tell_coverage(s, live, &report, page);
}

int heap_seen_tell(const struct heap_seen *s, json_t *page)
{
	__attribute__((cleanup(heap_live_cleanup))) struct heap_live live = { 0 };
	int err;

	if (s->has_live)
		return tell(s, &s->live, page);
	err = heap_live_take(s->model, &s->ids, &s->freed, NULL, 0, &live);
	return err ? err : tell(s, &live, page);
}
