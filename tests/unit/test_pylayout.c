/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layout a version or a table of debug offsets leads to, and what is refused. Whether
 * the numbers are CPython's: tests/tools/test_pylayout.py.
 */
#include "python/pylayout.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define HEX(minor, micro, level) (0x03000000u | (minor) << 16 | (micro) << 8 | (level))
#define FINAL 0xf0
#define BETA_1 0xb1
#define TABLE_BYTES 584 /* of 3.13, the shortest */

/* 3.13.5's table, as its build has it: words from the start of _PyRuntime. */
static const uint64_t words_3_13[TABLE_BYTES / 8] = {
	0,	0x030d05f0, 0,				  /* cookie, version, free_threaded */
	283376, 608,	    632,			  /* runtime_state */
	194976, 7272,	    7264, 7344, 7400, 7656, 7640, /* interpreter_state: … */
	7648,	16,	    7752, 0,	7768, 7760,	  /* … */
	304,	0,	    8,	  16,	72,   152,  160,  232, 32,	 /* thread_state */
	80,	8,	    0,	  56,	72,   70,			 /* interpreter_frame */
	208,	112,	    120,  128,	136,  68,   52,	  96,  104, 200, /* code_object */
	16,	8,							 /* pyobject */
	416,	24,	    88,	  168,					 /* type_object */
	32,	24,	    16,						 /* tuple_object */
	40,	24,	    16,						 /* list_object */
	48,	32,	    40,						 /* dict_object */
	24,	16,							 /* float_object */
	32,	16,	    24,						 /* long_object */
	40,	16,	    32,						 /* bytes_object */
	64,	32,	    16,	  40,					 /* unicode_object */
	240,	200,							 /* gc */
};

/* Indexes into it. */
enum word {
	VERSION = 1,
	FREE_THREADED = 2,
	INTERPRETERS_HEAD = 5,
	CURRENT_FRAME = 23,
	OWNER = 33,
	QUALNAME = 37,
	ASCII_SIZE = 70,
};

struct table {
	uint64_t words[PYLAYOUT_DEBUG_OFFSETS_BYTES / 8];
};

static struct table table_3_13(void)
{
	struct table t = { 0 };

	memcpy(t.words, words_3_13, sizeof(words_3_13));
	memcpy(t.words, "xdebugpy", 8);
	return t;
}

static int find_in(const struct table *t, size_t len, struct sp_pylayout *out, const char **why)
{
	return pylayout_find(0, (const uint8_t *)t->words, len, out, why);
}

static struct sp_pylayout layout_of(uint32_t version)
{
	struct sp_pylayout at = { 0 };
	const char *why = NULL;

	cr_assert(eq(int, pylayout_find(version, NULL, 0, &at, &why), 0), "%s", why);
	return at;
}

Test(pylayout, rows_have_one_layout_for_all_patch_releases)
{
	struct sp_pylayout first = layout_of(HEX(11, 0, FINAL)),
			   last = layout_of(HEX(11, 15, FINAL));

	cr_expect(eq(u32, last.version, HEX(11, 15, FINAL)));
	last.version = first.version;
	cr_expect(eq(int, memcmp(&first, &last, sizeof(first)), 0));
}

Test(pylayout, only_3_11_has_no_shim_frames_and_no_co_version)
{
	struct sp_pylayout old = layout_of(HEX(11, 2, FINAL)), newer = layout_of(HEX(12, 1, FINAL));

	cr_expect(eq(u16, old.frame_owner, SP_NO_FIELD));
	cr_expect(eq(u32, old.owner_shim, SP_OWNER_NONE));
	cr_expect(eq(u16, old.code_version, SP_NO_FIELD));
	cr_expect(eq(u16, newer.frame_owner, 70));
	cr_expect(eq(u32, newer.owner_shim, 3));
	cr_expect(eq(u16, newer.code_version, 92));
}

