/* SPDX-License-Identifier: Apache-2.0 */
/* The hierarchy as lines of text, harmless for a terminal. */
#include "cli/hierarchy_view.h"

#include "base/utf8.h"

#define INDENT 4
#define INDENT_MOST 64 /* levels: what is deeper is told by its number */
#define NAME_COLUMN 19 /* where names begin: the numbers' width */

static void add_line(double share, const struct share_entry *e, uint32_t depth,
		     const struct screen *screen, struct buffer *out)
{
	int indent = INDENT * (depth < INDENT_MOST ? depth : INDENT_MOST);
	OWNS(buffer) struct buffer name = { 0 };

	buffer_print(out, "%9.2f  %6.2f  %*s", share_shown(share), share_shown(e->self), indent,
		     "");
	if (depth > INDENT_MOST)
		buffer_print(&name, "[%u] ", depth);
	utf8_add_visible_bytes(&name, e->symbol, e->symbol_len);
	screen_add_name(screen, name.data ? name.data : "", e->kind, NAME_COLUMN + indent, out);
}

int hierarchy_text_add(const struct shares *s, const struct screen *screen, struct buffer *out)
{
	buffer_add_text(out, "Children%   Self%  Function\n");
	for (uint32_t i = 0; i < s->entry_count; i++) {
		const struct share_entry *e = &s->entries[i];

		add_line(e->adjusted, e, 0, screen, out);
		if (e->root == SHARES_NONE)
			continue;
		for (uint32_t n = e->root + 1; n < s->node_count && s->nodes[n].depth; n++)
			add_line(s->nodes[n].relative, &s->entries[s->nodes[n].entry],
				 s->nodes[n].depth, screen, out);
	}
	return buffer_error(out);
}
