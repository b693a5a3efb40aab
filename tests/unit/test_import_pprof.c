/* SPDX-License-Identifier: Apache-2.0 */
#include "import/pprof.h"
#include "pprof.pb-c.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

typedef Perftools__Profiles__Profile pb_profile;

static void expect_same(const struct profile *p, uint64_t seed)
{
	struct buffer file OWNS(buffer) = { 0 };
	struct buffer before OWNS(buffer) = { 0 }, after OWNS(buffer) = { 0 };
	OWNS(profile) struct profile *back = NULL;
	int err = 0;

	test_export("pprof", p, NULL, 0, &file);
	back = import_pprof(file.data, file.len, &err);
	cr_assert(back && !err, "seed %lu: error %d", seed, err);
	test_describe(p, &before);
	test_describe(back, &after);
	cr_expect(strcmp(before.data, after.data) == 0, "seed %lu:\n%s--- became\n%s", seed,
		  before.data, after.data);
}

Test(import_pprof, gives_back_what_was_exported)
{
	OWNS(profile) struct profile *small = test_small_profile();
	OWNS(profile) struct profile *empty = profile_new();

	expect_same(small, 0);
	expect_same(empty, 0);
}

#ifdef __SANITIZE_ADDRESS__
#define PROFILES 50
#else
#define PROFILES 300
#endif

Test(import_pprof, gives_back_any_profile)
{
	uint64_t start = time(NULL) * 1000;

	for (uint64_t seed = start; seed < start + PROFILES; seed++) {
		OWNS(profile) struct profile *p = test_random_profile(seed);

		expect_same(p, seed);
	}
}

Test(import_pprof, the_largest_numbers_survive)
{
	OWNS(profile) struct profile *p = profile_new();
	struct profile_thread thread = { .pid = UINT32_MAX,
					 .tid = UINT32_MAX,
					 .ident = UINT64_MAX };
	struct profile_sample sample = {
		.stack = PROFILE_NONE,
		.weight = INT64_MAX,
		.count = UINT64_MAX,
		.timestamp_ns = UINT64_MAX,
	};

	*profile_about(p) = (struct profile_about){
		.start_ns = UINT64_MAX,
		.duration_ns = UINT64_MAX,
		.interval_ns = UINT64_MAX,
		.taken = UINT64_MAX,
		.lost = UINT64_MAX,
		.unit = profile_about(p)->unit,
		.keeps_order = true,
	};
	cr_assert(profile_add_thread(p, &thread, &sample.thread) == 0);
	cr_assert(profile_add_sample(p, &sample) == 0);
	expect_same(p, 0);
}

Test(import_pprof, no_cut_of_a_file_is_a_profile)
{
	OWNS(profile) struct profile *p = test_small_profile();
	struct buffer file OWNS(buffer) = { 0 };

	test_export("pprof", p, NULL, 0, &file);
	for (size_t len = 0; len < file.len; len++) {
		int err = 0;

		cr_expect(import_pprof(file.data, len, &err) == NULL);
		cr_expect(eq(int, err, -EBADMSG));
	}
}

/*
 * A message of one sample of one line, by hand, that each row spoils in one place. Sizes
 * are 0 to 2; an id of 0 stands for a row that is not there.
 */
struct row {
	char name[40];
	uint64_t function_id, line_function, location_id, sample_location, mapping_id,
		location_mapping;
	int64_t function_name, label_key, unit;
	size_t values;
	int has_twins; /* each row twice, with one id */
	int first_string_not_empty;
	int expect;
};

static struct profile *import_row(const struct row *r, int *err)
{
	ProtobufCBinaryData strings[] = {
		{ r->first_string_not_empty, (uint8_t *)"x" },
		{ 3, (uint8_t *)"f\xff;" },
		{ 5, (uint8_t *)"a\0.py" },
	};
	Perftools__Profiles__ValueType type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
	Perftools__Profiles__Mapping mapping = PERFTOOLS__PROFILES__MAPPING__INIT;
	Perftools__Profiles__Function function = PERFTOOLS__PROFILES__FUNCTION__INIT;
	Perftools__Profiles__Line line = PERFTOOLS__PROFILES__LINE__INIT;
	Perftools__Profiles__Location location = PERFTOOLS__PROFILES__LOCATION__INIT;
	Perftools__Profiles__Label label = PERFTOOLS__PROFILES__LABEL__INIT;
	Perftools__Profiles__Sample sample = PERFTOOLS__PROFILES__SAMPLE__INIT;
	Perftools__Profiles__ValueType *types[] = { &type };
	Perftools__Profiles__Mapping *mappings[] = { &mapping, &mapping };
	Perftools__Profiles__Function *functions[] = { &function, &function };
	Perftools__Profiles__Line *lines[] = { &line };
	Perftools__Profiles__Location *locations[] = { &location, &location };
	Perftools__Profiles__Label *labels[] = { &label };
	Perftools__Profiles__Sample *samples[] = { &sample };
	int64_t values[] = { 17, 18 };
	uint64_t location_id = r->sample_location;
	pb_profile pb = PERFTOOLS__PROFILES__PROFILE__INIT;
	struct buffer file OWNS(buffer) = { 0 };
	uint8_t packed[512];
	size_t count = r->has_twins ? 2 : 1;

