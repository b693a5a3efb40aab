/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define EVENT(count) "# Samples: " count " of event 'cycles'\n# Event count (approx.): 1000\n#\n"
/* Children, self, samples, command, symbol; each row of an entry is as these two. */
#define COUNTS                                                      \
	EVENT("10 ")                                                \
	"# Children  Overhead       Samples  Command  Symbol\n"     \
	"# ........  ........  ............  .......  ..........\n" \
	"#\n"
#define PERCENTS                                      \
	EVENT("10 ")                                  \
	"# Children      Self  Command  Symbol\n"     \
	"# ........  ........  .......  ..........\n" \
	"#\n"
#define ONLY_SELF                           \
	EVENT("10 ")                        \
	"# Overhead  Command  Symbol\n"     \
	"# ........  .......  ..........\n" \
	"#\n"
#define M "            " /* the margin */
#define SLOT "          "
#define BAR "|" SLOT
#define END "\n\n\n"

/* main runs itself in 2 samples of 10, calls f; that in 5; calls g, which runs in 3. */
#define MAIN_ENTRY                                                                        \
	"   100.00%    20.00%             2  c        [.] main\n" M "|\n" M "---main\n" M \
	"   " BAR "\n" M "    --8--f\n" M "   " BAR BAR "\n" M "   "                      \
	" " SLOT " --3--g\n\n"
#define F_ENTRY                                                                                  \
	"    80.00%    50.00%             5  c        [.] f\n" M BAR "\n" M "|--5--main\n" M BAR \
	"f\n" M BAR "\n" M " --3--f\n" M "           g\n\n"
#define G_ENTRY                                                                                   \
	"    30.00%    30.00%             3  c        [.] g\n" M "|\n" M "---main\n" M "   f\n" M \
	"   g\n\n"
#define LOSSLESS_STACKS "c: main 2\nc: main f 5\nc: main f g 3\n"

struct report_row {
	char name[64];
	char text[2000];
	char expect[700];
	int err;
	enum import_order order; /* asked for */
};

static void add_stack(const struct profile *p, profile_id stack, struct buffer *out)
{
	uint32_t count;
	const struct profile_stack *s = &profile_stacks(p, &count)[stack];
	profile_id id = profile_frames(p, &count)[s->frame].function;

	if (s->prefix != PROFILE_NONE)
		add_stack(p, s->prefix, out);
	buffer_print(out, " %s", profile_string(p, profile_functions(p, &count)[id].name));
}

static void add_samples(const struct profile *p, const char *title, struct buffer *out)
{
	uint32_t count, threads;
	const struct profile_sample *s = profile_samples(p, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct profile_thread *t = &profile_threads(p, &threads)[s[i].thread];

		buffer_print(out, "%s", title ? title : profile_string(p, t->name));
		if (t->tid)
			buffer_print(out, "/%" PRIu32, t->tid);
		buffer_print(out, ":");
		add_stack(p, s[i].stack, out);
		buffer_print(out, " %" PRIi64 "\n", s[i].weight);
	}
}

static void add_pruned(const struct profile *p, const struct profile_pruned *pruned,
		       struct buffer *out)
{
	if (pruned->own)
		add_samples(pruned->own, "own", out);
	for (uint32_t i = 0; i < pruned->count; i++) {
		const struct pruned_entry *e = &pruned->entries[i];

		buffer_print(out, "%s %" PRIi64 " %" PRIi64 "\n", profile_string(p, e->symbol),
			     e->children, e->self);
	}
}

