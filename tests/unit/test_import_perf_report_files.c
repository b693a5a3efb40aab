/* SPDX-License-Identifier: Apache-2.0 */
/* Reports that perf wrote, beside what its script says of the same recording. */
#include "imported.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define MOST_STACKS 512
#define MOST_FRAMES 128

struct stack {
	const char *frames[MOST_FRAMES];
	uint32_t depth;
	int64_t weight;
	uint64_t count;
};

struct reading {
	struct profile *profile;
	struct import_facts facts;
	struct buffer why;
	int err;
};

static void reading_cleanup(struct reading *r)
{
	profile_free(r->profile);
	import_facts_fini(&r->facts);
	buffer_fini(&r->why);
}

static void read_file(const char *name, const char *event, struct reading *r)
{
	struct buffer file OWNS(buffer) = { 0 };
	struct import_request request = { .event = event };

	imported_file(name, &file);
	r->profile = profile_new();
	r->err = import_profile(file.data, file.len, &request, r->profile, &r->facts, &r->why);
}

/* Where perf has no symbol, a report shows an address, the script says so. */
static const char *name_of(const struct profile *p, profile_id frame)
{
	uint32_t count;
	const struct profile_function *f =
		&profile_functions(p, &count)[profile_frames(p, &count)[frame].function];
	const char *name = profile_string(p, f->name);
	bool is_address = strncmp(name, "0x", 2) == 0 || strspn(name, "0") == strlen(name);

	return is_address ? "[unknown]" : name;
}

static void read_stack(const struct profile *p, profile_id id, struct stack *s)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(p, &count);

	for (profile_id at = id; at != PROFILE_NONE; at = stacks[at].prefix)
		s->depth++;
	cr_assert(s->depth <= MOST_FRAMES);
	for (uint32_t i = s->depth; i-- > 0; id = stacks[id].prefix)
		s->frames[i] = name_of(p, stacks[id].frame);
}

static bool starts_with(const struct stack *s, uint32_t from, const struct stack *path)
{
	if (s->depth - from < path->depth)
		return false;
	for (uint32_t i = 0; i < path->depth; i++)
		if (strcmp(s->frames[from + i], path->frames[i]) != 0)
			return false;
	return true;
}

static bool is_same(const struct stack *a, const struct stack *b)
{
	return a->depth == b->depth && starts_with(a, 0, b);
}

/* Each stack once, whatever the thread. */
static uint32_t stacks_of(const struct profile *p, struct stack *stacks)
{
	uint32_t rows, count = 0;
	const struct profile_sample *samples = profile_samples(p, &rows);

	for (uint32_t i = 0; i < rows; i++) {
		struct stack s = { 0 };
		uint32_t at = 0;

		read_stack(p, samples[i].stack, &s);
		while (at < count && !is_same(&stacks[at], &s))
			at++;
		cr_assert(at < MOST_STACKS);
		if (at == count)
			stacks[count++] = s;
		stacks[at].weight += samples[i].weight;
		stacks[at].count += samples[i].count;
	}
	return count;
}

