/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a perf report that leaves something out. */
#include "calltree/hierarchy.h"
#include "imported.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_LINES 4

struct row {
	const char *whole; /* stacks of letters, root first, and weights; 10,000 are all */
	const char *own;   /* the same; NULL: none */
	struct {
		char letter;
		char object;
		int64_t children, self;
	} lines[MOST_LINES];
	double half_digit;
	int err;
	double error_pct;
	const char *expect; /* letter, children, self, adjusted; relations; paths */
};

/* Capital letters are targets. */
static const struct row rows[] = {
	/* without own trees nobody knows who called more */
	{ "AC 6000",
	  NULL,
	  { { 'A', 'a', 7000, 0 }, { 'C', 'a', 8000, 6000 } },
	  0,
	  0,
	  40,
	  "A 7000 0 7000; C 8000 6000 2000; AC 6000; A 7000; AC 6000; C 2000;" },
	/* what A's own tree shows of C beyond that; but no more than C has */
	{ "AC 6000",
	  "ACx 7000",
	  { { 'A', 'a', 7000, 0 }, { 'C', 'a', 8000, 6000 } },
	  0,
	  0,
	  40,
	  "A 7000 0 7000; C 8000 6000 1000; AC 7000; A 7000; AC 7000; C 1000;" },
	{ "AC 6000",
	  "ACx 9000",
	  { { 'A', 'a', 9500, 0 }, { 'C', 'a', 8000, 6000 } },
	  0,
	  0,
	  40,
	  "A 9500 0 9500; C 8000 6000 0; AC 8000; A 9500; AC 8000;" },
	/* callers that would gain more than C lacks share it */
	{ "AC 6000",
	  "ACx 7000 BCx 3000",
	  { { 'A', 'a', 9000, 0 }, { 'B', 'a', 3000, 0 }, { 'C', 'a', 8000, 6000 } },
	  0,
	  0,
	  40,
	  "A 9000 0 9000; C 8000 6000 1; B 3000 0 3000; AC 6666; BC 1333; "
	  "A 9000; AC 6666; C 1; B 3000; BC 1333;" },
	/* no node is heavier than its caller's: half of what the relation gains has no place */
	{ "BAC 6000",
	  "ACx 7000 BAx 6000",
	  { { 'A', 'a', 6500, 0 }, { 'B', 'a', 6000, 0 }, { 'C', 'a', 9000, 6000 } },
	  0,
	  0,
	  40,
	  "B 6000 0 6000; A 6500 0 500; C 9000 6000 2000; BA 6000; AC 7000; "
	  "B 6000; BA 6000; BAC 6000; A 500; C 2000; AC 500;" },
	/* objects of one command may call each other: from the largest to the sum of them */
	{ "Ax 9900",
	  NULL,
	  { { 'A', 'a', 9900, 0 }, { 'A', 'b', 100, 0 } },
	  0,
	  0,
	  1,
	  "A 9900 0 9900; A 9900;" },
	{ "Ax 9000 x 900",
	  NULL,
	  { { 'A', 'a', 9000, 0 }, { 'A', 'b', 9000, 0 } },
	  0,
	  -ENOTSUP,
	  0,
	  "" },
	/* chains cut in a circle look whole: then B has more than what is lost can explain */
	{ "A 9900 x 90",
	  NULL,
	  { { 'A', 'a', 9900, 9900 }, { 'B', 'a', 100, 0 } },
	  0,
	  0,
	  1,
	  "A 9900 9900 9900; B 100 0 100; A 9900; B 100;" },
	{ "A 9900 x 90",
	  NULL,
	  { { 'A', 'a', 9900, 9900 }, { 'B', 'a', 200, 0 } },
	  0,
	  -ENOTSUP,
	  0,
	  "" },
	/* without a column of children, it may have what ran in the circle */
	{ "ABA 5000 BAB 4990",
	  NULL,
	  { { 'A', 'a', -1, 5000 }, { 'B', 'a', -1, 4990 } },
	  0,
	  0,
	  0.1,
	  "A 9990 5000 5000; B 9990 4990 4990; AB 5000; BA 4990; A 5000; AB 5000; B 4990; "
	  "BA 4990;" },
	{ "ABA 5000 B 4990",
	  NULL,
	  { { 'A', 'a', -1, 5000 }, { 'B', 'a', -1, 4990 } },
	  0,
	  -ENOTSUP,
	  0,
	  "" },
	{ "AB 5000 B 4990",
	  NULL,
	  { { 'A', 'a', -1, 0 }, { 'B', 'a', -1, 9990 } },
	  0,
	  0,
	  0.1,
	  "A 5000 0 5000; B 9990 9990 4990; AB 5000; A 5000; AB 5000; B 4990;" },
	/* no column of children, but a tree of A's own */
	{ "AC 6000",
	  "AB 7000",
	  { { 'A', 'a', -1, 0 } },
	  0,
	  0,
	  40,
	  "A 7000 0 7000; C 6000 6000 0; AC 6000; A 7000; AC 6000;" },
	/* three printed numbers */
	{ "A 9000 Ax 990",
	  NULL,
	  { { 'A', 'a', 10000, 9000 } },
	  1,
	  0,
	  0.13,
	  "A 10000 9000 10000; A 10000;" },
	{ "A 9000 Ax 990",
	  NULL,
	  { { 'A', 'a', 10000, 9000 } },
	  50,
	  0,
	  1.6,
	  "A 10000 9000 10000; A 10000;" },
	{ "A 9000 Ax 990", NULL, { { 'A', 'a', 10000, 9000 } }, 51, -ENOTSUP, 0, "" },
	/* numbers that rounding made more than all, or less than nothing */
	{ "A 9999 AC 2 B -1",
	  NULL,
	  { { 'A', 'a', 10001, 9999 } },
	  0.5,
	  0,
	  0.02,
	  "A 10001 9999 10001; C 2 2 0; B 0 0 0; AC 2; A 10001; AC 2;" },
	/* no chains: only the columns */
	{ "",
	  NULL,
	  { { 'A', 'a', 8000, 100 }, { 'C', 'a', 5000, 900 } },
	  0.5,
	  0,
	  80.005,
	  "A 8000 100 8000; C 5000 900 5000; A 8000; C 5000;" },
	{ "",
	  NULL,
	  { { 'A', 'a', 8000, 100 }, { 'x', 'a', 5000, 900 } },
	  0.5,
	  0,
	  0.005,
	  "A 8000 100 8000; A 8000;" },
	{ "",
	  NULL,
	  { { 'A', 'a', 8000, 100 }, { 'A', 'b', 500, 50 } },
	  0,
	  0,
	  5,
	  "A 8000 150 8000; A 8000;" },
	{ "", NULL, { { 'A', 'a', -1, 100 } }, 0, 0, 99, "A 100 100 100; A 100;" },
};