/* Mode, order, unit and total, warnings; then stacks, those of pruned->own, and entries. */
static void describe(const struct report_row *r, struct buffer *out)
{
	static const char *const modes[] = {
		"unsaid", "graph", "fractal", "flat", "folded", "none"
	};
	static const char *const orders[] = { "unsaid", "caller", "callee" };
	OWNS(profile) struct profile *p = profile_new();
	struct buffer why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	struct import_request request = { .order = r->order };
	int got = import_profile(r->text, strlen(r->text), &request, p, &facts, &why);

	cr_assert(got == r->err, "%s: error %d: %s", r->name, got, why.data ? why.data : "");
	cr_assert(eq(int, facts.kind, IMPORT_PERF_REPORT));
	buffer_print(out, "%s %s", modes[facts.mode], orders[facts.order]);
	if (got) {
		/* Up to what all reasons end with. */
		char *command = strstr(why.data, ": have it written by perf report --stdio");

		cr_expect(eq(int, command != NULL, got == -ENOTSUP), "%s", why.data);
		if (command)
			*command = '\0';
		buffer_print(out, ": %s", why.data);
		return;
	}
	buffer_print(out, " %s", profile_string(p, profile_about_get(p)->unit));
	if (facts.pruned)
		buffer_print(out, " of %" PRIi64, facts.pruned->total);
	buffer_print(out, "%s%s\n", why.len ? ", " : "", why.len ? why.data : "");
	add_samples(p, NULL, out);
	if (facts.pruned)
		add_pruned(p, facts.pruned, out);
}

static void expect_row(struct report_row *r)
{
	struct buffer out OWNS(buffer) = { 0 };

	describe(r, &out);
	cr_expect(eq(str, out.data, r->expect), "%s", r->name);
}

