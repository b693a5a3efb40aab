/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"
#include "imported.h"
#include "native/elf_symbols.h"
#include "recording.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SYMFS SPPROF_SOURCE_DIR "/tests/data/perf"
#define USER ((uint64_t)PERF_CONTEXT_USER)

static void expect_form(const struct recording_file *row)
{
	static const struct import_request request = { .symfs = RECORDING_NOWHERE };
	struct buffer file OWNS(buffer) = { 0 };

	recording_finish_usual(row, &file);
	OWNS(recording_result)
	struct recording_result r = recording_read_bytes(file.data, file.len, &request);
	recording_expect(&r, recording_usual, row->name);
	cr_expect(eq(int, r.facts.kind, IMPORT_PERF_DATA));
	cr_expect(eq(u32, r.facts.event_count, 1));
	cr_expect(eq(str, r.facts.events.data, "cpu-clock"));
	cr_expect(eq(int, r.facts.event, 0));
	cr_expect(r.facts.has_chains);
	cr_expect(eq(str, (char *)profile_string(r.profile, profile_about_get(r.profile)->unit),
		     "nanoseconds"));
	cr_expect(not(recording_says(&r, "cut")), "%s", r.why.data);
}

Test(import_perf_data, form)
{
	for (size_t i = 0; i < RECORDING_FILES; i++)
		expect_form(&recording_files[i]);
}

Test(import_perf_data, an_exec_changes_the_command_and_what_is_mapped)
{
	OWNS(recording) struct recording recording = recording_of_clock();

	recording_comm(&recording, 10, 5, 5, "sh");
	recording_mmap(&recording, 11, 5, 0x400000, 0x3000, "/bin/sh");
	recording_user_sample(&recording, 15, 5, 5, 0x401010);
	recording_comm(&recording, 20, 5, 5, "prog");
	recording_mmap(&recording, 21, 5, 0x401000, 0x1000, "/bin/prog");
	recording_user_sample(&recording, 25, 5, 5, 0x401010);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(
		&r, "sh 5/5| 0x2010{native /bin/sh} 10\nprog 5/5| 0x1010{native /bin/prog} 10\n",
		"exec");
}

Test(import_perf_data, a_child_has_what_its_parent_had_at_the_fork)
{
	OWNS(recording) struct recording recording = recording_of_clock();

	recording_comm(&recording, 10, 5, 5, "parent");
	recording_mmap(&recording, 11, 5, 0x1000, 0x1000, "/a");
	recording_fork(&recording, 20, 6, 6, 5, 5);
	recording_mmap(&recording, 21, 5, 0x1000, 0x1000, "/later");
	recording_comm(&recording, 22, 5, 5, "later");
	recording_fork(&recording, 30, 7, 7, 6, 6);
	recording_mmap(&recording, 31, 7, 0x2000, 0x1000, "/own");
	recording_user_sample(&recording, 40, 6, 6, 0x1000);
	recording_user_sample(&recording, 40, 7, 7, 0x1000);
	recording_user_sample(&recording, 40, 7, 7, 0x2000);
	recording_user_sample(&recording, 40, 5, 5, 0x1000);
	recording_user_sample(&recording, 40, 6, 6, 0x2000);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(&r,
			 "parent 6/6| 0x1000{native /a} 10\nparent 7/7| 0x1000{native /a} 10\n"
			 "parent 7/7| 0x1000{native /own} 10\nlater 5/5| 0x1000{native /later} 10\n"
			 "parent 6/6| 0x2000{unknown} 10\n",
			 "fork");
}

Test(import_perf_data, a_number_that_comes_again_is_another_process)
{
	OWNS(recording) struct recording recording = recording_of_clock();

	recording_comm(&recording, 0, 4, 4, "four");
	recording_comm(&recording, 0, 5, 5, "first");
	recording_mmap(&recording, 11, 5, 0x1000, 0x1000, "/a");
	recording_user_sample(&recording, 12, 5, 5, 0x1000);
	recording_fork(&recording, 20, 5, 5, 4, 4);
	recording_user_sample(&recording, 22, 5, 5, 0x1000);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(&r, "first 5/5| 0x1000{native /a} 10\nfour 5/5| 0x1000{unknown} 10\n",
			 "again");
}

Test(import_perf_data, records_may_be_out_of_order)
{
	OWNS(recording) struct recording recording = recording_of_clock();

	recording_user_sample(&recording, 25, 5, 5, 0x1000);
	recording_user_sample(&recording, 15, 5, 5, 0x1000);
	recording_mmap(&recording, 20, 5, 0x1000, 0x1000, "/second");
	recording_comm(&recording, 22, 5, 5, "second");
	recording_user_sample(&recording, 5, 5, 5, 0x1000);
	recording_mmap(&recording, 11, 5, 0x1000, 0x1000, "/first");
	recording_comm(&recording, 10, 5, 5, "first");
	recording_user_sample(&recording, 16, 5, 5, 0x1000);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(
		&r,
		"second 5/5| 0x1000{native /second} 10\nfirst 5/5| 0x1000{native /first} 20\n"
		":5 5/5| 0x1000{unknown} 10\n",
		"order");
}

