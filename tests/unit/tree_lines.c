/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_lines.h"

#include <errno.h>
#include <inttypes.h>

int tree_lines(const struct tree_stacks *s, enum walk_direction direction, struct buffer *out)
{
	OWNS(tree_nodes) struct tree_nodes n = { 0 };
	OWNS(walk) struct walk *w = NULL;
	struct walk_line line;
	int err = tree_nodes_make(s, TREE_ALL_GROUPS, &n);

	buffer_add_text(out, "");
	if (err)
		return err;
	w = walk_new(&n, direction);
	err = w ? 1 : -ENOMEM;
	while (err > 0 && (err = walk_next(w, &line)) > 0)
		buffer_print(out, "%s%*s%s:%" PRId64 ",%" PRId64, out->len ? "|" : "",
			     2 * (int)line.depth, "",
			     tree_function_name(n.functions, line.function), line.running,
			     line.self);
	return err ? err : buffer_error(out);
}
