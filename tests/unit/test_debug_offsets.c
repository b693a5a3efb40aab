/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of real builds (tests/data/debug_offsets), and what is made of damaged ones. */
#include "python/debug_offsets.h"

#include "python/pylayout.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FOLDER SPPROF_SOURCE_DIR "/tests/data/debug_offsets/"

struct table {
	uint8_t bytes[PYLAYOUT_DEBUG_OFFSETS_BYTES];
	size_t len;
};

/* What is the same in all of them. */
#define SINCE_3_13                                                                              \
	.tstate_prev = 0, .tstate_next = 8, .tstate_interp = 16, .tstate_cframe = SP_NO_FIELD,  \
	.tstate_current_frame = 72, .cframe_current_frame = SP_NO_FIELD, .frame_executable = 0, \
	.frame_previous = 8, .frame_instr = 56, .frame_tlbc_index = SP_NO_FIELD,                \
	.code_tlbc = SP_NO_FIELD, .unicode_kind = 2, .owner_shim = 3

/* Objects begin with 16 bytes, in free-threaded builds with 32. */
#define WITH_GIL                                                                                   \
	.code_firstlineno = 68, .code_filename = 112, .code_qualname = 128, .code_linetable = 136, \
	.code_version = 92, .object_type = 8, .var_size = 16, .bytes_data = 32,                    \
	.unicode_length = 16, .unicode_state = 32, .ascii_size = 40, .compact_size = 56
#define FREE_THREADED                                                                              \
	.code_firstlineno = 84, .code_filename = 128, .code_qualname = 144, .code_linetable = 152, \
	.code_version = 108, .object_type = 24, .var_size = 32, .bytes_data = 48,                  \
	.unicode_length = 32, .unicode_state = 48, .ascii_size = 56, .compact_size = 72,           \
	.is_free_threaded = 1

/* tests/tools/test_pylayout.py finds the same in the memory of these builds. */
static const struct build {
	const char *file;
	unsigned int minor;
	bool is_free_threaded;
	size_t read_bytes; /* of the table; what follows is not looked at */
	struct sp_pylayout at;
} builds[] = {
	{
		.file = "3.13.bin",
		.minor = 13,
		.read_bytes = 568,
		.at = { SINCE_3_13, WITH_GIL, .version = 0x030d05f0,
			.runtime_interpreters_head = 632, .interp_threads_head = 7344,
			.tstate_thread_id = 152, .tstate_native_thread_id = 160,
			.tstate_datastack_chunk = 232, .frame_owner = 70, .code_bytecode = 200 },
	},
	{
		.file = "3.14.bin",
		.minor = 14,
		.read_bytes = 648,
		.at = { SINCE_3_13, WITH_GIL, .version = 0x030e0af0,
			.runtime_interpreters_head = 808, .interp_threads_head = 7344,
			.interp_code_generation = 7992, .tstate_thread_id = 152,
			.tstate_native_thread_id = 160, .tstate_datastack_chunk = 232,
			.frame_owner = 74, .code_bytecode = 208 },
	},
	{
		.file = "3.15.bin",
		.minor = 15,
		.read_bytes = 752,
		.at = { SINCE_3_13, WITH_GIL, .version = 0x030f02f0,
			.runtime_interpreters_head = 936, .runtime_autotsskey = SP_NO_KEY,
			.interp_threads_head = 7336, .interp_code_generation = 7944,
			.tstate_thread_id = 176, .tstate_native_thread_id = 184,
			.tstate_datastack_chunk = 256, .frame_owner = 74, .code_bytecode = 208 },
	},
	{
		.file = "3.13t.bin",
		.minor = 13,
		.is_free_threaded = true,
		.read_bytes = 568,
		.at = { SINCE_3_13, FREE_THREADED, .version = 0x030d05f0,
			.runtime_interpreters_head = 632, .interp_threads_head = 7344,
			.tstate_thread_id = 152, .tstate_native_thread_id = 160,
			.tstate_datastack_chunk = 232, .frame_owner = 70, .code_bytecode = 216 },
	},
};
#define BUILDS (sizeof(builds) / sizeof(*builds))

static struct table table_of(const struct build *b)
{
	struct table t = { .len = 0 };
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), FOLDER "%s", b->file);
	f = fopen(path, "rb");
	cr_assert(f != NULL, "%s", path);
	t.len = fread(t.bytes, 1, sizeof(t.bytes), f);
	fclose(f);
	return t;
}

static void put(struct table *t, size_t place, uint64_t value)
{
	memcpy(t->bytes + place, &value, sizeof(value));
}

static int read_table(const struct table *t, unsigned int minor, struct sp_pylayout *out)
{
	return debug_offsets_read(t->bytes, t->len, minor, out);
}

Test(debug_offsets, head_of_a_real_table_tells_version_and_build)
{
	for (size_t i = 0; i < BUILDS; i++) {
		struct table t = table_of(&builds[i]);
		struct debug_offsets_head head;

		cr_assert(eq(int, debug_offsets_head(t.bytes, t.len, &head), 0));
		cr_expect(eq(u32, head.version, builds[i].at.version));
		cr_expect(eq(int, head.is_free_threaded, builds[i].is_free_threaded));
	}
}

Test(debug_offsets, layout_of_a_real_build_is_what_its_headers_say)
{
	for (size_t i = 0; i < BUILDS; i++) {
		struct table t = table_of(&builds[i]);
		struct sp_pylayout at;
		const char *why = "";
		int err = pylayout_find(0, t.bytes, t.len, &at, &why);

		cr_assert(eq(int, err, 0), "%s: %s", builds[i].file, why);
		cr_expect(eq(int, memcmp(&at, &builds[i].at, sizeof(at)), 0), "%s", builds[i].file);
	}
}

