/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match - a regular expression (PCRE2) on bytes: command lines need not be UTF-8. What it
 * may cost is limited, so that no expression hangs.
 */
#ifndef SPPROF_CLI_MATCH_H
#define SPPROF_CLI_MATCH_H

#include "base/buffer.h"

struct match;

/* NULL, and what is wrong with @regex, and where, in @why. */
struct match *match_new(const char *regex, struct buffer *why);
void match_free(struct match *m); /* NULL is fine */
DEFINE_OWNS(match);

/* 1 if it is found anywhere in @text, 0 if not, -E2BIG if that takes too long, -ENOMEM. */
int match_search(struct match *m, const char *text, size_t len);

#endif
