/* SPDX-License-Identifier: Apache-2.0 */
/* An address of a process, or of the kernel, as a frame. */
#include "import/names.h"
#include "import/perf_data_reader.h"

#include <inttypes.h>

/*
 * Addresses come again and again; a table of a fixed size holds those of most recordings. It
 * is a power of two, and no larger than a small file can fill.
 */
#define LEAST_BITS 6
#define MOST_BITS 16

struct perf_address {
	uint64_t ip;
	uint64_t start, end; /* valid from, until before */
	uint32_t space;
	profile_id frame;
};

static struct perf_address *find_slot(struct perf_data *d, uint32_t space, uint64_t ip)
{
	uint64_t hash = (ip ^ (uint64_t)space << 40) * 0x9e3779b97f4a7c15u;

	return &d->addresses[hash >> (64 - d->address_bits)];
}

static bool is_kernel(uint32_t space)
{
	return space == PERF_SPACE_KERNEL || space == PERF_SPACE_OTHER_KERNEL;
}

/* The build-id of the kernel that was recorded, by its map or by its name. */
static struct build_id kernel_build_id(struct perf_data *d, uint32_t name)
{
	const struct perf_maps *maps = &d->tasks.maps;
	uint32_t build = 0;

	for (uint32_t i = 0; i < maps->count && !build; i++)
		if (maps->rows[i].space == PERF_SPACE_KERNEL && maps->rows[i].path == name)
			build = maps->rows[i].build;
	return perf_tasks_build_id(&d->tasks, name, build);
}

int perf_data_prepare_frames(struct perf_data *d)
{
	const char *folder = d->file->request->symfs;
	struct build_id id;
	uint32_t name;
	int err = strings_add(&d->strings, PERF_KERNEL_NAME, strlen(PERF_KERNEL_NAME), &name);

	d->address_bits = LEAST_BITS;
	while (d->address_bits < MOST_BITS && d->file->len >> d->address_bits > sizeof(uint64_t))
		d->address_bits++;
	d->addresses = calloc((size_t)1 << d->address_bits, sizeof(*d->addresses));
	d->objects = objects_new(folder ? folder : "/");
	if (err || !d->addresses || !d->objects)
		return -ENOMEM;
	id = kernel_build_id(d, name);
	d->kernel = objects_add_kernel(d->objects, &id);
	if (d->kernel_symbol)
		objects_set_kernel_reference(d->objects,
					     strings_text(&d->strings, d->kernel_symbol),
					     d->kernel_symbol_at);
	objects_set_kernel_release(d->objects, strings_text(&d->strings, d->kernel_release));
	return d->kernel < 0 ? d->kernel : 0;
}

/* *@name: NULL if it has none; then *@number is what it is called. */
static int find_name(struct perf_data *d, uint32_t space, struct perf_map *map, uint64_t ip,
		     const char **name, uint64_t *number)
{
	struct build_id id;

	*name = NULL;
	*number = ip;
	if (map && map->is_symbol) {
		*name = strings_text(&d->strings, map->path);
	} else if (space == PERF_SPACE_KERNEL) {
		*name = objects_name(d->objects, d->kernel, ip, number);
		*number = ip;
	} else if (map) {
		id = perf_tasks_build_id(&d->tasks, map->path, map->build);
		if (map->object < 0)
			map->object =
				objects_add(d->objects, strings_text(&d->strings, map->path), &id);
		if (map->object < 0)
			return map->object;
		*name = objects_name(d->objects, map->object, ip - map->start + map->offset,
				     number);
	}
	return 0;
}

static int add_frame(struct perf_data *d, uint32_t space, struct perf_map *map, uint64_t ip,
		     profile_id *frame)
{
	struct profile_function f = { .kind = map ? PROFILE_NATIVE : PROFILE_UNKNOWN };
	char number_text[2 + 16 + 1];
	const char *name, *path = "";
	uint64_t number;
	int err = find_name(d, space, map, ip, &name, &number);

	if (err)
		return err;
	if (is_kernel(space))
		f.kind = PROFILE_KERNEL;
	if (map)
		path = strings_text(&d->strings, map->path);
	else if (name)
		path = PERF_KERNEL_NAME;
	snprintf(number_text, sizeof(number_text), "0x%" PRIx64, number);
	name = name ? name : number_text;
	err = names_add(d->profile, name, strlen(name), &f.name);
	if (!err)
		err = names_add(d->profile, path, strlen(path), &f.file);
	return err ? err : names_add_frame(d->profile, &f, 0, frame);
}

int perf_data_find_frame(struct perf_data *d, uint32_t space, uint64_t ip, uint64_t time,
			 profile_id *frame)
{
	struct perf_address *slot = find_slot(d, space, ip);
	struct perf_address found = { .ip = ip, .space = space };
	struct perf_map *map;
	int err;

	/* One that was never used ends at 0. */
	if (slot->ip != ip || slot->space != space || time < slot->start || time >= slot->end) {
		map = perf_tasks_find_map(&d->tasks, space, ip, time, &found.start, &found.end);
		err = add_frame(d, space, map, ip, &found.frame);
		if (err)
			return err;
		*slot = found;
	}
	*frame = slot->frame;
	return 0;
}
