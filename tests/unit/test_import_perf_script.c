/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"
#include "import/import_file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define HEAD "c 5/7 [001] 12.345678: 10 cpu-clock: \n"
#define START "perf-script of nanoseconds\nc 5/7|"

static struct import_row rows[] = {
	{ "frames are leaf first", HEAD "\t  118e g+0x10 (/bin/a)\n\t 1 f+0x9 (/bin/a)\n\n",
	  START " f{native /bin/a} g{native /bin/a} 10\n", 0 },
	{ "one number is the thread", "c 7  12.345: 10 cpu-clock:u: \n\t1 f (/a)\n\n",
	  "perf-script of nanoseconds\nc 0/7| f{native /a} 10\n", 0 },
	{ "a command may hold anything",
	  "a 7 1.5: 2 x: 7/8 [001] 12.3: 10 cpu-clock:\n\t1 f (/a)\n",
	  "perf-script of nanoseconds\na 7 1.5: 2 x: 7/8| f{native /a} 10\n", 0 },
	{ "a command of blanks, one of nothing",
	  "    a  b 7 1.5: 1 cycles:\n\n 8 1.5: 1 cycles:\n\n",
	  "perf-script of cycles\na  b 0/7| 1\n 0/8| 1\n", 0 },
	{ "a thread that perf does not know", ":-1    -1 1.5: 1 cycles:\n\n",
	  "perf-script of cycles\n:-1 0/0| 1\n", 0 },
	{ "symbols may hold anything",
	  HEAD "\t1 operator()(int) const+0x1 (/a)\n\t1 (anonymous namespace)::f (x)+0x2 (/a)\n"
	       "\t1 a (b)+0x1+0x2 (/a)\n\t1 |p 9.00% --x--+0x3 (/a)\n\n",
	  START
	  " |p 9.00% --x--{native /a} a (b)+0x1{native /a} (anonymous namespace)::f (x){native "
	  "/a} operator()(int) const{native /a} 10\n",
	  0 },
	{ "modules may hold anything",
	  HEAD "\t1 f+0x1 (/opt/lib (v2)/a b.so)\n\t1 g (/a)b.so)\n\t1 h (/a(b.so)\n"
	       "\t1 i (/a.so (deleted))\n\n",
	  START " i{native /a.so (deleted)} h{native /a(b.so} g{native /a)b.so} f{native /opt/lib "
		"(v2)/a b.so} 10\n",
	  0 },
	{ "the kernel and its modules",
	  HEAD "\tffffffff813a4413 f+0x1 ([kernel.kallsyms])\n\t1 g ([i915])\n"
	       "\t1 h (/lib/modules/6/x.ko.xz)\n\t1 v ([vdso])\n\t1 b (bpf_prog_6d_x)\n\n",
	  START
	  " b{kernel bpf_prog_6d_x} v{native [vdso]} h{kernel /lib/modules/6/x.ko.xz} g{kernel "
	  "[i915]} f{kernel [kernel.kallsyms]} 10\n",
	  0 },
	{ "what has no name",
	  HEAD "\t1 [unknown] ([unknown])\n\t2 [unknown] (/a)\n\tffffffff813a4413 [unknown] "
	       "([unknown])\n"
	       "\t4\n\n",
	  START
	  " [unknown]{unknown} [unknown]{kernel} [unknown]{native /a} [unknown]{unknown} 10\n",
	  0 },
	{ "inlined frames",
	  HEAD "\t1 f+0x10 (inlined)\n\tffffffff813a4413 g+0x1 (inlined)\n\t1 h+0x1 (/a)\n\n",
	  START " h{native /a} g{kernel} f{native} 10\n", 0 },
	{ "no modules", HEAD "\t1 f(int)\n\t1 g\n\n", START " g{native} f(int){native} 10\n", 0 },
	{ "Python's own map", HEAD "\t1 py::C.f:/a b.py (/tmp/perf-5.map)\n\t1 py::g:/a (/b)\n\n",
	  START " py::g:/a{native /b} C.f{python /a b.py} 10\n", 0 },
	{ "offsets do not tell frames apart, modules do",
	  HEAD "\t1 f+0x1 (/a)\n\t1 f+0x2 (/a)\n\t1 f+0x1 (/b)\n\n",
	  START " f{native /b} f{native /a} f{native /a} 10\n", 0 },
	{ "source lines", HEAD "\t1 f+0x1 (/a)\n  a.c:12\n\t1 g+0x1 (/a)\n  b c.c:3\n\n",
	  START " g{native /a} f{native /a} 10\n", 0 },
	{ "one line a sample",
	  "            cafe 7 [001] 1.5: 10 cpu-clock:  7ffe f+0x1 (/a)\n"
	  "            cafe 7 [001] 1.6: 10 cpu-clock:  7ffe [unknown] ([unknown])\n",
	  "perf-script of nanoseconds\ncafe 0/7| f{native /a} 10\ncafe 0/7| [unknown]{unknown} "
	  "10\n",
	  0 },
	{ "no period", "c 7 1.5: cycles: \n\t1 f (/a)\n\n",
	  "perf-script of samples\nc 0/7| f{native /a} 1\n", 0 },
	{ "no time", "c d 5/7 [001] 10 cycles:P: \n\t1 f (/a)\n\nc 7 cycles:\n\t1 f (/a)\n\n",
	  "perf-script of periods, periods of events that count different things are added up\n"
	  "c d 5/7| f{native /a} 10\nc 0/7| f{native /a} 1\n",
	  0 },
	{ "a tracepoint's text may look like a sample",
	  "c 7 [001] 1.5: sched:sched_switch: prev_comm=a b 8 [002] 9.5: 3 x: y\n\t1 f (/a)\n\n",
	  "perf-script of samples\nc 0/7| f{native /a} 1\n", 0 },
	{ "events of one unit", HEAD "\t1 f (/a)\n\nc 5/7 1.5: 3 task-clock: \n\t1 f (/a)\n\n",
	  START " f{native /a} 13\n", 0 },
	{ "what perf's header says, and other records",
	  "# hostname : x\n#\nc 7 1.5: PERF_RECORD_COMM: c:7/7\n" HEAD "\t1 f (/a)\n\n",
	  START " f{native /a} 10\n", 0 },
	{ "no blank line at the end", HEAD "\t1 f (/a)", START " f{native /a} 10\n", 0 },
	{ "cut in a module", HEAD "\t1 f (/a)\n\t1 g (/b",
	  "line 3: the file ends inside of a sample", -EBADMSG },
	{ "cut in a symbol", HEAD "\t1 f (/a)\n\n" HEAD "\t1 g",
	  "line 5: the file ends inside of a sample", -EBADMSG },
	{ "cut in a time", HEAD "\t1 f (/a)\n\nc 7 1.",
	  "line 4: neither a sample nor a frame of one", -EBADMSG },
	{ "no sample at all", HEAD "\t1 f (/a)\n\nhello\n",
	  "line 4: neither a sample nor a frame of one", -EBADMSG },
	{ "invalid UTF-8", "\xff 7 1.5: 1 cpu-clock:\n\t1 f\xff (/\xff)\n\n",
	  "perf-script of nanoseconds\n\ufffd 0/7| f\ufffd{native /\ufffd} 1\n", 0 },
	{ "a period beyond 2^63", "c 7 1.5: 9223372036854775808 cycles:\n\n",
	  "line 2: a period of more than 2^63", -E2BIG },
	{ "a sum beyond 2^63", "c 7 1.5: 9223372036854775807 x:\n\nc 7 1.5: 1 x:\n\n",
	  "line 4: the periods are more than 2^63 in sum", -E2BIG },
};
Test(import_perf_script, text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		imported_expect(&rows[i]);
}

