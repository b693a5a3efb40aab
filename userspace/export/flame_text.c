/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flame_text.h"
#include "base/utf8.h"
#include "export/json_text.h"

#include <string.h>

void flame_add_visible(struct buffer *out, const char *text, size_t len)
{
	const char *end;

	if (!len) /* then there may be no text at all */
		return;
	for (end = text + len; text < end; text++) {
		utf8_add_visible(out, text);
		text += strlen(text);
		if (text < end)
			buffer_add_text(out, "\\x00");
	}
}

void flame_add_string(struct buffer *out, const struct profile *p, profile_id string)
{
	flame_add_visible(out, profile_string(p, string), profile_string_len(p, string));
}

/* How a character that means something to XML is written; NULL: as it is. */
static const char *entity(const char *text, size_t len)
{
	switch (text[0]) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	/* U+FFFE and U+FFFF are no characters of XML. */
	if (len >= 3 &&
	    (memcmp(text, "\xef\xbf\xbe", 3) == 0 || memcmp(text, "\xef\xbf\xbf", 3) == 0))
		return "\xef\xbf\xbd";
	return NULL;
}

void flame_add_markup(struct buffer *out, const char *text, size_t len)
{
	size_t done = 0;

	if (!len)
		return;
	for (size_t i = 0; i < len; i++) {
		const char *instead = entity(text + i, len - i);

		if (!instead)
			continue;
		buffer_add(out, text + done, i - done);
		buffer_add_text(out, instead);
		i += instead[0] == '&' ? 0 : 2;
		done = i + 1;
	}
	buffer_add(out, text + done, len - done);
}

void flame_add_json(struct buffer *out, const char *text, size_t len)
{
	size_t done = 0;

	if (!len) {
		buffer_add_text(out, "\"\"");
		return;
	}
	buffer_add_text(out, "\"");
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '<')
			continue;
		json_add_text(out, text + done, i - done);
		buffer_add_text(out, "\\u003c");
		done = i + 1;
	}
	json_add_text(out, text + done, len - done);
	buffer_add_text(out, "\"");
}
