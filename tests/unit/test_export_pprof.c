/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-09, C-10 (no samples). */
#include "export/exporter.h"
#include "import/gunzip.h"
#include "pprof.pb-c.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

typedef Perftools__Profiles__Profile pb_profile;

static pb_profile *exported(const struct profile *p)
{
	struct buffer zipped OWNS(buffer) = { 0 }, raw OWNS(buffer) = { 0 };
	pb_profile *pb;

	test_export("pprof", p, NULL, 0, &zipped);
	cr_assert(gunzip(zipped.data, zipped.len, 1 << 30, &raw) == 0);
	pb = perftools__profiles__profile__unpack(NULL, raw.len, (uint8_t *)raw.data);
	cr_assert(pb != NULL);
	return pb;
}

static void free_pb(pb_profile *pb)
{
	perftools__profiles__profile__free_unpacked(pb, NULL);
}

static void expect_string(const pb_profile *pb, int64_t index, const char *text)
{
	const ProtobufCBinaryData *string = &pb->string_table[index];

	cr_expect(string->len == strlen(text) &&
			  (!string->len || !memcmp(string->data, text, string->len)),
		  "%.*s is not %s", (int)string->len, (char *)string->data, text);
}

Test(export_pprof, counts_come_first_and_time_is_the_default)
{
	OWNS(profile) struct profile *p = test_small_profile();
	pb_profile *pb = exported(p);

	cr_assert(eq(sz, pb->n_sample_type, 2));
	expect_string(pb, pb->sample_type[0]->type, "samples");
	expect_string(pb, pb->sample_type[0]->unit, "count");
	expect_string(pb, pb->sample_type[1]->type, "cpu");
	expect_string(pb, pb->sample_type[1]->unit, "nanoseconds");
	expect_string(pb, pb->default_sample_type, "cpu");
	expect_string(pb, pb->period_type->type, "cpu");
	cr_expect(eq(i64, pb->period, 10101010));
	cr_expect(eq(i64, pb->time_nanos, 1700000000000000000));
	cr_expect(eq(i64, pb->duration_nanos, 2000000000));
	cr_expect(eq(i64, pb->sample[0]->value[0], 2));
	cr_expect(eq(i64, pb->sample[0]->value[1], 20202020));
	free_pb(pb);
}

Test(export_pprof, a_heap_has_objects_and_space)
{
	OWNS(profile) struct profile *p = test_small_profile();
	pb_profile *pb;

	cr_assert(profile_add_string(p, "bytes", 5, &profile_about(p)->unit) == 0);
	cr_assert(profile_add_string(p, "inuse_space", 11, &profile_about(p)->weighed) == 0);
	pb = exported(p);
	cr_assert(eq(sz, pb->n_sample_type, 2));
	expect_string(pb, pb->sample_type[0]->type, "inuse_objects");
	expect_string(pb, pb->sample_type[0]->unit, "count");
	expect_string(pb, pb->sample_type[1]->type, "inuse_space");
	expect_string(pb, pb->sample_type[1]->unit, "bytes");
	expect_string(pb, pb->default_sample_type, "inuse_space");
	expect_string(pb, pb->period_type->type, "space");
	expect_string(pb, pb->period_type->unit, "bytes");
	free_pb(pb);
}

Test(export_pprof, a_location_is_a_line_of_a_function_leaf_first)
{
	OWNS(profile) struct profile *p = test_small_profile();
	pb_profile *pb = exported(p);

	cr_assert(eq(sz, pb->n_function, 3));
	cr_assert(eq(sz, pb->n_location, 4));
	expect_string(pb, pb->function[1]->name, "Work.run");
	cr_expect(eq(i64, pb->function[1]->system_name, 0)); /* or `<module>` gets lost */
	expect_string(pb, pb->function[1]->filename, "/srv/app.py");
	cr_expect(eq(i64, pb->function[1]->start_line, 10));
	cr_expect(eq(i64, pb->location[1]->line[0]->line, 12));
	cr_expect(eq(u64, pb->location[2]->line[0]->function_id, pb->function[1]->id));
	cr_assert(eq(sz, pb->sample[0]->n_location_id, 2));
	cr_expect(eq(u64, pb->sample[0]->location_id[0], pb->location[1]->id));
	cr_expect(eq(u64, pb->sample[0]->location_id[1], pb->location[0]->id));
	free_pb(pb);
}

Test(export_pprof, the_kind_is_the_mapping)
{
	OWNS(profile) struct profile *p = test_small_profile();
	pb_profile *pb = exported(p);

	cr_assert(eq(sz, pb->n_mapping, 2));
	expect_string(pb, pb->mapping[0]->filename, "[python]");
	expect_string(pb, pb->mapping[1]->filename, "[native]");
	cr_expect(pb->mapping[0]->has_functions && pb->mapping[1]->has_functions);
	cr_expect(eq(u64, pb->location[0]->mapping_id, pb->mapping[0]->id));
	cr_expect(eq(u64, pb->location[3]->mapping_id, pb->mapping[1]->id));
	free_pb(pb);
}

Test(export_pprof, an_empty_profile_has_types_and_no_rows)
{
	OWNS(profile) struct profile *p = profile_new();
	pb_profile *pb = exported(p);

	cr_expect(eq(sz, pb->n_sample_type, 2));
	cr_expect(eq(sz, pb->n_sample + pb->n_location + pb->n_function + pb->n_mapping, 0));
	expect_string(pb, 0, "");
	free_pb(pb);
}

Test(export_pprof, every_exporter_is_found_by_its_name)
{
	unsigned int i = 0;

	for (; exporter_at(i); i++)
		cr_expect(exporter_find(exporter_at(i)->name) == exporter_at(i));
	cr_expect(eq(uint, i, 5));
	cr_expect(exporter_find("nonsense") == NULL);
}