static struct report_row whole[] = {
	{ "counts that add up are all there is", COUNTS MAIN_ENTRY F_ENTRY G_ENTRY END,
	  "graph caller samples\n" LOSSLESS_STACKS, 0, 0 },
	{ "the order is the file's, whatever is asked for", COUNTS MAIN_ENTRY F_ENTRY G_ENTRY END,
	  "graph caller samples\n" LOSSLESS_STACKS, 0, IMPORT_ORDER_CALLEE },
	{ "perf's own header, and comments behind",
	  "# ========\n# hostname : x\n# ========\n#\n# Total Lost Samples: 0\n#\n" COUNTS
		  MAIN_ENTRY F_ENTRY G_ENTRY END "#\n# (Tip: x)\n#\n",
	  "graph caller samples\n" LOSSLESS_STACKS, 0, 0 },
	{ "some text is missing", COUNTS MAIN_ENTRY F_ENTRY G_ENTRY,
	  "graph caller samples, the report does not end as perf ends it: some of it may be "
	  "missing\n" LOSSLESS_STACKS,
	  0, 0 },
	{ "a function is missing", COUNTS MAIN_ENTRY F_ENTRY END,
	  "graph caller samples of 10\nc: main 2\nc: main f 5\nown: main f 5\nown: main f g 3\n"
	  "own: f g 3\nmain -1 2\nf -1 5\n",
	  0, 0 },
	{ "a chain is missing",
	  COUNTS "   100.00%   100.00%            10  c        [.] g\n" M "|\n" M "---main\n" M
		 "   " BAR "\n" M "   |--6--g\n" M "   " BAR "\n" M "    --3--f\n" M
		 "              g\n" END,
	  "graph caller samples of 10\nc: main g 6\nc: main f g 3\ng -1 10\n", 0, 0 },
	{ "a chain was cut short of its end",
	  COUNTS "   100.00%   100.00%            10  c        [.] g\n" M "|\n" M "---main\n" M
		 "   " BAR "\n" M "   |--6--g\n" M "   " BAR "\n" M "    --4--f\n" END,
	  "graph caller samples of 10\nc: main g 6\ng -1 10\n", 0, 0 },
	{ "separators lost their blanks, lines have carriage returns",
	  COUNTS "   100.00%   100.00%            10  c        [.] g\r\n" M "|\r\n" M
		 "---main\r\n" M "   |\r\n" M "   |--6--g\r\n" M "   |\r\n" M "    --4--f\r\n" M
		 "              g\r\n\r\n\r\n\r\n",
	  "graph caller samples\nc: main g 6\nc: main f g 4\n", 0, 0 },
	{ "older perf put a blank before symbols",
	  COUNTS "   100.00%   100.00%            10  c        [.] g\n" M BAR "\n" M
		 "|--6-- main\n" M BAR "g\n" M BAR "\n" M " --4-- f\n" M "           g\n" END,
	  "graph caller samples\nc: main g 6\nc: f g 4\n", 0, 0 },
	{ "symbols may look like anything",
	  COUNTS "   100.00%   100.00%            10  c        [.] |--5--x\n" M "|\n" M
		 "---99.00% a\n" M "   --7--b\n" M "   " BAR "\n" M "   |--6-----c d\n" M "   " BAR
		 "|--5--x\n" M "   " BAR "\n" M "    --4--|p\n" M "   "
		 " " SLOT "|--5--x\n" END,
	  "graph caller samples\nc: 99.00% a --7--b ---c d |--5--x 6\nc: 99.00% a --7--b |p "
	  "|--5--x 4\n",
	  0, 0 },
	{ "inlined functions end a stack, too",
	  COUNTS "   100.00%   100.00%            10  c        [.] g\n" M "|\n" M "---main\n" M
		 "   g\n" M "   h (inlined)\n" END,
	  "graph caller samples\nc: main g h 10\n", 0, 0 },
	{ "addresses are of the object here, of the process there",
	  COUNTS "   100.00%   100.00%            10  c        [.] 0x0000000000001abc\n" M "|\n" M
		 "---main\n" M "   0x55d7f4abc\n" END,
	  "graph caller samples\nc: main 0x55d7f4abc 10\n", 0, 0 },
	{ "recursion, and a function that begins stacks",
	  COUNTS "   100.00%    60.00%             6  c        [.] f\n" M "|\n" M "---f\n" M
		 "   " BAR "\n" M "   |--5--f\n" M "   " BAR BAR "\n" M "   " BAR " --2--g\n" M
		 "   " BAR "\n" M "    --2--g\n\n"
		 "    40.00%    40.00%             4  c        [.] g\n" M "|\n" M "---f\n" M
		 "   " BAR "\n" M "   |--2--f\n" M "   " BAR "g\n" M "   " BAR "\n" M
		 "    --2--g\n" END,
	  "graph caller samples\nc: f 3\nc: f f 3\nc: f f g 2\nc: f g 2\n", 0, 0 },
	{ "thousands of samples",
	  EVENT("1K") "# Children  Overhead       Samples  Symbol\n# ........  ........  "
		      "............  ......\n#\n"
		      "   100.00%   100.00%          1234  [.] f\n" M "|\n" M "---f\n" END,
	  "graph caller samples\n: f 1234\n", 0, 0 },
	{ "-s pid, -v, and columns that nobody knows",
	  EVENT("10 ") "# Children  Overhead       Samples      Pid:Command  CPU  Symbol\n"
		       "# ........  ........  ............  ...............  ...  ......\n#\n"
		       "   100.00%   100.00%            10       7:my: app   001  0x11b6  B [.] "
		       "f\n" M "|\n" M "---f\n" END,
	  "graph caller samples\nmy: app/7: f 10\n", 0, 0 },
	{ "the column Children says nothing without --children",
	  COUNTS "       N/A   100.00%            10  c        [.] g\n" M "|\n" M "---main\n" M
		 "   g\n" END,
	  "graph caller samples\nc: main g 10\n", 0, 0 },
	{ "periods",
	  EVENT("10 ") "# Children  Overhead        Period  Symbol\n# ........  ........  "
		       "............  ......\n#\n"
		       "   100.00%   100.00%          1000  [.] f\n" M "|\n" M "---main\n" M
		       "   " BAR "\n" M "   |--600--f\n" M "   " BAR "\n" M "    --400--g\n" M
		       "              f\n" END,
	  "graph caller periods\n: main f 600\n: main g f 400\n", 0, 0 },
	{ "callee order, all of it",
	  EVENT("10 ") "# Overhead       Samples  Command  Symbol\n"
		       "# ........  ............  .......  ......\n#\n"
		       "    90.00%             9  c        [.] g\n" M "|\n" M "---g\n" M "   f\n" M
		       "   " BAR "\n" M "   |--8--main\n" M "   " BAR "\n" M "    --1--x\n\n"
		       "    10.00%             1  c        [.] f\n" M "|\n" M "---f\n" M
		       "   main\n" END,
	  "graph callee samples\nc: main f g 8\nc: x f g 1\nc: main f 1\n", 0, 0 },
};
Test(import_perf_report, whole)
{
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		expect_row(&whole[i]);
}