static struct profile *make_profile(const char *stacks)
{
	struct profile *p = profile_new();
	char word[16];
	int64_t weight;
	int len;

	for (; sscanf(stacks, "%15s %" SCNd64 "%n", word, &weight, &len) == 2; stacks += len) {
		profile_id stack = PROFILE_NONE;

		for (const char *at = word; *at; at++) {
			const char name[] = { *at, '\0' };
			const struct test_frame frame = { name, "", 0, 0, PROFILE_NATIVE };

			stack = test_stack(p, stack, &frame);
		}
		test_sample(p, stack, test_thread(p, 0, 0, "", "app"), weight, 1);
	}
	return p;
}

static struct profile_pruned *make_pruned(const struct row *row, struct profile *whole)
{
	struct profile_pruned *p = calloc(1, sizeof(*p));

	p->own = row->own ? make_profile(row->own) : NULL;
	p->entries = calloc(MOST_LINES, sizeof(*p->entries));
	p->total = 10000;
	p->half_digit = row->half_digit;
	p->has_chains = row->whole[0];
	for (; row->lines[p->count].letter; p->count++) {
		const char name[] = { row->lines[p->count].letter, '\0' };
		const char object[] = { row->lines[p->count].object, '\0' };

		p->entries[p->count] = (struct pruned_entry){
			.symbol = test_string(whole, name),
			.object = test_string(whole, object),
			.children = row->lines[p->count].children,
			.self = row->lines[p->count].self,
		};
	}
	return p;
}

static char letter_of(const struct hierarchy *h, const struct profile *p, uint32_t entry)
{
	return *profile_string(p, h->entries[entry].symbol);
}

