/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_types.h"

#include <errno.h>
#include <stdlib.h>

static int make_room(struct heap_types *t)
{
	uint32_t room = t->room ? t->room * 2 : 64;
	struct heap_type *grown;

	if (t->count < t->room)
		return 0;
	grown = reallocarray(t->rows, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->rows = grown;
	t->room = room;
	return 0;
}

int heap_types_add(struct heap_types *t, const struct heap_type *row)
{
	if (!row->name || !row->module || make_room(t)) {
		free(row->name);
		free(row->module);
		return -ENOMEM;
	}
	t->rows[t->count++] = *row;
	return 0;
}

void heap_types_fini(struct heap_types *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		free(t->rows[i].name);
		free(t->rows[i].module);
	}
	free(t->rows);
	free(t->name);
	free(t->python);
	free(t->tier);
	*t = (struct heap_types){ 0 };
}
