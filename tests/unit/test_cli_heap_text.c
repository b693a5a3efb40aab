/* SPDX-License-Identifier: Apache-2.0 */
/* The heap as text, compared byte for byte with the files of tests/golden/heap/. */
#include "cli/amount.h"
#include "cli/heap_text.h"

#include "golden.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAP                                                                                       \
	"{\"pid\":1234,\"name\":\"python3\",\"python\":\"3.11.2\",\"tier\":\"scan\",\"time_ns\":"  \
	"1795298043193720000,\"duration_ms\":212.4,\"allocator\":\"pymalloc\",\"warnings\":["      \
	"\"debug hooks are on\",\"odd \\u001b[31m\"],\"scanned_bytes\":8388608,\"rss_bytes\":"     \
	"36175872,\"consistency\":0.998,\"coverage\":{\"live_bytes\":6291456,\"explained_bytes\":" \
	"6100000,\"unexplained_bytes\":191456},\"arenas\":{\"count\":8,\"bytes\":8388608,"         \
	"\"live_bytes\":6000000,\"free_bytes\":2388608,\"fragmentation\":0.2847},\"pools\":{"      \
	"\"count\":512,\"changed\":1,\"unreadable\":2,\"damaged\":3},\"unused\":{\"objects\":10,"  \
	"\"bytes\":640},\"outside\":{\"anon_bytes\":21495808,\"other_bytes\":13107200},\"types\":" \
	"["                                                                                        \
	"{\"name\":\"Widget\",\"module\":\"app.models\",\"objects\":40000,\"bytes\":2560000},"     \
	"{\"name\":\"str\",\"module\":\"builtins\",\"objects\":30000,\"bytes\":2100000},"          \
	"{\"name\":\"\\u202ered\",\"module\":\"\\u001bm\",\"objects\":1,\"bytes\":32}],"           \
	"\"types_omitted\":{\"objects\":7,\"bytes\":448},\"storage\":[{\"name\":\"list items\","   \
	"\"blocks\":100,\"bytes\":1400000,\"outside_bytes\":291456},{\"name\":\"set tables\","     \
	"\"blocks\":0,\"bytes\":0,\"outside_bytes\":0}],\"size_classes\":[]}"

static const struct row {
	const char *golden, *json;
	void (*add)(const json_t *json, struct buffer *out);
} rows[] = {
	{ "heap/heap.txt", HEAP, heap_text_add },
	{ "heap/types.txt", HEAP, heap_text_add_types },
	{ "heap/part.txt",
	  "{\"pid\":1234,\"memory\":{\"rss_file_bytes\":14680064,\"rss_shmem_bytes\":0},"
	  "\"heap\":" HEAP "}",
	  heap_text_add_part },
	{ "heap/not_scanned.txt",
	  "{\"pid\":1234,\"heap\":null,\"heap_error\":\"PYTHONMALLOC=malloc: there is no heap\"}",
	  heap_text_add_part },
	{ "heap/nothing_known.txt", "{}", heap_text_add },
	{ "heap/odd_types.txt",
	  "{\"pid\":\"x\",\"types\":[3,{\"name\":7,\"objects\":\"1\",\"bytes\":-5}],\"warnings\":{}"
	  ","
	  "\"coverage\":[1],\"arenas\":3,\"pools\":null,\"outside\":{\"anon_bytes\":1,"
	  "\"other_bytes\":2},\"storage\":{\"a\":1}}",
	  heap_text_add },
};

Test(cli_heap_text, heaps_are_laid_out)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer out = { 0 };
		json_t *json = json_loads(rows[i].json, 0, NULL);

		cr_assert(json != NULL, "%s", rows[i].golden);
		rows[i].add(json, &out);
		cr_assert(buffer_error(&out) == 0);
		expect_golden(rows[i].golden, out.data, out.len);
		json_decref(json);
	}
}

Test(cli_heap_text, a_page_has_fifteen_types_and_a_table_has_all)
{
	OWNS(buffer) struct buffer part = { 0 }, all = { 0 };
	json_t *heap = json_object(), *types = json_array();

	for (int i = 0; i < 40; i++)
		json_array_append_new(types, json_pack("{sssssisi}", "name", "T", "module", "m",
						       "objects", 1, "bytes", 16));
	json_object_set_new(heap, "types", types);
	heap_text_add(heap, &part);
	heap_text_add_types(heap, &all);
	cr_assert(strstr(part.data, "\n        ... and 25 more\n") != NULL, "%s", part.data);
	cr_assert(strstr(all.data, "more") == NULL, "%s", all.data);
	json_decref(heap);
}

Test(cli_heap_text, bytes_have_the_unit_that_fits)
{
	static const struct {
		double bytes;
		const char *text, *change;
	} amounts[] = { { 0, "0 B", "0 B" },
			{ 1, "1 B", "+1 B" },
			{ -0.4, "0 B", "0 B" },
			{ 0.6, "1 B", "+1 B" },
			{ 1023, "1023 B", "+1023 B" },
			{ 1023.6, "1.0 KiB", "+1.0 KiB" },
			{ 1024, "1.0 KiB", "+1.0 KiB" },
			{ 1048525, "1.0 MiB", "+1.0 MiB" },
			{ 1536, "1.5 KiB", "+1.5 KiB" },
			{ -5e6, "-4.8 MiB", "-4.8 MiB" },
			{ 0x1p63, "8192.0 PiB", "+8192.0 PiB" } };

	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		char text[AMOUNT_ROOM], change[AMOUNT_ROOM];

		amount_bytes(amounts[i].bytes, text);
		amount_change(amounts[i].bytes, change);
		cr_expect(!strcmp(text, amounts[i].text), "%s", text);
		cr_expect(!strcmp(change, amounts[i].change), "%s", change);
	}
}