Test(debug_offsets, table_cut_short_is_refused)
{
	for (size_t i = 0; i < BUILDS; i++) {
		struct table t = table_of(&builds[i]);
		struct sp_pylayout at;

		t.len = builds[i].read_bytes;
		cr_expect(eq(int, read_table(&t, builds[i].minor, &at), 0));
		for (t.len = 0; t.len < builds[i].read_bytes; t.len++)
			cr_assert(eq(int, read_table(&t, builds[i].minor, &at), -EBADMSG),
				  "%s: %zu bytes", builds[i].file, t.len);
	}
}

/* Which words of 3.14's table, with the GIL, a layout is made of, each 8 bytes from @first to @last. */
static const struct range {
	size_t first, last;
} used_3_14[] = {
	{ 40, 40 },   { 72, 72 },   { 160, 160 }, { 184, 232 }, { 256, 272 }, { 288, 288 },
	{ 320, 320 }, { 336, 352 }, { 384, 384 }, { 408, 408 }, { 600, 608 }, { 624, 640 },
};

static bool is_used(size_t place)
{
	for (size_t i = 0; i < sizeof(used_3_14) / sizeof(*used_3_14); i++)
		if (place >= used_3_14[i].first && place <= used_3_14[i].last)
			return true;
	return false;
}

Test(debug_offsets, offset_that_does_not_fit_is_refused_wherever_it_is_used)
{
	const struct build *b = &builds[1];
	struct sp_pylayout at;

	for (size_t place = 24; place < 760; place += 8) {
		struct table t = table_of(b);

		put(&t, place, UINT64_MAX);
		cr_expect(eq(int, read_table(&t, b->minor, &at), is_used(place) ? -EBADMSG : 0),
			  "byte %zu", place);
	}
}

Test(debug_offsets, places_of_copies_are_used_in_free_threaded_builds_only)
{
	static const size_t places[] = { 168, 304, 392 }; /* tlbc_generation, tlbc_index, co_tlbc */
	const struct build *b = &builds[1];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct table t = table_of(b);
		struct sp_pylayout at;

		put(&t, 16, 1);
		cr_expect(eq(int, read_table(&t, b->minor, &at), 0));
		put(&t, places[i], UINT64_MAX);
		cr_expect(eq(int, read_table(&t, b->minor, &at), -EBADMSG), "%zu", places[i]);
	}
}

Test(debug_offsets, no_offset_means_none)
{
	struct table t = table_of(&builds[0]);
	struct sp_pylayout at;

	put(&t, 184, SP_NO_FIELD); /* thread_state.current_frame */
	cr_expect(eq(int, read_table(&t, 13, &at), -EBADMSG));
	put(&t, 184, SP_NO_FIELD - 1);
	cr_assert(eq(int, read_table(&t, 13, &at), 0));
	cr_expect(eq(u16, at.tstate_current_frame, SP_NO_FIELD - 1));
}

Test(debug_offsets, size_of_wide_text_is_the_table_s_from_3_15)
{
	struct table t = table_of(&builds[2]);
	struct sp_pylayout at;

	put(&t, 744, 64);
	cr_assert(eq(int, read_table(&t, 15, &at), 0));
	cr_expect(eq(u16, at.compact_size, 64));
}

Test(debug_offsets, no_table_is_known_before_3_13_and_after_3_15)
{
	struct table t = table_of(&builds[2]);
	struct sp_pylayout at;

	for (unsigned int minor = 0; minor < 256; minor++)
		if (minor < 13 || minor > 15)
			cr_expect(eq(int, read_table(&t, minor, &at), -ENOTSUP), "%u", minor);
}

Test(debug_offsets, what_is_refused_leaves_the_layout_alone)
{
	static const struct sp_pylayout untouched;
	struct table t = table_of(&builds[0]);
	struct sp_pylayout at = { 0 };

	cr_expect(eq(int, read_table(&t, 12, &at), -ENOTSUP));
	put(&t, 560, 1ull << 32);
	cr_expect(eq(int, read_table(&t, 13, &at), -EBADMSG));
	cr_expect(eq(int, memcmp(&at, &untouched, sizeof(at)), 0));
}

static const struct bad_head {
	const char *name;
	size_t place;
	uint64_t value;
} bad_heads[] = {
	{ "another cookie", 0, 0x7970677562656479 },
	{ "a version of more than 32 bits", 8, 1ull << 32 | 0x030d05f0 },
	{ "neither free-threaded nor not", 16, 2 },
};

Test(debug_offsets, what_is_no_table_is_not_there)
{
	struct debug_offsets_head head = { .version = 1 };

	for (size_t i = 0; i < sizeof(bad_heads) / sizeof(*bad_heads); i++) {
		struct table t = table_of(&builds[0]);

		put(&t, bad_heads[i].place, bad_heads[i].value);
		cr_expect(eq(int, debug_offsets_head(t.bytes, t.len, &head), -ENOENT), "%s",
			  bad_heads[i].name);
	}
	for (size_t len = 0; len < 24; len++) {
		struct table t = table_of(&builds[0]);

		cr_expect(eq(int, debug_offsets_head(t.bytes, len, &head), -ENOENT), "%zu", len);
	}
	cr_expect(eq(u32, head.version, 1)); /* untouched */
}
