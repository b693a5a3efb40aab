/* SPDX-License-Identifier: Apache-2.0 */
/* An event is read: is it all there is, how much is it of, and can it be right? */
#include "import/names.h"
#include "import/perf_report_reader.h"

static const char *unit_name(const struct report_reader *r)
{
	switch (r->plan.unit) {
	case REPORT_UNIT_COUNT:
		return "samples";
	case REPORT_UNIT_PERIOD:
		return "periods";
	default:
		return "percent";
	}
}

static int check_callee(struct report_reader *r)
{
	if (r->facts->order != IMPORT_ORDER_CALLEE)
		return 0;
	if (r->seen.has_children)
		return report_refuse(r, -ENOTSUP,
				     "in callee order, with --children, chains of a function "
				     "itself are mixed up with those of what it called");
	if (r->plan.unit != REPORT_UNIT_COUNT || r->seen.has_unequal_periods || !r->seen.has_one)
		return report_refuse(
			r, -ENOTSUP,
			"in callee order, chains that perf has cut look like whole ones");
	return 0;
}

static int settle_order(struct report_reader *r)
{
	enum import_order asked = r->file->request->order;
	struct import_facts *f = r->facts;

	f->mode = f->has_chains ? IMPORT_MODE_GRAPH : IMPORT_MODE_NONE;
	if (!f->has_chains)
		return 0;
	if (r->seen.is_caller || r->plan.has_seen_caller)
		f->order = IMPORT_ORDER_CALLER;
	else if (r->seen.is_callee)
		f->order = IMPORT_ORDER_CALLEE;
	else
		f->order = asked == IMPORT_ORDER_UNSAID ? IMPORT_ORDER_CALLER : asked;
	return check_callee(r);
}

/* What the shown is a part of: the header's number, if it is not rounded. */
static int find_total(struct report_reader *r, int64_t *total)
{
	uint64_t sum = r->seen.own, least = r->samples * r->samples_unit;

	if (r->plan.unit == REPORT_UNIT_PERCENT) {
		*total = REPORT_WHOLE;
		return 0;
	}
	*total = r->plan.unit == REPORT_UNIT_COUNT ? least : r->period;
	if (r->plan.unit == REPORT_UNIT_COUNT && r->samples_unit > 1) {
		if (sum < least || sum - least >= r->samples_unit)
			return report_refuse(
				r, -ENOTSUP,
				"only thousands of samples are told, and not all are shown");
		*total = sum;
	}
	if (*total < r->seen.own && r->plan.unit == REPORT_UNIT_COUNT)
		return report_refuse(r, -EBADMSG, "its entries have more samples than there are");
	return 0;
}

static bool is_lossless(const struct report_reader *r, int64_t total)
{
	if (r->plan.unit == REPORT_UNIT_PERCENT || r->seen.has_unproven || r->seen.own != total)
		return false;
	return report_has(r, r->plan.unit == REPORT_UNIT_COUNT ? REPORT_SAMPLES : REPORT_PERIOD);
}

static int add_samples(struct report_reader *r, bool is_all)
{
	int err = 0;

	for (size_t i = 0; i < r->stacks.count && !err; i++) {
		const struct report_sample *s = &r->stacks.rows[i];
		struct profile_sample sample = {
			.stack = s->stack,
			.thread = s->thread,
			.weight = s->weight,
			.count = s->numbers,
		};

		if (r->plan.unit == REPORT_UNIT_COUNT)
			sample.count = s->weight;
		else if (r->plan.unit == REPORT_UNIT_PERIOD)
			sample.count = is_all || !report_has(r, REPORT_PERIOD);
		err = profile_add_sample(r->profile, &sample);
	}
	return err;
}

static int hand_over_pruned(struct report_reader *r, int64_t total)
{
	struct profile_pruned *p = TAKE(r->pruned);

	if (!p)
		return -ENOMEM;
	r->facts->pruned = p;
	p->own = TAKE(r->own.profile);
	p->has_chains = r->facts->has_chains;
	p->total = total;
	if (r->plan.unit == REPORT_UNIT_PERCENT)
		p->half_digit = 0.5;
	if (r->plan.unit == REPORT_UNIT_PERIOD)
		p->half_digit = total / (2.0 * REPORT_WHOLE);
	return 0;
}

static void warn(struct report_reader *r, const char *text)
{
	buffer_print(r->why, "%s%s", r->why->len ? "\n" : "", text);
}

static int hand_over(struct report_reader *r, int64_t total, bool is_all)
{
	struct profile_about *about = profile_about(r->profile);
	const char *unit = unit_name(r);
	int err = profile_add_string(r->profile, unit, strlen(unit), &about->unit);

	about->decimals = r->plan.unit == REPORT_UNIT_PERCENT ? 2 : 0;
	if (!err)
		err = add_samples(r, is_all);
	if (!err && !is_all)
		err = hand_over_pruned(r, total);
	if (r->seen.has_cut_symbols)
		warn(r, "perf cut symbols after 1023 bytes: functions may be taken for one");
	if (r->empty_lines < (r->ended_with_graph ? 3 : 2))
		warn(r, "the report does not end as perf ends it: some of it may be missing");
	return err;
}

/* Without any chain, percentages say it all. */
static bool wants_percent(const struct report_reader *r)
{
	return !r->facts->has_chains && r->plan.unit != REPORT_UNIT_PERCENT &&
	       (report_has(r, REPORT_SELF) || report_has(r, REPORT_CHILDREN));
}

int report_finish_event(struct report_reader *r)
{
	struct report_plan *plan = &r->plan;
	int64_t total;
	bool is_all;
	int err;

	if (!r->seen.entries)
		return import_refuse(r->why, -EBADMSG, "there is no entry in the perf report");
	if (wants_percent(r)) {
		plan->unit = REPORT_UNIT_PERCENT;
		return -EAGAIN;
	}
	err = settle_order(r);
	if (err)
		return err;
	if (plan->unit == REPORT_UNIT_COUNT && !report_has(r, REPORT_SAMPLES))
		return report_refuse(r, -ENOTSUP,
				     "a report of counts has to have the column Samples");
	err = find_total(r, &total);
	if (err)
		return err;
	is_all = is_lossless(r, total);
	if (!is_all && !plan->keeps_own) {
		plan->keeps_own = true;
		return -EAGAIN;
	}
	return hand_over(r, total, is_all);
}
