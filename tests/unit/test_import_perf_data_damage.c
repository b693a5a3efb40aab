/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not as perf writes them. */
#include "recording.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define NEXT_CUT 7 /* no divisor of what records are multiples of */
#define NEXT_CHANGE 16
#else
#define NEXT_CUT 1
#define NEXT_CHANGE 4
#endif

Test(import_perf_data, a_cut_file_is_read_as_far_as_it_is_whole)
{
	static const struct import_request request = { .symfs = RECORDING_NOWHERE };

	for (unsigned int form = 0; form < RECORDING_FILES; form++) {
		struct buffer file OWNS(buffer) = { 0 };

		recording_finish_usual(&recording_files[form], &file);
		for (size_t len = 8; len < file.len; len += NEXT_CUT) {
			OWNS_MEM char *exact = malloc(len);

			memcpy(exact, file.data, len);
			OWNS(recording_result)
			struct recording_result r = recording_read_bytes(exact, len, &request);
			cr_assert(r.err == -EBADMSG || r.err == 0, "%s: %d",
				  recording_files[form].name, r.err);
			cr_expect(r.why.len > 0);
			/* A pipe that was cut between two records does not show it. */
			cr_expect(r.err || recording_says(&r, "cut") ||
					  recording_files[form].form == RECORDING_PIPE ||
					  !strcmp(r.samples.data, recording_usual),
				  "%s: cut at %zu: %s", recording_files[form].name, len,
				  r.why.data);
		}
	}
}

/* Whatever one byte is: an error with a reason, or samples. */
Test(import_perf_data, no_byte_can_break_it)
{
	static const struct import_request request = { .symfs = RECORDING_NOWHERE };
	OWNS(recording) struct recording recording = recording_of_clock();
	struct buffer file OWNS(buffer) = { 0 };

	recording_add_usual(&recording);
	recording_finish(&recording, RECORDING_FILE, &file);
	for (size_t at = 8; at < file.len; at++) {
		for (int change = 1; change < 256; change *= NEXT_CHANGE) {
			file.data[at] ^= change;
			OWNS(recording_result)
			struct recording_result r =
				recording_read_bytes(file.data, file.len, &request);
			cr_expect(r.err == 0 || r.why.len > 0, "at %zu", at);
			file.data[at] ^= change;
		}
	}
}

struct damage_row {
	char name[40];
	size_t at; /* in the file; from its end where @is_record: in the last record */
	bool is_record;
	uint64_t value;
	char says[64];
};
/* The last record is a sample of 10 words: its header, address, thread, time, id, period… */
static struct damage_row damages[] = {
	{ "no record has no size", 0, true, 9 | 2ull << 32, "a damaged record" },
	{ "a sample without its chain", 0, true, 9 | 2ull << 32 | 48ull << 48, "damaged" },
	{ "a chain of 2^64", 48, true, UINT64_MAX, "a damaged sample" },
	{ "a chain longer than the record", 48, true, 3, "a damaged sample" },
	{ "a period of 2^63", 40, true, 1ull << 63, "the periods are more than 2^63 in sum" },
	{ "events of no size", 16, false, 0, "its events are damaged" },
	{ "events out of the file", 24, false, UINT64_MAX, "its events are damaged" },
	{ "no events", 32, false, 0, "its events are damaged" },
	{ "ids out of the file", 112 + 64, false, 1 << 20, "its events are damaged" },
	{ "records out of the file", 40, false, UINT64_MAX, "there is no sample in it: it is cut" },
};
static void expect_damage(struct damage_row *row)
{
	static const struct import_request request = { .symfs = RECORDING_NOWHERE };
	OWNS(recording) struct recording recording = recording_of_clock();
	struct buffer file OWNS(buffer) = { 0 };
	size_t last;

	recording_user_sample(&recording, 1, 5, 5, 1);
	last = recording.records.len;
	recording_user_sample(&recording, 1, 5, 5, 1);
	if (row->is_record)
		memcpy(recording.records.data + last + row->at, &row->value, sizeof(row->value));
	recording_finish(&recording, RECORDING_FILE, &file);
	if (!row->is_record)
		memcpy(file.data + row->at, &row->value, sizeof(row->value));
	OWNS(recording_result)
	struct recording_result r = recording_read_bytes(file.data, file.len, &request);
	cr_expect(r.err == -EBADMSG || r.err == -E2BIG, "%s: %d", row->name, r.err);
	cr_expect(recording_says(&r, row->says), "%s: %s", row->name, r.why.data);
}

Test(import_perf_data, damage)
{
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++)
		expect_damage(&damages[i]);
}

Test(import_perf_data, a_file_that_was_not_finished_is_read_to_its_end)
{
	static const struct import_request request = { .symfs = RECORDING_NOWHERE };
	OWNS(recording) struct recording recording = recording_of_clock();
	struct buffer file OWNS(buffer) = { 0 };

	recording_add_usual(&recording);
	recording_finish(&recording, RECORDING_FILE, &file);
	memset(file.data + 48, 0, 8);			  /* the size of the records */
	file.len = 112 + 64 + 16 + recording.records.len; /* no features */
	OWNS(recording_result)
	struct recording_result r = recording_read_bytes(file.data, file.len, &request);
	recording_expect(&r, recording_usual, "unfinished");
	cr_expect(recording_says(&r, "was not finished"), "%s", r.why.data);
}

/* 128 KiB of nothing in each few bytes: records of 65528 bytes that perf would never write. */
Test(import_perf_data, a_bomb_is_refused)
{
	OWNS(recording) struct recording recording = recording_of_clock();
	struct buffer body OWNS(buffer) = { 0 };
	OWNS_MEM char *nothing = calloc(1, 65520);

	buffer_add(&body, nothing, 65520);
	for (int i = 0; i < 1200; i++)
		recording_add(&recording, PERF_RECORD_THROTTLE, 0, &body);
	recording_compress(&recording, 81, 1 << 22);
	OWNS(recording_result)
	struct recording_result r = recording_read(&recording, RECORDING_FILE);
	cr_expect(eq(int, r.err, -E2BIG));
	cr_expect(recording_says(&r, "far too much"), "%s", r.why.data);
}

Test(import_perf_data, nothing_but_perf_data_is_taken_for_it)
{
	static const struct {
		const char *text;
		size_t len;
	} others[] = { { "PERFILE", 7 },
		       { "PERFFILE........", 16 },
		       { "\x7f"
			 "ELFxxxxxxxxx",
			 13 } };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		OWNS(recording_result)
		struct recording_result r =
			recording_read_bytes(others[i].text, others[i].len, NULL);

		cr_expect(r.err == -EBADMSG && !recording_says(&r, "perf.data:"), "%s",
			  others[i].text);
	}
}
