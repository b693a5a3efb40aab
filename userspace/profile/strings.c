/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/strings.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct string_row {
	size_t offset, len; /* in strings.text */
};

void strings_init(struct strings *s, uint64_t seed)
{
	*s = (struct strings){ .seed = seed };
	table_init(&s->rows, sizeof(struct string_row), sizeof(struct string_row), seed);
}

void strings_fini(struct strings *s)
{
	buffer_fini(&s->text);
	table_fini(&s->rows);
	hash_index_fini(&s->index);
}

static const struct string_row *row_of(const struct strings *s, uint32_t id)
{
	return table_row(&s->rows, id);
}

const char *strings_text(const struct strings *s, uint32_t id)
{
	return s->text.data + row_of(s, id)->offset;
}

size_t strings_len(const struct strings *s, uint32_t id)
{
	return row_of(s, id)->len;
}

static bool find(const struct strings *s, const char *text, size_t len, uint64_t hash, uint32_t *id)
{
	struct hash_probe probe = hash_index_find(&s->index, hash);
	uint32_t at;

	while (hash_probe_next(&probe, &at)) {
		if (strings_len(s, at) == len && memcmp(strings_text(s, at), text, len) == 0) {
			*id = at;
			return true;
		}
	}
	return false;
}

bool strings_find(const struct strings *s, const char *text, size_t len, uint32_t *id)
{
	return find(s, text, len, XXH3_64bits_withSeed(text, len, s->seed), id);
}

int strings_add(struct strings *s, const char *text, size_t len, uint32_t *id)
{
	uint64_t hash = XXH3_64bits_withSeed(text, len, s->seed);
	struct string_row row = { .offset = s->text.len, .len = len };
	uint32_t added;
	int err;

	if (find(s, text, len, hash, id))
		return 0;
	buffer_add(&s->text, text, len);
	buffer_add(&s->text, "", 1);
	err = buffer_error(&s->text);
	if (!err)
		err = table_append(&s->rows, &row, &added);
	if (!err)
		err = hash_index_add(&s->index, hash, added);
	if (!err)
		*id = added;
	return err;
}
