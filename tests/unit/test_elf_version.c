/* SPDX-License-Identifier: Apache-2.0 */
#include "native/elf_version.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define TEXTS(s) s, sizeof(s) /* with the zero behind it */

static const struct row {
	const char *name, *texts;
	size_t len;
	uint32_t version, expect;
} rows[] = {
	{ "alone", TEXTS("a\0003.10.13\0b"), 0x030a0000, 0x030a0df0 },
	{ "the end of a longer text", TEXTS("/v/3.8.18"), 0x03080000, 0x030812f0 },
	{ "at the start", TEXTS("3.9.2"), 0x03090000, 0x030902f0 },
	{ "a release candidate", TEXTS("3.10.0rc2"), 0x030a0000, 0x030a00c2 },
	{ "a beta", TEXTS("3.10.0b4"), 0x030a0000, 0x030a00b4 },
	{ "behind a release", TEXTS("3.9.2+"), 0x03090000, 0x030902f0 },
	{ "twice the same", TEXTS("3.9.2\0 3.9.2"), 0x03090000, 0x030902f0 },
	{ "two that differ", TEXTS("3.9.2\0003.9.3"), 0x03090000, 0x03090000 },
	{ "none", TEXTS("abc"), 0x03090000, 0x03090000 },
	{ "nothing", "", 0, 0x03090000, 0x03090000 },
	{ "another version's", TEXTS("3.10.2"), 0x03090000, 0x03090000 },
	{ "of something longer", TEXTS("13.9.2"), 0x03090000, 0x03090000 },
	{ "in the middle of one", TEXTS("2.3.9.2"), 0x03090000, 0x03090000 },
	{ "four numbers", TEXTS("3.9.2.1"), 0x03090000, 0x03090000 },
	{ "a format", TEXTS("3.9.%d"), 0x03090000, 0x03090000 },
	{ "a number that does not fit", TEXTS("3.9.256"), 0x03090000, 0x03090000 },
	{ "a serial that does not fit", TEXTS("3.9.0a16"), 0x03090000, 0x03090000 },
	{ "no end", "3.9.2", 5, 0x03090000, 0x03090000 },
	{ "cut", "3.9.", 4, 0x03090000, 0x03090000 },
};

Test(elf_version, a_text_tells_the_whole_version)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		cr_expect(eq(u32, elf_version_in(r->texts, r->len, r->version), r->expect), "%s",
			  r->name);
	}
}