Test(import_perf_data, without_times_the_order_of_the_file_counts)
{
	OWNS(recording) struct recording recording = recording_of_clock();

	recording.sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
	recording_comm(&recording, 0, 5, 5, "first");
	recording_user_sample(&recording, 0, 5, 5, 0x1000);
	recording_comm(&recording, 0, 5, 5, "second");
	recording_user_sample(&recording, 0, 5, 5, 0x1000);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(&r, "first 5/5| 0x1000{unknown} 10\nsecond 5/5| 0x1000{unknown} 10\n",
			 "order");
}

static struct recording recording_of_two(void)
{
	struct recording r = recording_of_clock();

	r.attrs[0].name = "cycles:u";
	r.attrs[1] = r.attrs[0];
	r.attrs[1].id = 8;
	r.attrs[1].name = "task-clock";
	r.attr_count = 2;
	return r;
}

static void add_two(struct recording *r)
{
	struct recording_sample s = {
		.time = 20,
		.period = 10,
		.pid = 5,
		.tid = 5,
		.chain_len = 2,
		.chain = { USER, 0x1 },
	};

	recording_sample(r, &s);
	s.id = 8;
	s.chain[1] = 0x2;
	recording_sample(r, &s);
	s.id = 9;
	recording_sample(r, &s);
}

struct event_row {
	char event[16];
	bool is_first;
	uint64_t sample_type; /* besides */
	char expect[120];
	char unit[16], says[64];
	int err;
};
#define BOTH ":5 5/5| 0x1{unknown} 10\n:5 5/5| 0x2{unknown} 10\n"
static struct event_row events[] = {
	{ "", false, 0, BOTH, "periods", "periods of events that count different things", 0 },
	{ "", false, PERF_SAMPLE_IDENTIFIER, BOTH, "periods", "1 samples of unknown events", 0 },
	{ "", true, 0, ":5 5/5| 0x1{unknown} 10\n", "cycles", "also task-clock", 0 },
	{ "task-clock", false, 0, ":5 5/5| 0x2{unknown} 10\n", "nanoseconds", "", 0 },
	{ "instructions", false, 0, "", "", "there are cycles:u, task-clock", -ENOENT },
};
static void expect_event(struct event_row *row)
{
	OWNS(recording) struct recording recording = recording_of_two();
	struct buffer file OWNS(buffer) = { 0 };
	struct import_request request = {
		.event = *row->event ? row->event : NULL,
		.is_first_event = row->is_first,
		.symfs = RECORDING_NOWHERE,
	};

	recording.sample_type |= row->sample_type;
	add_two(&recording);
	recording_finish(&recording, RECORDING_PIPE, &file);
	OWNS(recording_result)
	struct recording_result r = recording_read_bytes(file.data, file.len, &request);
	cr_assert(r.err == row->err, "%d: %s", r.err, r.why.data);
	cr_expect(row->says[0] == 0 || recording_says(&r, row->says), "%s", r.why.data);
	cr_expect(eq(u32, r.facts.event_count, 2));
	if (r.err)
		return;
	recording_expect(&r, row->expect, "events");
	cr_expect(eq(str, (char *)profile_string(r.profile, profile_about_get(r.profile)->unit),
		     row->unit));
}

Test(import_perf_data, event)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		expect_event(&events[i]);
}

/* Each counter has counted so much more than at the sample before. */
Test(import_perf_data, counters_that_are_read_are_the_weight)
{
	OWNS(recording) struct recording recording = recording_of_two();
	struct recording_sample s = { .pid = 5, .tid = 5, .chain_len = 2, .chain = { USER, 0x1 } };

	recording.sample_type |= PERF_SAMPLE_READ;
	recording.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	s.period = 10;
	recording_sample(&recording, &s);
	s.period = 17;
	s.chain[1] = 0x2;
	recording_sample(&recording, &s);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(&r, ":5 5/5| 0x1{unknown} 30\n:5 5/5| 0x2{unknown} 21\n", "counters");
}

