/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform_text - a transform as one writes it: TYPE[@IMPL]:ARG.
 *
 * ARG is one name, taken as it is, or a path: names from the root joined by `;`, where a `;`
 * or `\` of a name is `\;` and `\\`. IMPL is "combined" if it is left out.
 */
#ifndef SPPROF_CALLTREE_TRANSFORM_TEXT_H
#define SPPROF_CALLTREE_TRANSFORM_TEXT_H

#include "calltree/transform.h"

/*
 * 0 and *@out; -EINVAL, with a line in @why that is safe for a terminal and names what was
 * not understood; -ENOMEM.
 */
int transform_parse(const char *text, size_t len, struct transform *out, struct buffer *why);

/* Appends what transform_parse() reads back. -EINVAL if there are too many names for that. */
int transform_print(const struct transform *t, struct buffer *out);

#endif
