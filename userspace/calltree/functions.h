/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions - what a call tree counts as one function: a name and a file.
 *
 * Numbered by first appearance in the input, sample by sample, root to leaf; behind them one
 * for each resource, which stands for all of its functions once they are collapsed. The table
 * does not change with transforms. It copies its texts: the profile may go before it.
 */
#ifndef SPPROF_CALLTREE_FUNCTIONS_H
#define SPPROF_CALLTREE_FUNCTIONS_H

#include "base/buffer.h"
#include "profile/profile.h"
#include "profile/strings.h"

/* No row, no text, no function. */
#define TREE_NONE UINT32_MAX

struct tree_function {
	uint32_t name, file; /* texts; file 0: none */
	uint32_t resource;   /* text; 0: none */
	enum profile_kind kind;
};

struct tree_functions {
	struct strings texts;	 /* 0 is "" */
	struct table rows;	 /* struct tree_function */
	uint32_t first_resource; /* where those that stand for resources begin */
};

/* 0 or -ENOMEM. */
int tree_functions_init(struct tree_functions *fs);
void tree_functions_fini(struct tree_functions *fs);

/* Finds or adds a function, a text: *@id and 0, or -ENOMEM. */
int tree_functions_add(struct tree_functions *fs, const struct tree_function *f, uint32_t *id);
int tree_functions_add_text(struct tree_functions *fs, const char *text, size_t len, uint32_t *id);

/* Adds what stands for each resource; the last thing that is added. 0 or -ENOMEM. */
int tree_functions_add_resources(struct tree_functions *fs);

static inline uint32_t tree_functions_count(const struct tree_functions *fs)
{
	return fs->rows.count;
}

static inline const struct tree_function *tree_function(const struct tree_functions *fs,
							uint32_t id)
{
	return (const struct tree_function *)fs->rows.rows + id;
}

/* NUL-terminated. */
const char *tree_functions_text(const struct tree_functions *fs, uint32_t text);
const char *tree_function_name(const struct tree_functions *fs, uint32_t id);

/* The id of a text that is there, or TREE_NONE. */
uint32_t tree_functions_find_text(const struct tree_functions *fs, const char *text, size_t len);

/* The function that stands for @resource (a text), or TREE_NONE. */
uint32_t tree_functions_of_resource(const struct tree_functions *fs, uint32_t resource);

#endif