struct name_row {
	uint32_t type;
	uint64_t config, flags, period;
	bool has_period;
	char name[32], unit[32], weight[8];
};
#define EXCLUDE_GUEST (1u << 20)
#define EXCLUDE_KERNEL (1u << 5)
#define FREQ (1u << 10)
static struct name_row names[] = {
	{ 1, 0, EXCLUDE_GUEST, 9, true, "cpu-clock", "nanoseconds", "5" },
	{ 1, 1, EXCLUDE_GUEST, 9, false, "task-clock", "nanoseconds", "9" },
	{ 0, 0, EXCLUDE_KERNEL | 2 << 15, 99, true, "cycles:uhpp", "cycles", "5" },
	{ 0, 0, EXCLUDE_KERNEL | EXCLUDE_GUEST | 2 << 15, 99, true, "cycles:uhppH", "cycles", "5" },
	{ 0, 1, EXCLUDE_GUEST | FREQ, 99, false, "instructions", "samples", "1" },
	{ 3, 0x10000, EXCLUDE_GUEST, 7, false, "L1-dcache-load-misses", "L1-dcache-load-misses",
	  "7" },
	{ 4, 0xc0, EXCLUDE_GUEST, 7, false, "raw 0xc0", "raw 0xc0", "7" },
	{ 77, 1, 0, 7, false, "event 77:0x1", "event 77:0x1", "7" },
};
static void expect_event_without_a_name(struct name_row *row)
{
	OWNS(recording) struct recording recording = recording_of_clock();
	char expect[64];

	recording.attrs[0] =
		(struct recording_attr){ row->type, row->config, row->period, row->flags, 7, NULL };
	if (!row->has_period)
		recording.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	recording_sample(
		&recording,
		&(struct recording_sample){
			.pid = 5, .tid = 5, .period = 5, .chain_len = 2, .chain = { USER, 1 } });
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	snprintf(expect, sizeof(expect), ":5 5/5| 0x1{unknown} %s\n", row->weight);
	recording_expect(&r, expect, row->name);
	cr_expect(eq(str, r.facts.events.data, row->name));
	cr_expect(eq(str, (char *)profile_string(r.profile, profile_about_get(r.profile)->unit),
		     row->unit));
}

Test(import_perf_data, event_without_a_name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_event_without_a_name(&names[i]);
}

struct chain_row {
	char name[40];
	uint16_t misc;
	size_t len;
	uint64_t chain[6];
	bool has_chains;
	char expect[120];
};
static struct chain_row chains[] = {
	{ "no chain", PERF_RECORD_MISC_USER, 0, { 0x7 }, false, " 0x7{unknown}" },
	{ "no chain in the kernel", PERF_RECORD_MISC_KERNEL, 0, { 0x7 }, false, " 0x7{kernel}" },
	{ "a guest",
	  PERF_RECORD_MISC_GUEST_KERNEL,
	  4,
	  { PERF_CONTEXT_GUEST_KERNEL, 7, PERF_CONTEXT_GUEST_USER, 0x1000 },
	  true,
	  " 0x1000{unknown} 0x7{kernel}" },
	{ "without a marker",
	  PERF_RECORD_MISC_USER,
	  2,
	  { 0x1000, 7 },
	  true,
	  " 0x7{unknown} 0x1000{native /a}" },
	{ "markers only", PERF_RECORD_MISC_USER, 1, { PERF_CONTEXT_USER }, false, "" },
	{ "a broken chain, as perf has it",
	  PERF_RECORD_MISC_USER,
	  3,
	  { PERF_CONTEXT_USER, 0x1000, UINT64_MAX },
	  false,
	  "" },
};
static void expect_chain(struct chain_row *row)
{
	OWNS(recording) struct recording recording = recording_of_clock();
	struct recording_sample s = {
		.time = 2,
		.period = 1,
		.misc = row->misc,
		.pid = 5,
		.tid = 5,
		.chain_len = row->len,
	};
	char expect[160];

	memcpy(s.chain, row->chain, sizeof(row->chain));
	recording_mmap(&recording, 1, 5, 0x1000, 0x1000, "/a");
	recording_sample(&recording, &s);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	snprintf(expect, sizeof(expect), ":5 5/5|%s 1\n", row->expect);
	recording_expect(&r, expect, row->name);
	cr_expect(eq(int, r.facts.has_chains, row->has_chains));
}

Test(import_perf_data, chain)
{
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
		expect_chain(&chains[i]);
}

Test(import_perf_data, what_perf_lost_is_told)
{
	OWNS(recording) struct recording recording = recording_of_clock();
	struct buffer lost OWNS(buffer) = { 0 };

	recording_add_usual(&recording);
	recording_word(&recording, &lost, 7);
	recording_word(&recording, &lost, 30);
	recording_add(&recording, PERF_RECORD_LOST, 0, &lost);
	lost.len = 8;
	recording_add(&recording, PERF_RECORD_LOST_SAMPLES, 0, &lost);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	recording_expect(&r, recording_usual, "lost");
	cr_expect(recording_says(&r, "perf lost 37 records"), "%s", r.why.data);
}

