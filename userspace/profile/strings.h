/* SPDX-License-Identifier: Apache-2.0 */
/* strings - each distinct text once, numbered from 0, all in one block of memory. */
#ifndef SPPROF_PROFILE_STRINGS_H
#define SPPROF_PROFILE_STRINGS_H

#include "base/buffer.h"
#include "profile/table.h"

#include <stdbool.h>

struct strings {
	struct buffer text; /* a NUL after each */
	struct table rows;
	struct hash_index index;
	uint64_t seed;
};

void strings_init(struct strings *s, uint64_t seed);
void strings_fini(struct strings *s);

/* Finds @len bytes at @text or copies them: *@id and 0, or -ENOMEM. */
int strings_add(struct strings *s, const char *text, size_t len, uint32_t *id);

/* Finds @len bytes at @text: whether they are there, and *@id. */
bool strings_find(const struct strings *s, const char *text, size_t len, uint32_t *id);

/* Valid until the next addition. */
const char *strings_text(const struct strings *s, uint32_t id);
size_t strings_len(const struct strings *s, uint32_t id);

#endif