	type.unit = r->unit;
	mapping.id = r->mapping_id;
	function.id = r->function_id;
	function.name = r->function_name;
	function.filename = 2;
	line.function_id = r->line_function;
	location.id = r->location_id;
	location.mapping_id = r->location_mapping;
	location.n_line = 1;
	location.line = lines;
	label.key = r->label_key;
	sample.n_location_id = 1;
	sample.location_id = &location_id;
	sample.n_value = r->values;
	sample.value = values;
	sample.n_label = 1;
	sample.label = labels;
	pb.n_string_table = 3;
	pb.string_table = strings;
	pb.n_sample_type = 1;
	pb.sample_type = types;
	pb.n_mapping = count;
	pb.mapping = mappings;
	pb.n_function = count;
	pb.function = functions;
	pb.n_location = count;
	pb.location = locations;
	pb.n_sample = 1;
	pb.sample = samples;
	buffer_add(&file, packed, perftools__profiles__profile__pack(&pb, packed));
	return import_pprof(file.data, file.len, err);
}

#define GOOD                                                                                   \
	.function_id = 1, .line_function = 1, .location_id = 1, .sample_location = 1,          \
	.mapping_id = 1, .location_mapping = 1, .function_name = 1, .label_key = 1, .unit = 1, \
	.values = 1

#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static struct row rows[] = {
	{ "nothing wrong", GOOD },
	{ "no mapping named", GOOD, .location_mapping = 0 },
	{ "ids far apart", GOOD, .function_id = 1ull << 63, .line_function = 1ull << 63,
	  .location_id = 99, .sample_location = 99 },
	{ "function id 0", GOOD, .function_id = 0, .line_function = 0, .expect = -EBADMSG },
	{ "line of no function", GOOD, .line_function = 2, .expect = -EBADMSG },
	{ "location id 0", GOOD, .location_id = 0, .sample_location = 0, .expect = -EBADMSG },
	{ "sample of no location", GOOD, .sample_location = 1ull << 40, .expect = -EBADMSG },
	{ "mapping id 0", GOOD, .mapping_id = 0, .location_mapping = 0, .expect = -EBADMSG },
	{ "location of no mapping", GOOD, .location_mapping = 7, .expect = -EBADMSG },
	{ "name beyond the strings", GOOD, .function_name = 3, .expect = -EBADMSG },
	{ "name before the strings", GOOD, .function_name = -1, .expect = -EBADMSG },
	{ "label key beyond the strings", GOOD, .label_key = INT64_MAX, .expect = -EBADMSG },
	{ "unit beyond the strings", GOOD, .unit = 1 << 20, .expect = -EBADMSG },
	{ "no value", GOOD, .values = 0, .expect = -EBADMSG },
	{ "a value too many", GOOD, .values = 2, .expect = -EBADMSG },
	{ "ids twice", GOOD, .has_twins = 1, .expect = -EBADMSG },
	{ "string 0 is not empty", GOOD, .first_string_not_empty = 1, .expect = -EBADMSG },
};
static void expect_every_reference_is_checked(struct row *r)
{
	int err = 0;
	OWNS(profile) struct profile *p = import_row(r, &err);

	cr_expect(eq(int, err, r->expect), "%s", r->name);
	cr_expect(eq(int, p == NULL, err != 0), "%s", r->name);
}

Test(import_pprof, every_reference_is_checked)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_every_reference_is_checked(&rows[i]);
}

Test(import_pprof, another_programs_file_has_counts_and_valid_names_and_no_kinds)
{
	int err = 0;
	OWNS(profile) struct profile *p = import_row(&rows[1], &err);
	uint32_t count;

	cr_assert(p != NULL);
	const struct profile_function *function = profile_functions(p, &count);
	const struct profile_sample *sample = profile_samples(p, &count);
	cr_expect(eq(int, function->kind, PROFILE_UNKNOWN));
	cr_expect(eq(str, (char *)profile_string(p, function->name), "f\ufffd;"));
	cr_expect(eq(sz, profile_string_len(p, function->file), 5));
	cr_expect(eq(i64, sample->weight, 17));
	cr_expect(eq(u64, sample->count, 1));
}

/* A location of 4,096 lines in two kilobytes' worth of samples: 2^23 frames of 10 KB. */
Test(import_pprof, a_file_that_would_grow_without_bound_is_refused)
{
	struct buffer file OWNS(buffer) = { 0 };
	int err = 0;

	buffer_add(&file, "\x32\x00", 2);		  /* string_table: "" */
	buffer_add(&file, "\x0a\x00", 2);		  /* a sample type */
	buffer_add(&file, "\x2a\x02\x08\x01", 4);	  /* function 1 */
	buffer_add(&file, "\x22\x82\x80\x01\x08\x01", 6); /* location 1, 2 + 4096 * 4 bytes */
	for (int i = 0; i < 4096; i++)
		buffer_add(&file, "\x22\x02\x08\x01", 4); /* a line of function 1 */
	buffer_add(&file, "\x12\x86\x10\x0a\x80\x10", 6); /* a sample of 2048 locations */
	for (int i = 0; i < 2048; i++)
		buffer_add(&file, "\x01", 1);
	buffer_add(&file, "\x12\x01\x00", 3); /* a value */
	cr_expect(import_pprof(file.data, file.len, &err) == NULL);
	cr_expect(eq(int, err, -E2BIG));
}
