/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/functions.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define FUNCTION_KEY offsetof(struct tree_function, resource)
_Static_assert(FUNCTION_KEY == 8, "key");

int tree_functions_init(struct tree_functions *fs)
{
	uint64_t seed;
	uint32_t empty;

	/* Before the kernel has any entropy, an address has to do. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)fs;
	strings_init(&fs->texts, seed);
	table_init(&fs->rows, sizeof(struct tree_function), FUNCTION_KEY, seed);
	fs->first_resource = TREE_NONE;
	return tree_functions_add_text(fs, "", 0, &empty);
}

void tree_functions_fini(struct tree_functions *fs)
{
	strings_fini(&fs->texts);
	table_fini(&fs->rows);
}

int tree_functions_add(struct tree_functions *fs, const struct tree_function *f, uint32_t *id)
{
	return table_add(&fs->rows, f, id);
}

int tree_functions_add_text(struct tree_functions *fs, const char *text, size_t len, uint32_t *id)
{
	return strings_add(&fs->texts, text, len, id);
}

int tree_functions_add_resources(struct tree_functions *fs)
{
	fs->first_resource = fs->rows.count;
	for (uint32_t i = 0; i < fs->first_resource; i++) {
		struct tree_function f = *tree_function(fs, i);
		uint32_t id;
		int err;

		if (!f.resource)
			continue;
		f.name = f.resource;
		f.file = 0;
		err = tree_functions_add(fs, &f, &id);
		if (err)
			return err;
	}
	return 0;
}

const char *tree_functions_text(const struct tree_functions *fs, uint32_t text)
{
	return strings_text(&fs->texts, text);
}

const char *tree_function_name(const struct tree_functions *fs, uint32_t id)
{
	return tree_functions_text(fs, tree_function(fs, id)->name);
}

uint32_t tree_functions_find_text(const struct tree_functions *fs, const char *text, size_t len)
{
	uint32_t id;

	return strings_find(&fs->texts, text, len, &id) ? id : TREE_NONE;
}

uint32_t tree_functions_of_resource(const struct tree_functions *fs, uint32_t resource)
{
	for (uint32_t i = 0; i < fs->rows.count; i++)
		if (tree_function(fs, i)->name == resource && !tree_function(fs, i)->file)
			return i;
	return TREE_NONE;
}