static struct report_row parts[] = {
	{ "percentages",
	  PERCENTS "    80.00%    10.00%  c        [.] f\n" M BAR "\n" M "|--70.00%--f\n" M BAR
		   "g\n" M BAR "\n" M " --10.00%--main\n" M "           f\n" END,
	  "graph caller percent of 10000\nc: main f 1000\nown: f g 7000\nf 8000 1000\n", 0, 0 },
	{ "a chain without a number is all of its entry",
	  PERCENTS "    80.00%     0.00%  c        [.] f\n" M "|\n" M "---f\n" M "   " BAR "\n" M
		   "    --70.00%--g\n" END,
	  "graph caller percent of 10000\nown: f 1000\nown: f g 7000\nf 8000 0\n", 0, 0 },
	{ "what was cut below a function is not its own",
	  PERCENTS "    80.00%    10.00%  c        [.] f\n" M "|\n" M "---f\n" M "   " BAR "\n" M
		   "    --60.00%--g\n" END,
	  "graph caller percent of 10000\nc: f 1000\nown: f 1000\nown: f g 6000\nf 8000 1000\n", 0,
	  0 },
	{ "nor is what was cut in its recursion",
	  PERCENTS "    80.00%    10.00%  c        [.] f\n" M BAR "\n" M "|--70.00%--f\n" M BAR
		   "f\n" M BAR BAR "\n" M BAR " --60.00%--g\n" M BAR "\n" M " --10.00%--main\n" M
		   "           f\n" END,
	  "graph caller percent of 10000\nc: main f 1000\nown: f f 1000\nown: f f g 6000\nf 8000 "
	  "1000\n",
	  0, 0 },
	{ "what other roots leave over by rounding is not its own",
	  PERCENTS "    80.00%    10.01%  c        [.] f\n" M BAR "\n" M "|--70.00%--f\n" M BAR BAR
		   "\n" M BAR " --69.99%--g\n" M BAR "\n" M " --10.00%--main\n" M
		   "           f\n" END,
	  "graph caller percent of 10000\nc: main f 1000\nown: f 1\nown: f g 6999\nf 8000 "
	  "1001\n",
	  0, 0 },
	{ "what they leave over beyond that is",
	  PERCENTS "    80.00%    10.02%  c        [.] f\n" M BAR "\n" M "|--70.00%--f\n" M BAR BAR
		   "\n" M BAR " --69.98%--g\n" M BAR "\n" M " --10.00%--main\n" M
		   "           f\n" END,
	  "graph caller percent of 10000\nc: f 2\nc: main f 1000\nown: f g 6998\nf 8000 "
	  "1002\n",
	  0, 0 },
	{ "rounding",
	  PERCENTS "    66.67%    66.67%  c        [.] f\n" M "|\n" M "---main\n" M "   " BAR "\n" M
		   "   |--33.33%--f\n" M "   " BAR "\n" M "    --33.33%--g\n" M
		   "              f\n" END,
	  "graph caller percent of 10000\nc: main f 3333\nc: main g f 3333\nf 6667 6667\n", 0, 0 },
	{ "no children: whole stacks only",
	  ONLY_SELF "    80.00%  c        [.] f\n" M "|\n" M "---main\n" M "   f\n" END,
	  "graph caller percent of 10000\nc: main f 8000\nf -1 8000\n", 0, 0 },
	{ "no graphs",
	  PERCENTS "    80.00%     0.00%  c        [.] f\n    20.00%    20.00%  c        [k] g\n"
		   "\n\n",
	  "none unsaid percent of 10000\nf 8000 0\ng 2000 2000\n", 0, 0 },
	{ "periods without a column of them",
	  PERCENTS "   100.00%   100.00%  c        [.] f\n" M "|\n" M "---main\n" M "   " BAR "\n" M
		   "   |--600--f\n" M "   " BAR "\n" M "    --400--g\n" M "              f\n" END,
	  "graph caller periods of 1000\nc: main f 600\nc: main g f 400\nf 1000 1000\n", 0, 0 },
	{ "a column of periods is not rounded",
	  EVENT("10 ") "# Children  Overhead        Period  Symbol\n# ........  ........  "
		       "............  ......\n#\n"
		       "    80.00%    10.00%           100  [.] f\n" M BAR "\n" M
		       "|--700--f\n" M BAR BAR "\n" M BAR " --698--g\n" M BAR "\n" M
		       " --98--main\n" M "           f\n" END,
	  "graph caller periods of 1000\n: f 2\n: main f 98\nown: f g 698\nf 800 100\n", 0, 0 },
	{ "periods that other roots leave over by rounding",
	  PERCENTS "    80.00%    10.00%  c        [.] f\n" M BAR "\n" M "|--700--f\n" M BAR BAR
		   "\n" M BAR " --698--g\n" M BAR "\n" M " --98--main\n" M "           f\n" END,
	  "graph caller periods of 1000\nc: main f 98\nown: f 2\nown: f g 698\nf 800 100\n", 0, 0 },
};
Test(import_perf_report, parts)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		expect_row(&parts[i]);
}

