/* SPDX-License-Identifier: Apache-2.0 */
/* What `--types --json` wrote, read again; and what it cannot have written, refused. */
#include "cli/heap_input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const char heap_5[] =
	"{\"pid\":5,\"name\":\"python3\",\"python\":\"3.11.2\",\"tier\":\"scan\",\"time_ns\":"
	"1795298043193720000,\"duration_ms\":12.5,\"consistency\":0.998,\"warnings\":[\"a\"],"
	"\"coverage\":{\"live_bytes\":1000,\"explained_bytes\":900,\"unexplained_bytes\":100},"
	"\"unused\":{\"objects\":3,\"bytes\":96},\"types\":[{\"name\":\"A\\u00e9\",\"module\":"
	"\"m\",\"objects\":7,\"bytes\":448,\"more\":[{}]},{\"name\":\"int\",\"module\":"
	"\"builtins\",\"objects\":1,\"bytes\":32}],\"types_omitted\":{\"objects\":2,\"bytes\":64},"
	"\"storage\":[{\"name\":\"list items\",\"blocks\":4,\"bytes\":420,\"outside_bytes\":400}],"
	"\"size_classes\":[{\"size\":16}]}\n";

static int read_text(const char *text, uint64_t pid, struct heap_types *out, struct buffer *why)
{
	return heap_input_read(text, strlen(text), pid, out, why);
}

Test(cli_heap_input, all_that_matters_is_read)
{
	struct heap_types heap OWNS(heap_types) = { 0 };
	OWNS(buffer) struct buffer why = { 0 };

	cr_assert(read_text(heap_5, 5, &heap, &why) == 0, "%s", why.data);
	cr_assert(heap.pid == 5 && heap.time_ns == 1795298043193720000 && heap.live_bytes == 1000);
	cr_assert(!strcmp(heap.name, "python3") && !strcmp(heap.python, "3.11.2"));
	cr_assert(!strcmp(heap.tier, "scan"));
	cr_assert(heap.unused_objects == 3 && heap.unused_bytes == 96);
	cr_assert(heap.omitted_objects == 2 && heap.omitted_bytes == 64);
	cr_assert(heap.count == 3);
	cr_assert(!strcmp(heap.rows[0].name, "A\xc3\xa9") && !strcmp(heap.rows[0].module, "m"));
	cr_assert(heap.rows[0].objects == 7 && heap.rows[0].bytes == 448);
	cr_assert(!heap.rows[0].is_storage && heap.rows[2].is_storage);
	cr_assert(!strcmp(heap.rows[2].name, "list items") && !*heap.rows[2].module);
	cr_assert(heap.rows[2].objects == 4 && heap.rows[2].bytes == 420);
}

#define HEAP(pid, name)                                                                            \
	"{\"pid\":" #pid ",\"tier\":\"scan\",\"types\":[{\"name\":\"" #name "\",\"module\":\"\"}]" \
	"}"