static void add_build_id(struct recording *r, const uint8_t build_id[20], const char *path)
{
	struct buffer body OWNS(buffer) = { 0 };

	recording_half(r, &body, UINT32_MAX);
	buffer_add(&body, build_id, 20);
	buffer_add(&body, "\x14\0\0\0", 4);
	buffer_add(&body, path, strlen(path) + 1);
	recording_add(r, 67, 1 << 15, &body);
}

/* Names are those of the file that was recorded, not of one that has its place. */
Test(import_perf_data, a_map_has_its_own_build_id_or_that_of_its_path)
{
	static const struct import_request request = { .symfs = SYMFS };
	OWNS(recording) struct recording recording = recording_of_clock();
	struct buffer elf OWNS(buffer) = { 0 }, file OWNS(buffer) = { 0 };
	struct build_id id, other;

	imported_file("perf/rec", &elf);
	cr_assert(elf_build_id(elf.data, elf.len, &id) && id.len == 20);
	other = id;
	other.bytes[0]++;
	recording_mmap2(&recording, 1, 5, 0x1000, 0x1000, "/x/rec", id.bytes);
	recording_mmap2(&recording, 1, 6, 0x1000, 0x1000, "/x/rec", other.bytes);
	recording_mmap(&recording, 1, 7, 0x1000, 0x1000, "/x/rec");
	recording_mmap(&recording, 1, 8, 0x1000, 0x1000, "/y/rec");
	for (uint32_t pid = 5; pid <= 8; pid++)
		recording_user_sample(&recording, 2, pid, pid, 0x118e);
	add_build_id(&recording, id.bytes, "/x/rec");
	add_build_id(&recording, other.bytes, "/y/rec");
	recording_finish(&recording, RECORDING_PIPE, &file);
	OWNS(recording_result)
	struct recording_result r = recording_read_bytes(file.data, file.len, &request);
	recording_expect(&r,
			 ":5 5/5| leaf_a{native /x/rec} 10\n:6 6/6| 0x118e{native /x/rec} 10\n"
			 ":7 7/7| leaf_a{native /x/rec} 10\n:8 8/8| 0x118e{native /y/rec} 10\n",
			 "build-ids");
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_stack(const struct profile *p, profile_id id, struct buffer *out)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(p, &count);
	const struct profile_frame *frame;
	const struct profile_function *f;
	const char *file;

	if (id == PROFILE_NONE)
		return;
	print_stack(p, stacks[id].prefix, out);
	frame = &profile_frames(p, &count)[stacks[id].frame];
	f = &profile_functions(p, &count)[frame->function];
	file = profile_string(p, f->file);
	buffer_print(out, ";%s %s", strstr(file, "/rec") ? profile_string(p, f->name) : "", file);
}

/* A line for each sample, in order; names of what was not there are left out. */
static void list_samples(const struct profile *p, struct buffer *out)
{
	uint32_t count, threads;
	const struct profile_sample *samples = profile_samples(p, &count);
	OWNS_MEM char **lines = NULL;
	size_t line = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct profile_sample *s = &samples[i];
		struct buffer text = { 0 };

		buffer_print(&text, "%" PRIu32 " %" PRId64,
			     profile_threads(p, &threads)[s->thread].tid,
			     s->weight / (int64_t)s->count);
		print_stack(p, s->stack, &text);
		for (uint64_t n = 0; n < s->count; n++) {
			lines = reallocarray(lines, line + 1, sizeof(*lines));
			lines[line++] = strdup(text.data);
		}
		buffer_fini(&text);
	}
	qsort(lines, line, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < line; i++) {
		buffer_print(out, "%s\n", lines[i]);
		free(lines[i]);
	}
}

Test(import_perf_data, a_real_file_is_what_perf_script_says)
{
	static const struct import_request request = { .symfs = SYMFS };
	struct buffer data OWNS(buffer) = { 0 }, script OWNS(buffer) = { 0 };
	struct buffer got OWNS(buffer) = { 0 }, expect OWNS(buffer) = { 0 };

	imported_file("perf/rec.perf.data", &data);
	imported_file("perf/rec.script.txt", &script);
	OWNS(recording_result)
	struct recording_result ours = recording_read_bytes(data.data, data.len, &request);
	OWNS(recording_result)
	struct recording_result perfs = recording_read_bytes(script.data, script.len, &request);
	cr_assert(ours.err == 0 && perfs.err == 0, "%s", ours.why.data);
	list_samples(ours.profile, &got);
	list_samples(perfs.profile, &expect);
	cr_expect(strstr(got.data, ";main /tmp/perfw/rec;work /tmp/perfw/rec;") != NULL);
	cr_expect(eq(str, got.data, expect.data));
	cr_expect(eq(str, ours.facts.events.data, "cpu-clock"));
}