#define F_HEADER "    80.00%    10.00%  c        [.] f\n" M "|\n" M "---f\n"

static struct report_row refused[] = {
	{ "fractal: the rest",
	  PERCENTS F_HEADER M "   " BAR "\n" M "   |--50.00%--g\n" M "    --50.00%--[...]\n" END,
	  "fractal unsaid: a fractal report does not tell what functions ran themselves", -ENOTSUP,
	  0 },
	{ "fractal: callees have more than their caller",
	  PERCENTS F_HEADER M "   " BAR "\n" M "    --90.00%--g\n" END,
	  "fractal unsaid: a fractal report does not tell what functions ran themselves", -ENOTSUP,
	  0 },
	{ "graphs of more than the entry, without its column",
	  ONLY_SELF "     0.00%  c        [.] f\n" M "|\n" M "---f\n" M "   " BAR "\n" M
		    "    --90.00%--g\n" END,
	  "fractal unsaid: its graphs have more than its entries: it is fractal, or lacks the "
	  "column Children",
	  -ENOTSUP, 0 },
	{ "callee order with children",
	  PERCENTS "    80.00%    80.00%  c        [.] f\n" M "|\n" M "---f\n" M "   main\n" END,
	  "graph callee: in callee order, with --children, chains of a function itself are mixed "
	  "up with those of what it called",
	  -ENOTSUP, 0 },
	{ "callee order, as asked for",
	  PERCENTS "    80.00%    80.00%  c        [.] f\n" M "|\n" M "---f\n" END,
	  "graph callee: in callee order, with --children, chains of a function itself are mixed "
	  "up with those of what it called",
	  -ENOTSUP, IMPORT_ORDER_CALLEE },
	{ "callee order that may be cut",
	  ONLY_SELF "    80.00%  c        [.] f\n" M "|\n" M "---f\n" M "   main\n" END,
	  "graph callee: in callee order, chains that perf has cut look like whole ones", -ENOTSUP,
	  0 },
	{ "counts without their column",
	  PERCENTS "   100.00%   100.00%  c        [.] f\n" M "|\n" M "---main\n" M "   " BAR "\n" M
		   "   |--6--f\n" M "   " BAR "\n" M "    --4--g\n" M "              f\n" END,
	  "graph caller: a report of counts has to have the column Samples", -ENOTSUP, 0 },
	{ "-s sym",
	  EVENT("10 ") "# Children      Self  Symbol\n# ........  ........  ......\n#\n"
		       "    80.00%     0.00%  [.] f\n" M "|\n" M "---g\n" END,
	  "graph unsaid: with -s sym, perf leaves out the first function of a chain", -ENOTSUP, 0 },
	{ "-g address",
	  PERCENTS "    80.00%     0.00%  c        [.] f\n" M "|\n" M "---f a.c:12\n" END,
	  "graph unsaid: a report of -g address splits functions by their lines", -ENOTSUP, 0 },
	{ "-g flat",
	  ONLY_SELF "    80.00%  c        [.] f\n           80.00%\n                f\n\n",
	  "flat unsaid: a report of -g flat does not tell what it left out", -ENOTSUP, 0 },
	{ "-g folded", ONLY_SELF "    80.00%  c        [.] f\n80.00% f;main\n",
	  "folded unsaid: a report of -g folded shows no whole entries", -ENOTSUP, 0 },
	{ "--hierarchy",
	  EVENT("10 ") "#       Overhead  Command / Symbol\n# ..............  ....\n#\n",
	  "graph unsaid: a report of --hierarchy shows each chain at one level of many", -ENOTSUP,
	  0 },
	{ "--group", "# Samples: 10  of events 'a, b'\n",
	  "graph unsaid: a report of --group shows the graphs of one event only", -ENOTSUP, 0 },
	{ "--comm", "# Total Lost Samples: 0\n# comm: x\n" PERCENTS F_HEADER END,
	  "unsaid unsaid: it was filtered: shares are not of everything", -ENOTSUP, 0 },
	{ "-t", EVENT("10 ") "# Overhead;Symbol\n 10.00%;[.] f\n\n\n",
	  "unsaid unsaid: its columns have no ruler, as with -t", -ENOTSUP, 0 },
	{ "a ruler below nothing", "# Samples: 10  of event 'x'\n# ........\n#\n",
	  "unsaid unsaid: there is no column of symbols in it", -ENOTSUP, 0 },
	{ "a recording without samples",
	  "# To display the perf.data header info, please use --header/--header-only options.\n#\n",
	  "unsaid unsaid: the perf report is of a recording without samples", -EBADMSG, 0 },
	{ "an event without samples", PERCENTS "\n\n",
	  "unsaid unsaid: there is no entry in the perf report", -EBADMSG, 0 },
	{ "cut in its header", EVENT("10 ") "# Overhead;Symbol\n",
	  "unsaid unsaid: line 4: the file ends before its first entry", -EBADMSG, 0 },
	{ "cut in an entry", PERCENTS "    80.00%     0.00%  c   ",
	  "unsaid unsaid: line 7: the file ends inside of a line", -EBADMSG, 0 },
	{ "cut in a graph", PERCENTS F_HEADER,
	  "unsaid unsaid: line 9: the file ends inside of a call graph", -EBADMSG, 0 },
	{ "no line of a graph", PERCENTS F_HEADER M "      x\n\n",
	  "unsaid unsaid: line 10: no line of a call graph", -EBADMSG, 0 },
	{ "a level that nothing is above",
	  PERCENTS F_HEADER M "   " BAR BAR "\n" M "   " BAR "|--1.00%--x\n\n",
	  "unsaid unsaid: line 11: no line of a call graph", -EBADMSG, 0 },
	{ "percentages and numbers",
	  PERCENTS F_HEADER M "   " BAR "\n" M "   |--1.00%--x\n" M "   " BAR "\n" M
			      "    --1--x\n\n",
	  "unsaid unsaid: line 13: percentages and numbers are mixed", -EBADMSG, 0 },
	{ "no number in a column", COUNTS "     0.00%     0.00%            1x  c        [.] f\n",
	  "unsaid unsaid: line 7: no number where the columns should have one", -EBADMSG, 0 },
};
Test(import_perf_report, refused)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		expect_row(&refused[i]);
}

/* perf cuts the symbols of a graph, but not those of entries. */
Test(import_perf_report, a_symbol_of_more_than_1023_bytes)
{
	char symbol[1101];

	memset(symbol, 'x', sizeof(symbol) - 1);
	symbol[sizeof(symbol) - 1] = '\0';
	struct buffer text OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };
	OWNS(profile) struct profile *p = profile_new();
	OWNS(import_facts) struct import_facts facts = { 0 };
	uint32_t count;

	buffer_add_text(&text, PERCENTS);
	buffer_print(&text,
		     "    80.00%%    80.00%%  c        [.] %s\n" M "|\n" M "---%.1023s\n" END,
		     symbol, symbol);
	cr_assert(import_profile(text.data, text.len, NULL, p, &facts, &why) == 0, "%s", why.data);
	profile_samples(p, &count);
	cr_expect(eq(u32, count, 1));
	cr_expect(eq(str, why.data,
		     "perf cut symbols after 1023 bytes: functions may be taken for one"));
}