struct lossless_row {
	char report[48], script[32], event[16];
	uint32_t samples;
	enum import_order order;
};
static struct lossless_row lossless[] = {
	{ "perf/rec.lossless.txt", "perf/rec.script.txt", "", 435, IMPORT_ORDER_CALLER },
	{ "perf/adv.lossless.txt", "perf/adv.script.txt", "", 83, IMPORT_ORDER_CALLER },
	{ "perf/tmpl.lossless.txt", "perf/tmpl.script.txt", "", 465, IMPORT_ORDER_CALLER },
	{ "perf/multi.lossless.txt", "perf/multi.script.txt", "cpu-clock", 225,
	  IMPORT_ORDER_CALLER },
	{ "perf/multi.lossless.txt", "perf/multi.script.txt", "task-clock", 225,
	  IMPORT_ORDER_CALLER },
	{ "perf/deep.lossless.txt", "perf/deep.script.txt", "", 93, IMPORT_ORDER_CALLER },
	{ "perf/deep.nochildren.callee.txt", "perf/deep.script.txt", "", 93, IMPORT_ORDER_CALLEE },
};
static void expect_lossless(struct lossless_row *row)
{
	static struct stack is[MOST_STACKS], want[MOST_STACKS];
	const char *event = *row->event ? row->event : NULL;
	OWNS(reading) struct reading report = { 0 }, script = { 0 };
	uint64_t samples = 0;

	read_file(row->report, event, &report);
	read_file(row->script, event, &script);
	cr_assert(eq(int, report.err, 0), "%s: %s", row->report, report.why.data);
	cr_expect(report.facts.pruned == NULL, "%s", row->report);
	cr_expect(eq(int, report.facts.order, row->order));
	uint32_t is_count = stacks_of(report.profile, is);
	uint32_t want_count = stacks_of(script.profile, want);

	cr_expect(eq(u32, is_count, want_count), "%s", row->report);
	for (uint32_t i = 0; i < want_count; i++) {
		uint32_t at = 0;

		while (at < is_count && !is_same(&is[at], &want[i]))
			at++;
		cr_expect(at < is_count && is[at].weight == (int64_t)want[i].count &&
				  is[at].count == want[i].count,
			  "%s: stack %u", row->report, i);
		samples += want[i].count;
	}
	cr_expect(eq(u64, samples, row->samples));
}

Test(import_perf_report_files, lossless)
{
	for (size_t i = 0; i < sizeof(lossless) / sizeof(*lossless); i++)
		expect_lossless(&lossless[i]);
}

/* The script's samples that @path's printed number should be of, in the script's weight. */
static double weight_below(const struct stack *stacks, uint32_t count, const struct stack *path)
{
	double weight = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct stack *s = &stacks[i];
		uint32_t outermost = 0;

		while (outermost < s->depth && strcmp(s->frames[outermost], path->frames[0]) != 0)
			outermost++;
		if (outermost < s->depth && strcmp(s->frames[s->depth - 1], path->frames[0]) != 0 &&
		    starts_with(s, outermost, path))
			weight += s->weight;
	}
	return weight;
}

static uint32_t entries_of(const struct reading *r, const char *symbol)
{
	const struct profile_pruned *p = r->facts.pruned;
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->count; i++)
		count += strcmp(profile_string(r->profile, p->entries[i].symbol), symbol) == 0;
	return count;
}

/* Each own-rooted node is what the report prints there: within its rounding, the truth. */
static uint32_t check_own(const char *name, const struct reading *r, const struct stack *truth,
			  uint32_t truth_count, double scale)
{
	static struct stack own[MOST_STACKS];
	const struct profile_pruned *pruned = r->facts.pruned;
	uint32_t count = pruned->own ? stacks_of(pruned->own, own) : 0, nodes = 0;

	for (uint32_t i = 0; i < count; i++) {
		for (struct stack path = own[i]; path.depth > 0; path.depth--) {
			double is = 0, want = scale * weight_below(truth, truth_count, &path);

			for (uint32_t j = 0; j < count; j++)
				is += starts_with(&own[j], 0, &path) ? own[j].weight : 0;
			cr_expect(fabs(is - want) <=
					  1 + pruned->half_digit * entries_of(r, path.frames[0]),
				  "%s: %s, %u deep: %f, not %f", name, path.frames[path.depth - 1],
				  path.depth, is, want);
			nodes++;
		}
	}
	return nodes;
}

