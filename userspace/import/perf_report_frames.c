/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of a perf report, as frames. */
#include "import/names.h"
#include "import/perf_report_reader.h"

#define INLINED " (inlined)"

static bool is_hex(char c)
{
	return perf_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Where perf found no symbol, it prints `0x1f`, and 0 as `0`, or as 16 zeros in entries. */
static bool is_address(const char *text, size_t len)
{
	size_t at = len > 2 && text[0] == '0' && text[1] == 'x' ? 2 : 0;

	if (!at && !(len == 1 || len == 16))
		return false;
	for (size_t i = at; i < len; i++)
		if (at ? !is_hex(text[i]) : text[i] != '0')
			return false;
	return len > at;
}

int report_low_bits(struct perf_text symbol)
{
	int bits = 0;

	if (!is_address(symbol.text, symbol.len))
		return -1;
	for (size_t i = symbol.len > 3 ? symbol.len - 3 : 0; i < symbol.len; i++) {
		char c = symbol.text[i];

		bits = bits << 4 | (perf_is_digit(c) ? c - '0' : is_hex(c) ? c - 'a' + 10 : 0);
	}
	return bits;
}

static int add_frame(struct report_reader *r, struct perf_text symbol, profile_id *frame)
{
	/* A line does not tell whose the function is: it may be the kernel's as well. */
	struct profile_function f = { .kind = PROFILE_NATIVE };
	int err = names_add(r->profile, symbol.text, symbol.len, &f.name);

	if (is_address(symbol.text, symbol.len))
		f.kind = PROFILE_UNKNOWN;
	return err ? err : names_add_frame(r->profile, &f, 0, frame);
}

int report_find_frame(struct report_reader *r, struct perf_text symbol, profile_id *frame,
		      bool *is_inlined)
{
	static const size_t mark = sizeof(INLINED) - 1;
	uint64_t hash = text_cache_hash(&r->names, symbol.text, symbol.len);
	uint32_t number = text_cache_find(&r->names, symbol.text, symbol.len, hash);
	struct perf_text name = symbol;
	int err;

	if (number != UINT32_MAX) {
		*frame = number >> 1;
		*is_inlined = number & 1;
		return 0;
	}
	*is_inlined =
		symbol.len > mark && memcmp(symbol.text + symbol.len - mark, INLINED, mark) == 0;
	if (*is_inlined)
		name.len -= mark;
	err = add_frame(r, name, frame);
	if (!err && *frame > UINT32_MAX >> 2)
		err = -E2BIG;
	return err ? err
		   : text_cache_add(&r->names, symbol.text, symbol.len, hash,
				    *frame << 1 | *is_inlined);
}
