/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PY_VERSION ("3.10.13", "3.10.0rc2", "3.10.13+") ends with a zero byte, but need not begin
 * behind one: a linker lets a text serve as the end of a longer one.
 */
#include "native/elf_version.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FINAL 0xf0
#define MOST_DIGITS 3

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 0 to 255 at *@at, which moves behind it; -1 if there is none. */
static int take_number(const char **at, const char *end)
{
	int value = 0, digits = 0;

	for (; *at < end && is_digit(**at) && digits < MOST_DIGITS; digits++)
		value = value * 10 + *(*at)++ - '0';
	return digits && value < 256 ? value : -1;
}

/* The level and serial of a Py_Version at *@at, which moves behind them; -1: no such. */
static int take_level(const char **at, const char *end)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = { { "a", 0xa0 }, { "b", 0xb0 }, { "rc", 0xc0 } };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		size_t len = strlen(levels[i].name);
		int serial;

		if ((size_t)(end - *at) < len || memcmp(*at, levels[i].name, len))
			continue;
		*at += len;
		serial = take_number(at, end);
		return serial < 0 || serial > 15 ? -1 : levels[i].level | serial;
	}
	return FINAL;
}

/* What follows "3.10." at @at: the lower half of a Py_Version, or -1. */
static int rest_of(const char *at, const char *end)
{
	int micro = take_number(&at, end), level;

	if (micro < 0)
		return -1;
	level = take_level(&at, end);
	if (level < 0)
		return -1;
	if (at < end && *at == '+')
		at++;
	return at < end && !*at ? micro << 8 | level : -1;
}

uint32_t elf_version_in(const void *texts, size_t len, uint32_t version)
{
	const char *start = texts, *end = start + len, *at = start;
	char head[16];
	int found = -1;
	int head_len = snprintf(head, sizeof(head), "%u.%u.", version >> 24, version >> 16 & 255);

	while (at < end && (at = memmem(at, end - at, head, head_len))) {
		bool is_start = at == start || (!is_digit(at[-1]) && at[-1] != '.');
		int rest;

		at += head_len;
		rest = is_start ? rest_of(at, end) : -1;
		if (rest < 0 || rest == found)
			continue;
		if (found >= 0)
			return version;
		found = rest;
	}
	return found < 0 ? version : version | found;
}
