/* SPDX-License-Identifier: Apache-2.0 */
/* url_words - the words and numbers that transforms go by in a URL. */
#ifndef SPPROF_CALLTREE_URL_WORDS_H
#define SPPROF_CALLTREE_URL_WORDS_H

#include "calltree/transform.h"

struct url_word {
	const char *key;
	enum transform_type type;
	bool has_impl;
};

/* By the key of @len bytes, by type; NULL if there is none. */
const struct url_word *url_word_find(const char *key, size_t len);
const struct url_word *url_word_of(enum transform_type type);

/* "combined", "js" or "cpp"; NULL for what has no word. */
const char *url_impl_name(enum tree_implementation impl);

/* Any other word is combined. */
enum tree_implementation url_impl_find(const char *word, size_t len);

/* Texts by number. */
struct url_numbering {
	uint32_t *categories, *resources;
	uint32_t category_count, resource_count;
	uint32_t *namesakes; /* of each text: functions that have it as their name */
};

/* 0 or -ENOMEM. */
int url_numbering_init(struct url_numbering *n, const struct tree_stacks *first);
void url_numbering_cleanup(struct url_numbering *n);

#endif
