/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libiberty knows the languages; it bounds its recursion, but not what it prints: a name
 * of 1,000 bytes whose parts name each other twice stands for 2^100 characters. So it
 * prints into a function of ours, which leaves it when it has had enough.
 */
#include "native/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#define NAME_MOST 65536	   /* longer ones are shown as they are */
#define PRINTED_MOST 16384 /* bytes */
#define PIECES_MOST 16384  /* an empty piece takes time, too */
#define REFERENCES_FREE 16 /* to earlier parts of a name */

struct printed {
	struct buffer *out;
	size_t start;
	uint32_t pieces;
	jmp_buf enough;
};

static bool is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/*
 * What libiberty has allocated while it prints is a Rust identifier beyond ASCII, and only
 * while that is printed; so we leave between these.
 */
static void take_piece(const char *text, size_t len, void *opaque)
{
	struct printed *p = opaque;
	bool is_enough = ++p->pieces > PIECES_MOST || len > PRINTED_MOST ||
			 p->out->len - p->start > PRINTED_MOST - len;

	if (!is_enough)
		buffer_add(p->out, text, len);
	else if (is_ascii(text, len))
		longjmp(p->enough, 1);
}

bool demangle_would(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'G');
}

/* What cplus_demangle() tries of itself; whether one of them knew the name, and ended. */
static bool print(const char *name, struct printed *p)
{
	if (setjmp(p->enough))
		return false;
	if (rust_demangle_callback(name, DMGL_NO_OPTS, take_piece, p))
		return p->pieces <= PIECES_MOST;
	p->out->len = p->start;
	return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_piece, p) &&
	       p->pieces <= PIECES_MOST;
}

static uint32_t count_references(const char *name)
{
	uint32_t count = 0;

	for (const char *at = name; (at = strchr(at, 'S'));) {
		at += 1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		count += *at == '_';
	}
	return count;
}

/*
 * Puts for the codes of packs others of the same form; also in the middle of words, which
 * does no harm. False: there are none, or one that would change what is counted.
 */
static bool replace_packs(char *name)
{
	static const char packs[][2][3] = { { "Dp", "VK" }, { "sp", "ng" }, { "sZ", "sz" } };
	bool is_changed = false;

	for (const char *at = name; (at = strstr(at, "Dp")); at += 2)
		if (at[2] && strchr("rVKFD", at[2]))
			return false;
	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++)
		for (char *at = name; (at = strstr(at, packs[i][0])); is_changed = true)
			memcpy(at, packs[i][1], 2);
	return is_changed;
}

static bool has_pack(const char *name)
{
	return strstr(name, "Dp") || strstr(name, "sp") || strstr(name, "sZ");
}

/*
 * Before libiberty prints a pack it searches all that the pack's pattern stands for, in
 * silence: 2^REFERENCES_FREE steps are nothing, 2^30 a minute. How many there are shows
 * when the same name without packs is printed.
 */
static bool is_bounded(const char *name)
{
	OWNS(buffer) struct buffer printed = { 0 };
	OWNS_MEM char *twin = NULL;
	struct printed p = { .out = &printed };

	if (!has_pack(name) || count_references(name) <= REFERENCES_FREE)
		return true;
	twin = strdup(name);
	return twin && replace_packs(twin) && print(twin, &p);
}

int demangle_add(const char *name, struct buffer *out)
{
	struct printed p = { .out = out, .start = out->len };

	if (!demangle_would(name) || strnlen(name, NAME_MOST) == NAME_MOST || !is_bounded(name) ||
	    !print(name, &p) || out->len == p.start) {
		out->len = p.start;
		buffer_add_text(out, name);
	}
	return buffer_error(out);
}