static void check_entries(const char *name, const struct reading *r, const struct stack *truth,
			  uint32_t truth_count, double scale)
{
	const struct profile_pruned *pruned = r->facts.pruned;

	for (uint32_t i = 0; i < pruned->count; i++) {
		const struct pruned_entry *e = &pruned->entries[i];
		const char *symbol = profile_string(r->profile, e->symbol);
		double self = 0, children = 0, off = pruned->half_digit + 1e-6 * pruned->total;

		if (entries_of(r, symbol) != 1 || symbol[0] == '0')
			continue;
		for (uint32_t j = 0; j < truth_count; j++) {
			bool is_on = false;

			for (uint32_t k = 0; k < truth[j].depth; k++)
				is_on |= strcmp(truth[j].frames[k], symbol) == 0;
			children += is_on ? scale * truth[j].weight : 0;
			if (strcmp(truth[j].frames[truth[j].depth - 1], symbol) == 0)
				self += scale * truth[j].weight;
		}
		cr_expect(fabs(e->self - self) <= off, "%s: %s itself: %f", name, symbol, self);
		if (e->children >= 0)
			cr_expect(fabs(e->children - children) <= off, "%s: %s: %f", name, symbol,
				  children);
	}
}

struct pruned_row {
	char report[48], script[32], event[16];
	char unit[16];
	bool has_own;
	double shown; /* of the total, by whole stacks */
};
static struct pruned_row pruned_rows[] = {
	{ "perf/rec.children.caller.txt", "perf/rec.script.txt", "", "percent", true, 0.9564 },
	{ "perf/rec.children.header.txt", "perf/rec.script.txt", "", "percent", true, 0.9564 },
	{ "perf/rec.children.nsamples.txt", "perf/rec.script.txt", "", "percent", true, 0.9564 },
	{ "perf/rec.children.period.txt", "perf/rec.script.txt", "", "periods", true, 0.9563 },
	{ "perf/rec.children.limit5.txt", "perf/rec.script.txt", "", "percent", true, 0.7034 },
	{ "perf/rec.nochildren.caller.txt", "perf/rec.script.txt", "", "percent", false, 0.9564 },
	{ "perf/rec.gnone.txt", "perf/rec.script.txt", "", "percent", false, 0 },
	{ "perf/adv.children.caller.txt", "perf/adv.script.txt", "", "percent", true, 0.9997 },
	{ "perf/tmpl.children.caller.txt", "perf/tmpl.script.txt", "", "percent", true, 0.9356 },
	{ "perf/multi.children.caller.txt", "perf/multi.script.txt", "cpu-clock", "percent", true,
	  0.9512 },
	{ "perf/multi.children.caller.txt", "perf/multi.script.txt", "task-clock", "percent", true,
	  0.9379 },
};
static void expect_pruned(struct pruned_row *row)
{
	static struct stack truth[MOST_STACKS];
	const char *event = *row->event ? row->event : NULL;
	OWNS(reading) struct reading report = { 0 }, script = { 0 };
	double total = 0, shown = 0;
	uint32_t count;

	read_file(row->report, event, &report);
	read_file(row->script, event, &script);
	cr_assert(eq(int, report.err, 0), "%s: %s", row->report, report.why.data);
	cr_assert(report.facts.pruned != NULL, "%s", row->report);
	uint32_t truth_count = stacks_of(script.profile, truth);
	const struct profile_about *about = profile_about_get(report.profile);

	for (uint32_t i = 0; i < truth_count; i++)
		total += truth[i].weight;
	double scale = report.facts.pruned->total / total;

	cr_expect(eq(str, (char *)profile_string(report.profile, about->unit), row->unit));
	bool has_own = check_own(row->report, &report, truth, truth_count, scale) > 0;

	cr_expect(eq(int, has_own, row->has_own), "%s", row->report);
	check_entries(row->report, &report, truth, truth_count, scale);
	const struct profile_sample *samples = profile_samples(report.profile, &count);

	for (uint32_t i = 0; i < count; i++)
		shown += samples[i].weight;
	cr_expect(fabs(shown / report.facts.pruned->total - row->shown) < 0.0001, "%s: %f",
		  row->report, shown);
}

Test(import_perf_report_files, pruned)
{
	for (size_t i = 0; i < sizeof(pruned_rows) / sizeof(*pruned_rows); i++)
		expect_pruned(&pruned_rows[i]);
}

