/* SPDX-License-Identifier: Apache-2.0 */
#include "export/exporter.h"
#include "golden.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

Test(export_svg, a_small_picture)
{
	OWNS(profile) struct profile *p = test_small_profile();
	struct buffer out OWNS(buffer) = { 0 };

	test_export("svg", p, NULL, 0, &out);
	expect_golden("svg/small.svg", out.data, out.len);
}

Test(export_svg, an_empty_profile_is_a_picture)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };

	test_export("svg", p, NULL, 0, &out);
	expect_golden("svg/empty.svg", out.data, out.len);
}

/* The picture of one function of that name. */
static void draw(const char *name, struct buffer *out)
{
	OWNS(profile) struct profile *p = profile_new();
	struct test_frame frame = { name, name, 1, 1, 0 };

	test_sample(p, test_stack(p, PROFILE_NONE, &frame), test_thread(p, 1, 1, name, name), 1, 1);
	test_export("svg", p, NULL, 0, out);
}

Test(export_svg, names_stay_text_whatever_they_hold)
{
	static const struct {
		const char *name, *drawn;
	} rows[] = {
		{ "</text><script>", ">&lt;/text&gt;&lt;script&gt;</text>" },
		{ "]]>&amp;'\"", ">]]&gt;&amp;amp;&#39;&quot;</text>" },
		{ "a\nb\x1b\u202e", ">a\\x0ab\\x1b\\u202e</text>" },
		{ "\xef\xbf\xbe\xef\xbf\xbf", ">\xef\xbf\xbd\xef\xbf\xbd</text>" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buffer out OWNS(buffer) = { 0 };

		draw(rows[i].name, &out);
		cr_expect(strstr(out.data, rows[i].drawn) != NULL, "%s: %s", rows[i].drawn,
			  out.data);
		cr_expect(strstr(out.data, "<script") == NULL);
	}
}

/* The text of the last box in @out, without its tags. */
static void last_text(const struct buffer *out, char *text, size_t room)
{
	const char *end = memmem(out->data, out->len, "</text></svg>", strlen("</text></svg>"));
	const char *start = end;

	cr_assert(end != NULL);
	while (start > out->data && start[-1] != '>')
		start--;
	snprintf(text, room, "%.*s", (int)(end - start), start);
}

Test(export_svg, a_text_is_cut_to_its_box_between_characters)
{
	static const struct {
		const char *letter;
		size_t fit; /* of them and the dots into 1194 pixels */
	} rows[] = { { "x", 163 }, { "\u00e9", 163 }, { "\u65e5", 81 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buffer name OWNS(buffer) = { 0 }, out OWNS(buffer) = { 0 };
		char text[1024];
		size_t letter = strlen(rows[i].letter);

		for (int n = 0; n < 200; n++)
			buffer_add_text(&name, rows[i].letter);
		draw(name.data, &out);
		last_text(&out, text, sizeof(text));
		cr_expect(eq(sz, strlen(text), rows[i].fit * letter + strlen("\u2026")));
		cr_expect(eq(str, text + rows[i].fit * letter, "\u2026"));
	}
}

Test(export_svg, what_is_narrower_than_a_quarter_of_a_pixel_is_merged)
{
	static const struct test_frame wide = { "wide", "", 0, 0, 0 };
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };
	profile_id thread = test_thread(p, 1, 1, "p", "t");

	test_sample(p, test_stack(p, PROFILE_NONE, &wide), thread, 1000000, 1);
	for (int i = 0; i < 5; i++) {
		char name[] = { 'a' + i, 0 };
		struct test_frame narrow = { name, "", 0, 0, 0 };

		test_sample(p, test_stack(p, PROFILE_NONE, &narrow), thread, 100, 1);
	}
	test_export("svg", p, NULL, 0, &out);
	cr_expect(strstr(out.data, "<title>(5 small ones)") != NULL);
	cr_expect(strstr(out.data, "(small ones): 5 boxes, 0.05 %") != NULL);
}

Test(export_svg, a_weight_below_zero_is_refused)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };

	test_sample(p, PROFILE_NONE, test_thread(p, 1, 2, "p", "t"), -1, 1);
	test_export("svg", p, NULL, -ERANGE, &out);
}
