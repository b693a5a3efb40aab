/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "cli/match.h"

#include <errno.h>
#include <pcre2.h>

#define STEPS_MOST 1000000 /* a fraction of a second */
#define HEAP_MOST_KIB 16384
#define DEPTH_MOST 100000 /* of choices that may have to be gone back to */

struct match {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

static void say_why(struct buffer *why, int error, size_t offset)
{
	PCRE2_UCHAR text[256];

	if (pcre2_get_error_message(error, text, sizeof(text)) < 0)
		snprintf((char *)text, sizeof(text), "error %d", error);
	buffer_print(why, "%s at offset %zu", (const char *)text, offset);
}

struct match *match_new(const char *regex, struct buffer *why)
{
	OWNS(match) struct match *m = calloc(1, sizeof(*m));
	PCRE2_SIZE offset;
	int error;

	if (!m)
		return NULL;
	m->code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &error,
				&offset, NULL);
	if (!m->code) {
		say_why(why, error, offset);
		return NULL;
	}
	m->data = pcre2_match_data_create_from_pattern(m->code, NULL);
	m->limits = pcre2_match_context_create(NULL);
	if (!m->data || !m->limits)
		return NULL;
	pcre2_set_match_limit(m->limits, STEPS_MOST);
	pcre2_set_depth_limit(m->limits, DEPTH_MOST);
	pcre2_set_heap_limit(m->limits, HEAP_MOST_KIB);
	return TAKE(m);
}

void match_free(struct match *m)
{
	if (!m)
		return;
	pcre2_match_context_free(m->limits);
	pcre2_match_data_free(m->data);
	pcre2_code_free(m->code);
	free(m);
}

int match_search(struct match *m, const char *text, size_t len)
{
	int found = pcre2_match(m->code, (PCRE2_SPTR)text, len, 0, 0, m->data, m->limits);

	if (found >= 0)
		return 1;
	if (found == PCRE2_ERROR_NOMATCH)
		return 0;
	return found == PCRE2_ERROR_NOMEMORY ? -ENOMEM : -E2BIG;
}