struct refused_row {
	char report[48];
	enum import_mode mode;
	enum import_order order;
	char says[64];
};
static struct refused_row refused[] = {
	{ "perf/rec.children.fractal.txt", IMPORT_MODE_FRACTAL, IMPORT_ORDER_UNSAID, "fractal" },
	{ "perf/rec.children.callee.txt", IMPORT_MODE_GRAPH, IMPORT_ORDER_CALLEE, "callee order" },
	{ "perf/rec.nochildren.callee.txt", IMPORT_MODE_GRAPH, IMPORT_ORDER_CALLEE,
	  "callee order" },
	{ "perf/rec.children.sortsym.txt", IMPORT_MODE_GRAPH, IMPORT_ORDER_UNSAID, "-s sym" },
	{ "perf/rec.address.txt", IMPORT_MODE_GRAPH, IMPORT_ORDER_UNSAID, "-g address" },
	{ "perf/rec.hierarchy.txt", IMPORT_MODE_GRAPH, IMPORT_ORDER_UNSAID, "--hierarchy" },
	{ "perf/multi.group.txt", IMPORT_MODE_GRAPH, IMPORT_ORDER_UNSAID, "--group" },
	{ "perf/rec.nochildren.flat.txt", IMPORT_MODE_FLAT, IMPORT_ORDER_UNSAID, "-g flat" },
	{ "perf/rec.nochildren.folded.txt", IMPORT_MODE_FOLDED, IMPORT_ORDER_UNSAID, "-g folded" },
};
static void expect_refused(struct refused_row *row)
{
	OWNS(reading) struct reading report = { 0 };

	read_file(row->report, NULL, &report);
	cr_assert(eq(int, report.err, -ENOTSUP), "%s", row->report);
	cr_expect(eq(int, report.facts.mode, row->mode), "%s", row->report);
	cr_expect(eq(int, report.facts.order, row->order), "%s", row->report);
	cr_expect(strstr(report.why.data, row->says) != NULL, "%s", report.why.data);
	cr_expect(strstr(report.why.data, "perf report --stdio --children -g graph,0") != NULL);
}

Test(import_perf_report_files, refused)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		expect_refused(&refused[i]);
}

Test(import_perf_report_files, of_several_events_one_is_read)
{
	OWNS(reading) struct reading first = { 0 }, second = { 0 }, none = { 0 };

	read_file("perf/multi.lossless.txt", NULL, &first);
	cr_expect(eq(int, first.facts.event, 0));
	cr_expect(eq(u32, first.facts.event_count, 2));
	cr_expect(eq(str, first.why.data,
		     "only the event cpu-clock is shown; there are also task-clock"));
	read_file("perf/multi.lossless.txt", "task-clock", &second);
	cr_expect(eq(int, second.facts.event, 1));
	cr_expect(eq(u64, second.why.len, 0));
	read_file("perf/multi.lossless.txt", "cycles", &none);
	cr_expect(eq(int, none.err, -ENOENT));
}

/* A warning or an error, wherever; inside of a line, an error. */
Test(import_perf_report_files, a_cut_report_is_never_taken_for_a_whole_one)
{
	struct buffer file OWNS(buffer) = { 0 };
	size_t end;

	imported_file("perf/adv.lossless.txt", &file);
	end = strstr(file.data, "\n#\n# (Tip") - file.data; /* behind the last of three ends */
	for (size_t len = end - 1; len > 100; len -= len > end - 500 ? 1 : 37) {
		OWNS(profile) struct profile *p = profile_new();
		struct buffer why OWNS(buffer) = { 0 };
		OWNS(import_facts) struct import_facts facts = { 0 };
		int err = import_profile(file.data, len, NULL, p, &facts, &why);

		cr_expect(why.len > 0, "cut at %zu", len);
		cr_expect(err == 0 || err == -EBADMSG, "cut at %zu: %d", len, err);
		cr_expect(err || file.data[len - 1] == '\n' || file.data[len] == '\n', "cut at %zu",
			  len);
	}
}