struct file_row {
	char name[32];
	uint32_t samples, threads, functions; /* counted with grep, sort and uniq */
	int64_t weight;
	char unit[16];
};
static struct file_row files[] = {
	{ "perf/adv.script.txt", 83, 2, 12, 83 * 1430615ll, "nanoseconds" },
	{ "perf/rec.script.F.txt", 435, 1, 19, 435 * 1001001ll, "nanoseconds" },
	{ "perf/multi.script.txt", 450, 2, 37, 450 * 10309278ll, "nanoseconds" },
};
static void expect_real_file(struct file_row *r)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer file OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	int64_t weight = 0;
	uint64_t samples = 0;
	uint32_t count;

	imported_file(r->name, &file);
	cr_assert(import_profile(file.data, file.len, NULL, p, &facts, &why) == 0, "%s", why.data);
	cr_expect(eq(int, facts.kind, IMPORT_PERF_SCRIPT));
	const struct profile_sample *rows_of_it = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++) {
		weight += rows_of_it[i].weight;
		samples += rows_of_it[i].count;
	}
	cr_expect(eq(u64, samples, r->samples));
	cr_expect(eq(i64, weight, r->weight));
	profile_threads(p, &count);
	cr_expect(eq(u32, count, r->threads));
	profile_functions(p, &count);
	cr_expect(eq(u32, count, r->functions));
	cr_expect(eq(str, (char *)profile_string(p, profile_about_get(p)->unit), r->unit));
}

Test(import_perf_script, real_file)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		expect_real_file(&files[i]);
}

#define A "c 5/7 1.5: 3 cpu-clock: \n\t1 f (/a)\n\n"
#define B "c 5/7 1.5: 4 cycles:u: \n\t1 g (/a)\n\n"
#define C "c 5/7 1.5: 5 cpu-clock:  7ffe h+0x1 (/a)\n"

static const struct import_request first_event = { .is_first_event = true };
static const struct import_request cycles_u = { .event = "cycles:u" };
static const struct import_request cycles_u_first = { .event = "cycles:u", .is_first_event = true };
static const struct import_request cycles = { .event = "cycles" };
static const struct import_request cpu_clock = { .event = "cpu-clock" };
static const struct import_request empty = { .event = "" };