Test(pylayout, a_table_is_taken_at_its_word)
{
	struct table t = table_3_13();
	struct sp_pylayout at = { 0 };
	const char *why = NULL;

	cr_assert(eq(int, find_in(&t, TABLE_BYTES, &at, &why), 0), "%s", why);
	cr_expect(eq(u32, at.version, HEX(13, 5, FINAL)));
	cr_expect(eq(u32, at.runtime_interpreters_head, 632));
	cr_expect(eq(u32, at.runtime_autotsskey, 0)); /* to be searched for */
	cr_expect(eq(u32, at.interp_threads_head, 7344));
	cr_expect(eq(u16, at.tstate_cframe, SP_NO_FIELD));
	cr_expect(eq(u16, at.cframe_current_frame, SP_NO_FIELD));
	cr_expect(eq(u16, at.tstate_current_frame, 72));
	cr_expect(eq(u16, at.frame_owner, 70));
	cr_expect(eq(u16, at.code_qualname, 128));
	cr_expect(eq(u16, at.compact_size, 56));
	cr_expect(eq(u32, at.owner_shim, 3));

	t.words[CURRENT_FRAME] = 80;
	t.words[INTERPRETERS_HEAD] = 640;
	cr_assert(eq(int, find_in(&t, TABLE_BYTES, &at, &why), 0));
	cr_expect(eq(u16, at.tstate_current_frame, 80));
	cr_expect(eq(u32, at.runtime_interpreters_head, 640));
}

Test(pylayout, the_table_s_version_counts_and_not_the_file_s)
{
	struct table t = table_3_13();
	struct sp_pylayout at;
	const char *why;

	cr_assert(
		eq(int,
		   pylayout_find(HEX(11, 2, FINAL), (const uint8_t *)t.words, sizeof(t), &at, &why),
		   0));
	cr_expect(eq(u32, at.version, HEX(13, 5, FINAL)));
}

/*
 * A table does not say which shape it has: that of a newer version may be read as if it had ours,
 * word for word, and mean something else. Nothing proves that it does not.
 */
Test(pylayout, a_newer_version_is_refused_though_its_table_looks_like_one_we_know)
{
	struct table t = table_3_13();
	struct sp_pylayout at;
	const char *why = NULL;

	t.words[VERSION] = HEX(16, 0, FINAL);
	cr_expect(eq(int, find_in(&t, sizeof(t), &at, &why), -ENOTSUP));
	cr_expect(strstr(why, "Python 3.16 is newer than 3.15") != NULL, "%s", why);
}

/* The table that a process carries decides, whatever number its file has. */
Test(pylayout, a_newer_file_with_a_table_that_we_know_is_read_by_it)
{
	struct table t = table_3_13();
	struct sp_pylayout at;
	const char *why;
	int err = pylayout_find(HEX(16, 0, FINAL), (const uint8_t *)t.words, sizeof(t), &at, &why);

	cr_assert(eq(int, err, 0));
	cr_expect(eq(u32, at.version, HEX(13, 5, FINAL)));
}

Test(pylayout, free_threaded_pre_releases_are_refused_too)
{
	struct table t = table_3_13();
	struct sp_pylayout at;
	const char *why = NULL;

	t.words[FREE_THREADED] = 1;
	t.words[VERSION] = HEX(14, 0, BETA_1);
	cr_expect(eq(int, find_in(&t, sizeof(t), &at, &why), -ENOTSUP));
	cr_expect(strstr(why, "pre-releases") != NULL, "%s", why);
}

static const struct refused {
	uint32_t version;
	const char *why;
} refused[] = {
	{ 0, "older than Python 3.8" },
	{ HEX(7, 16, FINAL), "before 3.8" },
	{ HEX(8, 0, BETA_1), "pre-releases" },
	{ HEX(16, 0, FINAL), "Python 3.16 is newer" },
	{ HEX(255, 0, FINAL), "newer than Python 3.15" },
	{ 0x02071200, "only Python 3" },
	{ 0x040000f0, "only Python 3" },
	{ HEX(12, 0, BETA_1), "pre-releases" },
	{ HEX(12, 0, 0xc1), "pre-releases" },
	{ HEX(13, 0, FINAL), "does not fit" }, /* it has a table */
};

