/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/implementation.h"
#include "calltree/reshape.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {
	[TREE_COMBINED] = "combined",
	[TREE_PYTHON] = "python",
	[TREE_NATIVE] = "native",
	[TREE_KERNEL] = "kernel",
};

const char *tree_implementation_name(enum tree_implementation impl)
{
	return names[impl];
}

int tree_implementation_find(const char *name, size_t len, enum tree_implementation *impl)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i]) == len && !memcmp(names[i], name, len)) {
			*impl = i;
			return 0;
		}
	}
	return -EINVAL;
}

int tree_implementation_filter(const struct tree_stacks *in, enum tree_implementation impl,
			       struct tree_stacks *out)
{
	OWNS(reshape) struct reshape r = { 0 };
	int err = reshape_init(&r, in);

	for (uint32_t i = 0; i < in->count && !err; i++) {
		const struct tree_function *f = tree_function(in->functions, in->rows[i].function);

		if (tree_implementation_has(impl, f->kind))
			err = reshape_keep(&r, i);
		else
			r.map[i] = reshape_above(&r, i);
	}
	return err ? err : reshape_finish(&r, out);
}
