/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets - the functions of interest: how they are written, and which names they match.
 *
 * A target is NAME: the whole simple name of a function or its last components (see
 * calltree/simple_name.h); `=NAME`: the whole name as it is; `~TEXT`: a name that holds TEXT;
 * or `/RE/`: a name in which the regular expression is found (see cli/match.h).
 */
#ifndef SPPROF_CLI_TARGETS_H
#define SPPROF_CLI_TARGETS_H

#include "base/buffer.h"
#include "profile/profile.h"
#include "profile/pruned.h"

struct targets;

struct targets *targets_new(void);    /* NULL when out of memory */
void targets_free(struct targets *t); /* NULL is fine */
DEFINE_OWNS(targets);

/*
 * Adds a list: "a,b". A comma ends a target, but for those in a `/RE/`, which goes on to the
 * next `/` before a comma or the end; `\/` is within it. Blanks around a target are none of
 * it. 0; -EINVAL, and what is wrong in @why; -ENOMEM.
 */
int targets_add(struct targets *t, const char *list, struct buffer *why);

/* The same of a file's text: a target is a line, with its commas. Empty lines are none. */
int targets_add_lines(struct targets *t, const char *text, size_t len, struct buffer *why);

uint32_t targets_count(const struct targets *t);

/*
 * Which strings of @p are, as names of functions, a target: a new array, the caller's. The
 * names of @pruned, if any, are added to @p's strings. 0 and *@is_target; -E2BIG: matching
 * takes too long, and what in @why; -ENOMEM.
 */
int targets_match(struct targets *t, struct profile *p, const struct profile_pruned *pruned,
		  bool **is_target, struct buffer *why);

/* Whether anything matched in any profile. */
bool targets_have_match(const struct targets *t);

/*
 * Appends, for each target that nothing matched, `no function matches "a"; closest: "b"`, with
 * @between between two. Of many, only the first few.
 */
void targets_warn(const struct targets *t, const char *between, struct buffer *out);

#endif
