/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/code_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_file(const struct proc_mapping *a, const struct proc_mapping *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

bool code_mapping_is_same_file(const struct code_mapping *a, const struct code_mapping *b)
{
	return is_same_file(&a->at, &b->at);
}

static int make_room(struct code_map *map)
{
	size_t room = map->room ? map->room * 2 : 64;
	struct code_mapping *rows = realloc(map->rows, room * sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	map->rows = rows;
	map->room = room;
	return 0;
}

int code_map_take(const struct proc_mapping *m, void *ctx)
{
	struct code_map *map = ctx;
	char *path;

	if (!m->inode)
		return 0;
	if (!m->offset || !is_same_file(&map->low, m))
		map->low = *m;
	if (!m->is_executable || map->count == CODE_MAP_MOST)
		return 0;
	if (map->count == map->room && make_room(map))
		return -ENOMEM;
	path = strdup(m->path);
	if (!path)
		return -ENOMEM;
	map->rows[map->count] = (struct code_mapping){ .at = *m, .base = map->low.start };
	map->rows[map->count++].at.path = path;
	return 0;
}

int code_map_read(pid_t pid, struct code_map *out)
{
	int err;

	*out = (struct code_map){ 0 };
	err = proc_each_mapping(pid, code_map_take, out);
	if (err)
		code_map_fini(out);
	return err == -EACCES ? -EPERM : err;
}

void code_map_fini(struct code_map *m)
{
	for (size_t i = 0; i < m->count; i++)
		free((char *)m->rows[i].at.path);
	free(m->rows);
	*m = (struct code_map){ 0 };
}

static int compare(const void *key, const void *row)
{
	uint64_t address = *(const uint64_t *)key;
	const struct code_mapping *m = row;

	return address < m->at.start ? -1 : address >= m->at.end;
}

const struct code_mapping *code_map_find(const struct code_map *m, uint64_t address)
{
	return m->count ? bsearch(&address, m->rows, m->count, sizeof(*m->rows), compare) : NULL;
}
