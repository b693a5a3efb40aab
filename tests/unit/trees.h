/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees to test with, written down in a line. */
#ifndef TEST_TREES_H
#define TEST_TREES_H

#include "calltree/history.h"
#include "tree_lines.h"

/*
 * Samples like `main[p](app.py);f[p];read 3|idle -1`, root to leaf, with their weights. An
 * element is NAME, perhaps [p]ython or [k]ernel (else native), (FILE), {CATEGORY}, <RESOURCE>.
 * Each fails the Criterion test where something goes wrong.
 */
struct profile *tree_profile(const char *samples);
struct history *tree_history(const char *samples);

/* Applies transforms like `merge:B|hide:A;B` in turn. */
void tree_push(struct history *h, const char *transforms);

/* The tree of @s from the root must be @lines, as tree_lines() has it. */
void tree_expect(const struct tree_stacks *s, const char *lines, const char *name);

#endif