Test(pylayout, what_has_no_layout_is_refused_with_a_reason)
{
	static const struct sp_pylayout untouched;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct sp_pylayout at = { 0 };
		const char *why = "";
		int err = pylayout_find(refused[i].version, NULL, 0, &at, &why);

		cr_expect(eq(int, err, -ENOTSUP), "%#x", refused[i].version);
		cr_expect(strstr(why, refused[i].why) != NULL, "%#x: %s", refused[i].version, why);
		cr_expect(eq(int, memcmp(&at, &untouched, sizeof(at)), 0));
	}
}

static const struct bad_table {
	const char *name;
	enum word word;
	uint64_t value;
	int err;
} bad_tables[] = {
	{ "neither free-threaded nor not", FREE_THREADED, 2, -ENOTSUP },
	{ "a pre-release", VERSION, HEX(14, 0, BETA_1), -ENOTSUP },
	{ "newer than we know", VERSION, HEX(16, 0, FINAL), -ENOTSUP },
	{ "of a version that has none", VERSION, HEX(12, 0, FINAL), -ENOTSUP },
	{ "no version", VERSION, 1ull << 32, -ENOTSUP },
	{ "an offset beyond 16 bits", QUALNAME, (1 << 16) + 128, -EBADMSG },
	{ "an offset that wraps", QUALNAME, UINT64_MAX, -EBADMSG },
	{ "an offset that means none", CURRENT_FRAME, SP_NO_FIELD, -EBADMSG },
	{ "a field beyond the thread state's copy", CURRENT_FRAME, SP_TSTATE_BYTES, -EBADMSG },
	{ "a field beyond the frame's copy", OWNER, SP_IFRAME_BYTES, -EBADMSG },
	{ "neighbours apart", QUALNAME, 136, -EBADMSG },
	{ "a pointer that is not aligned", CURRENT_FRAME, 76, -EBADMSG },
	{ "text before the state word", ASCII_SIZE, 32, -EBADMSG },
	{ "a size that wraps", ASCII_SIZE, 65528, -EBADMSG },
	{ "a runtime without an end", INTERPRETERS_HEAD, 1ull << 40, -EBADMSG },
};

Test(pylayout, a_table_that_cannot_be_right_is_refused)
{
	for (size_t i = 0; i < sizeof(bad_tables) / sizeof(bad_tables[0]); i++) {
		const struct bad_table *bad = &bad_tables[i];
		struct table t = table_3_13();
		struct sp_pylayout at;
		const char *why = NULL;

		t.words[bad->word] = bad->value;
		cr_expect(eq(int, find_in(&t, sizeof(t), &at, &why), bad->err), "%s", bad->name);
		cr_expect(why != NULL, "%s", bad->name);
	}
}

Test(pylayout, a_cut_table_is_refused)
{
	struct table t = table_3_13();
	struct sp_pylayout at;
	const char *why = NULL;

	for (size_t len = 0; len < 71 * 8; len++) /* gc, behind, is not read */
		cr_assert(lt(int, find_in(&t, len, &at, &why), 0), "%zu bytes", len);
	cr_expect(eq(int, find_in(&t, 71 * 8, &at, &why), 0));
}