Test(cli_heap_input, of_several_processes_the_one_asked_for_is_read)
{
	static const struct {
		const char *text;
		uint64_t pid;
		const char *name; /* of the first type; NULL: refused */
	} rows[] = {
		{ HEAP(1, A) "\n" HEAP(2, B) "\n", 1, "A" },
		{ HEAP(1, A) "\n" HEAP(2, B) "\n", 2, "B" },
		{ HEAP(1, A) "\n" HEAP(2, B) "\n", 3, NULL },
		{ HEAP(1, A), 3, "A" }, /* the only one: the caller sees whose it is */
		{ HEAP(1, A), 0, "A" },
		/* A page, with and without a heap. */
		{ "{\"pid\":4,\"name\":\"p\",\"heap\": " HEAP(4, C) ",\"lost\":{}}", 4, "C" },
		{ "{\"pid\":4,\"heap\":null,\"heap_error\":\"no\"}", 4, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct heap_types heap OWNS(heap_types) = { 0 };
		OWNS(buffer) struct buffer why = { 0 };
		int err = read_text(rows[i].text, rows[i].pid, &heap, &why);

		cr_assert(err == (rows[i].name ? 0 : -EBADMSG), "%s", rows[i].text);
		cr_assert(!rows[i].name || !strcmp(heap.rows[0].name, rows[i].name));
		cr_assert(rows[i].name || (why.len && !heap.rows), "%s", rows[i].text);
	}
}

#define AROUND(types) "{\"pid\":1,\"tier\":\"scan\",\"types\":" types "}"

Test(cli_heap_input, what_is_no_heap_is_refused_with_a_reason)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "byte 0: nothing is in it" },
		{ "[]", "byte 0: an object expected" },
		{ "{}", "byte 2: no types: write it with --types --json" },
		{ "{\"pid\":1,\"types\":[]}", "byte 20: a heap without pid or tier" },
		{ AROUND("[{}]"), "byte 34: a type without a name" },
		{ AROUND("[],\"types\":[]"), "byte 42: a second list of types in one object" },
		{ AROUND("[{\"name\":\"a\",\"objects\":-1}]"),
		  "byte 56: not a whole number from 0 on" },
		{ AROUND("[{\"name\":\"a\",\"objects\":1.5}]"),
		  "byte 57: not a whole number from 0 on" },
		{ AROUND("[{\"name\":\"a\",\"bytes\":35184372088833}]"),
		  "byte 66: larger than that can be" },
		{ AROUND("[{\"name\":\"a\",\"bytes\":1e300}]"),
		  "byte 57: not a whole number from 0 on" },
		{ AROUND("[{\"name\":7}]"), "byte 40: a string expected" },
		{ AROUND("[{\"name\":\"a\"}"), "byte 44: `,` or `]` expected" },
		{ AROUND("[") "x", "byte 32: an object expected" },
		{ "{\"pid\":4294967296}", "byte 17: larger than that can be" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct heap_types heap OWNS(heap_types) = { 0 };
		OWNS(buffer) struct buffer why = { 0 };

		cr_expect(read_text(rows[i].text, 1, &heap, &why) == -EBADMSG, "%s", rows[i].text);
		cr_expect(!strcmp(why.data, rows[i].why), "%s: %s", rows[i].text, why.data);
		cr_expect(heap.rows == NULL, "outputs are untouched on failure");
	}
}

Test(cli_heap_input, every_cut_of_a_file_is_refused)
{
	for (size_t len = 0; len + 2 < sizeof(heap_5); len++) {
		struct heap_types heap OWNS(heap_types) = { 0 };
		OWNS(buffer) struct buffer why = { 0 };

		cr_assert(heap_input_read(heap_5, len, 5, &heap, &why) == -EBADMSG, "%zu", len);
		cr_assert(why.len > 0);
	}
}

Test(cli_heap_input, names_are_bounded)
{
	for (size_t more = 0; more < 2; more++) {
		struct heap_types heap OWNS(heap_types) = { 0 };
		OWNS(buffer) struct buffer why = { 0 }, text = { 0 };
		int err;

		buffer_add_text(&text, "{\"pid\":1,\"tier\":\"scan\",\"types\":[{\"name\":\"");
		for (size_t i = 0; i < HEAP_INPUT_MOST_NAME + more; i++)
			buffer_add_text(&text, "n");
		buffer_add_text(&text, "\"}]}");
		err = read_text(text.data, 1, &heap, &why);
		cr_assert(err == (more ? -EBADMSG : 0), "%s", why.data);
	}
}

Test(cli_heap_input, types_are_bounded)
{
	struct heap_types heap OWNS(heap_types) = { 0 };
	OWNS(buffer) struct buffer why = { 0 }, text = { 0 };

	buffer_add_text(&text, "{\"pid\":1,\"tier\":\"scan\",\"types\":[");
	for (uint32_t i = 0; i <= HEAP_INPUT_MOST_TYPES; i++)
		buffer_add_text(&text, i ? ",{\"name\":\"\"}" : "{\"name\":\"\"}");
	buffer_add_text(&text, "]}");
	cr_assert(read_text(text.data, 1, &heap, &why) == -EBADMSG);
	cr_assert(strstr(why.data, "more types than") != NULL, "%s", why.data);
}