static void describe(const struct hierarchy *h, const struct profile *p, struct buffer *out)
{
	for (uint32_t i = 0; i < h->entry_count; i++)
		buffer_print(out, "%c %" PRId64 " %" PRId64 " %" PRId64 "; ", letter_of(h, p, i),
			     h->entries[i].children, h->entries[i].self, h->entries[i].adjusted);
	for (uint32_t i = 0; i < h->relation_count; i++)
		buffer_print(out, "%c%c %" PRId64 "; ", letter_of(h, p, h->relations[i].caller),
			     letter_of(h, p, h->relations[i].callee), h->relations[i].weight);
	for (uint32_t i = 0; i < h->node_count; i++) {
		char path[16];
		char *at = &path[sizeof(path) - 1];

		*at = '\0';
		for (uint32_t up = i; up != HIERARCHY_NONE; up = h->nodes[up].parent)
			*--at = letter_of(h, p, h->nodes[up].entry);
		buffer_print(out, "%s %" PRId64 "; ", at, h->nodes[i].weight);
	}
}

static void expect(const struct row *row)
{
	OWNS(profile) struct profile *p = make_profile(row->whole);
	OWNS(profile_pruned) struct profile_pruned *pruned = make_pruned(row, p);
	OWNS_MEM bool *is_target = calloc(profile_string_count(p), sizeof(*is_target));
	OWNS(hierarchy) struct hierarchy h = { 0 };
	struct buffer out OWNS(buffer) = { 0 };

	for (profile_id i = 0; i < profile_string_count(p); i++)
		is_target[i] = *profile_string(p, i) >= 'A' && *profile_string(p, i) <= 'Z';
	cr_assert(eq(int, hierarchy_make(p, pruned, is_target, &h), row->err), "%s", row->whole);
	if (row->err)
		return;
	describe(&h, p, &out);
	cr_assert(out.len > 0 && out.data[out.len - 1] == ' ');
	out.data[out.len - 1] = '\0';
	cr_assert(eq(str, out.data, (char *)row->expect));
	cr_assert(fabs(h.error_pct - row->error_pct) < 1e-9, "%s: %g", row->expect, h.error_pct);
	cr_assert(h.is_exact == false && h.total == 10000);
}

Test(hierarchy_estimates, are_what_chains_columns_and_own_trees_tell)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(&rows[i]);
}

static void read_file(const char *name, struct profile *p, struct import_facts *facts,
		      struct hierarchy *h)
{
	static const char *const targets[] = { "main", "work", "leaf_a", "leaf_b", "fib", "ping" };
	struct buffer text OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };

	imported_file(name, &text);
	cr_assert(import_profile(text.data, text.len, NULL, p, facts, &why) == 0, "%s", why.data);
	OWNS_MEM bool *is_target = calloc(profile_string_count(p), sizeof(*is_target));

	for (profile_id i = 0; i < profile_string_count(p); i++)
		for (size_t k = 0; k < sizeof(targets) / sizeof(*targets); k++)
			is_target[i] |= !strcmp(profile_string(p, i), targets[k]);
	cr_assert(hierarchy_make(p, facts->pruned, is_target, h) == 0);
}

static const struct hierarchy_entry *find_entry(const struct hierarchy *h, const struct profile *p,
						const char *name)
{
	uint32_t i = 0;

	while (i < h->entry_count && strcmp(profile_string(p, h->entries[i].symbol), name))
		i++;
	cr_assert(i < h->entry_count, "no entry %s", name);
	return &h->entries[i];
}

/* What perf prints itself is not only within the bounds, but as perf prints it. */
Test(hierarchy_estimates, of_a_report_of_perf_are_near_what_its_script_tells)
{
	OWNS(profile) struct profile *p = profile_new(), *q = profile_new();
	OWNS(import_facts) struct import_facts facts = { 0 }, exact_facts = { 0 };
	OWNS(hierarchy) struct hierarchy h = { 0 }, exact = { 0 };

	read_file("perf/rec.children.caller.txt", p, &facts, &h);
	read_file("perf/rec.script.txt", q, &exact_facts, &exact);
	cr_assert(exact.is_exact && !h.is_exact && h.error_pct > 0 && h.error_pct < 5);
	cr_assert(exact.entry_count == 6 && h.entry_count == 6);
	for (uint32_t i = 0; i < exact.entry_count; i++) {
		const struct hierarchy_entry *e = &exact.entries[i];
		const struct hierarchy_entry *got = find_entry(&h, p, profile_string(q, e->symbol));
		double children = 100.0 * e->children / exact.total;
		double adjusted = 100.0 * e->adjusted / exact.total;

		cr_assert(fabs(children - 100.0 * got->children / h.total) < 0.0051);
		cr_assert(fabs(adjusted - 100.0 * got->adjusted / h.total) < h.error_pct);
	}
}
