/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/growth_parts.h"

#include <errno.h>
#include <math.h>

#define SURELY 3.090 /* deviations: but for one case of 1,000 */
#define MARGIN 1.960 /* 95 % */
#define FEW_SCANS 5  /* of fewer no trend can be made out */

const char *growth_verdict_name(enum growth_verdict v)
{
	static const char *const names[] = {
		[GROWTH_CERTAIN] = "certain",
		[GROWTH_APPROXIMATE] = "approximate",
		[GROWTH_SHARED] = "shared size class",
	};

	return names[v];
}

/* @trend: of units of @unit bytes; @variance: of the estimates that it is of, in bytes. */
static void set_growth(const struct growth *g, const struct trend *trend, double unit,
		       double variance, struct growth_entry *e)
{
	double bytes_a_slope = unit * g->times.last, margin, distance;

	e->bytes = trend->slope * bytes_a_slope;
	margin = hypot(trend->margin * bytes_a_slope, MARGIN * sqrt(variance));
	e->low = e->bytes - margin;
	e->high = e->bytes + margin;
	if (!trend->has_error) { /* it may as well go up and down */
		e->low = fmin(e->low, 0);
		e->high = fmax(e->high, 0);
		return;
	}
	distance = hypot((trend->slope - trend->least) * bytes_a_slope, SURELY * sqrt(variance));
	e->surely = fmax(e->bytes - distance, 0);
}

/* --- size classes --- */

/* What the scans found, which is exact. */
static void set_kept(const struct growth_size *s, struct growth_entry *e)
{
	e->objects = (double)s->last.live - (double)s->first.live;
	e->bytes = e->low = e->high = e->objects * (double)s->key.block_bytes;
	e->surely = fmax(e->bytes, 0);
}

static int by_line(const void *a, const void *b)
{
	const struct growth_refills *one = a, *other = b;

	if (one->key.block_bytes != other->key.block_bytes)
		return one->key.block_bytes < other->key.block_bytes ? -1 : 1;
	if (one->line != other->line)
		return one->line < other->line ? -1 : 1;
	return one->count < other->count ? 1 : one->count > other->count ? -1 : 0;
}

static int by_count(const void *a, const void *b)
{
	const struct growth_refills *one = a, *other = b;

	return one->count < other->count ? 1 : one->count > other->count ? -1 : 0;
}

/*
 * Makes of @rows, one size class's in the order of by_line(), a row a line: its most frequent
 * stack, and the refills of all. Those of no known line are left out. How many there are.
 */
static uint32_t merge_lines(struct growth_refills *rows, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!rows[i].line)
			continue;
		if (kept && rows[kept - 1].line == rows[i].line)
			rows[kept - 1].count += rows[i].count;
		else
			rows[kept++] = rows[i];
	}
	qsort(rows, kept, sizeof(*rows), by_count);
	return kept;
}

static void set_candidates(const struct growth_refills *rows, uint32_t count,
			   struct growth_entry *e)
{
	e->candidate_count = count < GROWTH_CANDIDATES ? count : GROWTH_CANDIDATES;
	e->more_candidates = count - e->candidate_count;
	for (uint32_t i = 0; i < e->candidate_count; i++)
		e->candidates[i] = (uint32_t)rows[i].key.what;
}

/*
 * The entry of the class that @rows are of; false if it did not grow. What one line keeps of a
 * shared one may be less than what the others hold at times: that is told of in nearly any case.
 */
static bool describe_size(const struct growth *g, const struct growth_size *s,
			  struct growth_refills *rows, uint32_t count, struct growth_entry *e)
{
	struct trend trend = trend_of(&g->times, &s->live);
	struct growth_lines lines = { .unknown_refills = s->unknown_refills };
	uint32_t first_stack = (uint32_t)rows[0].key.what;

	*e = (struct growth_entry){ .block_bytes = (uint32_t)s->key.block_bytes,
				    .refills = s->refills,
				    .objects = trend.slope * g->times.last };
	set_growth(g, &trend, (double)s->key.block_bytes, 0, e);
	if (g->times.count > 1 && g->times.count < FEW_SCANS && growth_is_all_kept(s))
		set_kept(s, e);
	lines.count = merge_lines(rows, count);
	e->stack = lines.count ? (uint32_t)rows[0].key.what : first_stack;
	e->verdict = growth_judge(s, &lines, e->surely, &e->reason);
	if (e->verdict != GROWTH_SHARED)
		return e->bytes > 0;
	set_candidates(rows, lines.count, e);
	return e->high > 0 || lines.count > 1;
}

static int add_sizes(const struct growth *g, struct growth_report *out)
{
	uint32_t count = g->refills.count, same;
	OWNS_MEM struct growth_refills *rows = calloc(count + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		rows[i] = *(const struct growth_refills *)growth_rows_at(&g->refills, i);
	qsort(rows, count, sizeof(*rows), by_line);
	for (uint32_t i = 0; i < count; i += same) {
		struct growth_key key = { 0, rows[i].key.block_bytes };
		const struct growth_size *size = growth_rows_find(&g->sizes, &key);

		for (same = 1; i + same < count; same++)
			if (rows[i + same].key.block_bytes != key.block_bytes)
				break;
		out->seen_bytes += ((double)size->last.live - (double)size->first.live) *
				   (double)key.block_bytes;
		out->count += describe_size(g, size, rows + i, same, &out->entries[out->count]);
	}
	return 0;
}

/* --- larger blocks --- */

static bool describe_large(const struct growth *g, const struct growth_large *l,
			   struct growth_entry *e)
{
	struct trend trend = trend_of(&g->times, &l->bytes);
	struct trend objects = trend_of(&g->times, &l->objects);

	*e = (struct growth_entry){ .stack = (uint32_t)l->key.what,
				    .refills = (uint64_t)llround(growth_large_samples(l)),
				    .objects = objects.slope * g->times.last };
	set_growth(g, &trend, 1, l->first_variance + l->last.variance, e);
	if (!(e->bytes > 0))
		return false;
	e->verdict = growth_judge_large(g, l, e->surely, &e->reason);
	return true;
}

static int by_growth(const void *a, const void *b)
{
	const struct growth_entry *one = a, *other = b;

	if (one->surely != other->surely)
		return one->surely < other->surely ? 1 : -1;
	return one->bytes < other->bytes ? 1 : one->bytes > other->bytes ? -1 : 0;
}

int growth_report_make(const struct growth *g, struct growth_report *out)
{
	int err;

	*out = (struct growth_report){ .scans = g->times.count,
				       .seconds = g->times.last,
				       .true_bytes = g->last_bytes - g->first_bytes };
	out->entries = calloc(g->sizes.count + g->larges.count + 1, sizeof(*out->entries));
	if (!out->entries)
		return -ENOMEM;
	err = add_sizes(g, out);
	if (err) {
		growth_report_fini(out);
		return err;
	}
	for (uint32_t i = 0; i < g->larges.count; i++)
		out->count +=
			describe_large(g, growth_rows_at(&g->larges, i), &out->entries[out->count]);
	qsort(out->entries, out->count, sizeof(*out->entries), by_growth);
	return 0;
}

void growth_report_fini(struct growth_report *r)
{
	free(r->entries);
	*r = (struct growth_report){ .entries = NULL };
}