static const struct event_row {
	const char *name, *text;
	const struct import_request *request;
	const char *expect;
} event_rows[] = {
	{ "all", A B A, NULL,
	  "cpu-clock|cycles:u| -1 chains 10 periods; periods of events that count different things "
	  "are added up" },
	{ "the only one", A A, NULL, "cpu-clock| 0 chains 6 nanoseconds; " },
	{ "none is named", "c 5/7 1.5: \n\t1 f (/a)\n\n", &first_event, " -1 chains 1 samples; " },
	{ "the first", B A B, &first_event,
	  "cycles:u|cpu-clock| 0 chains 8 cycles; only the event cycles:u is shown; there are also "
	  "cpu-clock" },
	{ "the first is the only one", A A, &first_event, "cpu-clock| 0 chains 6 nanoseconds; " },
	{ "another", A B A, &cycles_u, "cpu-clock|cycles:u| 1 chains 4 cycles; " },
	{ "a name says more than a place", A B, &cycles_u_first,
	  "cpu-clock|cycles:u| 1 chains 4 cycles; " },
	{ "by its whole name", A B, &cycles,
	  "there is no event \"cycles\"; there are cpu-clock, cycles:u" },
	{ "one that is nowhere", A, &empty, "there is no event \"\"; there is cpu-clock" },
	{ "no chains", C C, NULL, "cpu-clock| 0 alone 10 nanoseconds; " },
	{ "no frames", "c 5/7 1.5: 3 cycles: \n\n", NULL, "cycles| 0 alone 3 cycles; " },
	{ "chains of another event", C B C, &cpu_clock,
	  "cpu-clock|cycles:u| 0 alone 10 nanoseconds; " },
};

static int64_t sum_of(const struct profile *p)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(p, &count);
	int64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += samples[i].weight;
	return sum;
}

static void describe_events(const struct event_row *row, struct buffer *out)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	int err = import_profile(row->text, strlen(row->text), row->request, p, &facts, &why);

	cr_expect(err == 0 || err == -ENOENT, "%s: %d", row->name, err);
	for (uint32_t i = 0; i < facts.event_count && !err; i++)
		buffer_print(out, "%s|", import_event_name(&facts, i));
	if (!err)
		buffer_print(out, " %d %s %" PRId64 " %s; ", facts.event,
			     facts.has_chains ? "chains" : "alone", sum_of(p),
			     profile_string(p, profile_about_get(p)->unit));
	buffer_add_text(out, why.data ? why.data : "");
}

Test(import_perf_script, events)
{
	for (size_t i = 0; i < sizeof(event_rows) / sizeof(*event_rows); i++) {
		struct buffer out OWNS(buffer) = { 0 };

		describe_events(&event_rows[i], &out);
		cr_expect_str_eq(out.data, event_rows[i].expect, "%s: %s", event_rows[i].name,
				 out.data);
	}
}

Test(import_perf_script, an_event_of_a_real_file)
{
	OWNS(profile) struct profile *p = profile_new();
	const struct import_request request = { .event = "task-clock" };
	struct buffer file OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };

	imported_file("perf/multi.script.txt", &file);
	cr_assert(import_profile(file.data, file.len, &request, p, &facts, &why) == 0);
	cr_expect(eq(i64, sum_of(p), 225 * 10309278ll)); /* grep -c ' task-clock:' */
	cr_expect(eq(int, facts.event, 1));
}

static void note_passed(void *arg, const char *at)
{
	struct buffer *all = arg;

	buffer_add(all, &at, sizeof(at));
}

/* No more than what is read already, sample by sample, and not once for each of them. */
Test(import_perf_script, what_was_passed_is_told)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer text OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 }, all OWNS(buffer) = { 0 };
	const struct import_request request = { .passed = note_passed, .passed_arg = &all };
	OWNS(import_facts) struct import_facts facts = { 0 };
	const char *before;

	while (text.len < 5u << 20)
		buffer_add_text(&text, A);
	before = text.data;
	cr_assert(import_profile(text.data, text.len, &request, p, &facts, &why) == 0);
	cr_expect(eq(sz, all.len / sizeof(before), 4));
	for (size_t i = 0; i < all.len / sizeof(before); i++) {
		const char *at = ((const char **)all.data)[i];

		cr_expect(at >= before + (1 << 20) && at < before + (1 << 20) + 2 * sizeof(A));
		cr_expect(memcmp(at, "c 5/7", 5) == 0);
		before = at;
	}
}

/* Whatever the byte, unless it is between two lines. */
#ifdef __SANITIZE_ADDRESS__
#define NEXT_CUT 7
#else
#define NEXT_CUT 1
#endif

Test(import_perf_script, a_cut_of_a_real_file_is_refused)
{
	struct buffer file OWNS(buffer) = { 0 };

	imported_file("perf/adv.script.txt", &file);
	for (size_t len = file.len - 1; len > file.len - 1500; len -= NEXT_CUT) {
		OWNS(profile) struct profile *p = profile_new();
		struct buffer why OWNS(buffer) = { 0 };
		OWNS(import_facts) struct import_facts facts = { 0 };
		int err = import_profile(file.data, len, NULL, p, &facts, &why);
		bool is_whole_line = file.data[len - 1] == '\n' || file.data[len] == '\n';

		cr_expect(is_whole_line || err == -EBADMSG, "cut at %zu: %d", len, err);
	}
}