/* 3.11's layout, with one thing changed at a time. */
#define REFUSES(field, value)                                                       \
	do {                                                                        \
		struct sp_pylayout at = layout_of(HEX(11, 2, FINAL));               \
                                                                                    \
		cr_assert(eq(int, pylayout_validate(&at), 0));                      \
		at.field = value;                                                   \
		cr_expect(eq(int, pylayout_validate(&at), -EBADMSG), "%s", #field); \
	} while (0)

Test(pylayout, no_pointer_lies_between_words)
{
	REFUSES(runtime_interpreters_head, 44);
	REFUSES(runtime_autotsskey, 593);
	REFUSES(interp_threads_head, 20);
	REFUSES(interp_code_generation, 4);
	REFUSES(tstate_prev, 4);
	REFUSES(tstate_next, 12);
	REFUSES(tstate_interp, 20);
	REFUSES(tstate_cframe, 60);
	REFUSES(tstate_thread_id, 156);
	REFUSES(tstate_native_thread_id, 164);
	REFUSES(tstate_datastack_chunk, 292);
	REFUSES(cframe_current_frame, 12);
	REFUSES(frame_executable, 36);
	REFUSES(frame_previous, 44);
	REFUSES(frame_instr, 60);
	REFUSES(code_firstlineno, 74);
	REFUSES(code_bytecode, 188);
	REFUSES(object_type, 12);
	REFUSES(var_size, 20);
	REFUSES(bytes_data, 36);
	REFUSES(unicode_length, 20);
	REFUSES(unicode_state, 36);
	REFUSES(unicode_kind, 3);
}

Test(pylayout, every_field_lies_in_what_is_copied)
{
	REFUSES(tstate_prev, SP_TSTATE_BYTES);
	REFUSES(tstate_next, SP_TSTATE_BYTES);
	REFUSES(tstate_interp, SP_TSTATE_BYTES);
	REFUSES(tstate_cframe, SP_TSTATE_BYTES);
	REFUSES(tstate_thread_id, SP_TSTATE_BYTES);
	REFUSES(tstate_native_thread_id, SP_TSTATE_BYTES);
	REFUSES(tstate_datastack_chunk, SP_TSTATE_BYTES);
	REFUSES(frame_executable, SP_IFRAME_BYTES);
	REFUSES(frame_previous, SP_IFRAME_BYTES);
	REFUSES(frame_instr, SP_IFRAME_BYTES);
	REFUSES(frame_owner, SP_IFRAME_BYTES);
}

Test(pylayout, neighbours_are_neighbours)
{
	REFUSES(code_filename, 104);
	REFUSES(code_qualname, 136);
	REFUSES(code_linetable, 144);
	REFUSES(code_firstlineno, 112); /* it comes before co_filename */
	REFUSES(code_firstlineno, 8);	/* the identity block grows too long */
	REFUSES(code_bytecode, 128);
	REFUSES(ascii_size, 40);
	REFUSES(compact_size, 64);
	REFUSES(unicode_state, 16);
	REFUSES(bytes_data, 16);
	REFUSES(owner_shim, 3); /* without an owner to compare it with */
}

Test(pylayout, one_way_leads_to_the_newest_frame)
{
	REFUSES(tstate_cframe, SP_NO_FIELD);	    /* none */
	REFUSES(tstate_current_frame, 72);	    /* two */
	REFUSES(cframe_current_frame, SP_NO_FIELD); /* half of one */
	REFUSES(cframe_current_frame, 64);
}

Test(pylayout, without_cframe_there_is_no_field_of_it)
{
	struct table t = table_3_13();
	struct sp_pylayout at = { 0 };
	const char *why = NULL;

	cr_assert(eq(int, find_in(&t, TABLE_BYTES, &at, &why), 0), "%s", why);
	at.cframe_current_frame = 8;
	cr_expect(eq(int, pylayout_validate(&at), -EBADMSG));
}

/* What is right only where threads have copies of the bytecode: see test_free_threaded.c. */
Test(pylayout, what_belongs_to_copies_comes_with_them)
{
	REFUSES(code_tlbc, 176);
	REFUSES(frame_tlbc_index, 64);
	REFUSES(interp_tlbc_generation, 64);
}

Test(pylayout, next_is_not_prev)
{
	REFUSES(tstate_next, 0);
	REFUSES(tstate_prev, 8);
}

static const struct version {
	struct sp_pylayout at;
	const char *text;
} versions[] = {
	{ { .version = HEX(11, 2, FINAL) }, "3.11.2" },
	{ { .version = HEX(14, 0, 0xb1) }, "3.14.0b1" },
	{ { .version = HEX(15, 0, 0xa8) }, "3.15.0a8" },
	{ { .version = HEX(13, 0, 0xc3) }, "3.13.0rc3" },
	{ { .version = HEX(12, 13, 0x0) }, "3.12.13" },
	{ { .version = 0xffffffcf }, "255.255.255rc15" },
	{ { .version = HEX(8, 0, 0) }, "3.8" },
	{ { .version = HEX(14, 7, FINAL), .is_free_threaded = 1 }, "3.14.7t" },
	{ { .version = 0xffffffcf, .is_free_threaded = 1 }, "255.255.255rc15" },
};

Test(pylayout, a_version_is_written_as_people_write_it)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		char text[16];

		pylayout_version_text(&versions[i].at, text);
		cr_expect(eq(str, text, (char *)versions[i].text));
	}
}
