/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree as text: NAME:RUNNING,SELF, two blanks a level, lines joined by `|`. */
#ifndef TREE_LINES_H
#define TREE_LINES_H

#include "calltree/walk.h"

/* 0 or -ENOMEM. An empty tree is "". */
int tree_lines(const struct tree_stacks *s, enum walk_direction direction, struct buffer *out);

#endif
