/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file's parts lie one behind the other, and behind its initialised variables, as a mapping
 * without a file, those that begin as zero. That one may go on as something else.
 */
#include "resolve/allocator_places.h"

#include <errno.h>
#include <stdlib.h>

static int add_code(struct allocator_places *p, const struct proc_mapping *m)
{
	if (p->code_count == PLACES_MOST_CODE)
		return 0;
	if (p->code_count == p->code_room) {
		size_t room = p->code_room ? p->code_room * 2 : 64;
		struct place *code = realloc(p->code, room * sizeof(*code));

		if (!code)
			return -ENOMEM;
		p->code = code;
		p->code_room = room;
	}
	p->code[p->code_count++] = (struct place){ m->start, m->end };
	return 0;
}

static void add_data(struct allocator_places *p, const struct proc_mapping *m)
{
	uint64_t bytes = m->end - m->start;

	if (p->data_count == PLACES_MOST_DATA)
		return;
	if (bytes > PLACES_MOST_DATA_BYTES)
		bytes = PLACES_MOST_DATA_BYTES;
	p->data[p->data_count++] = (struct place){ m->start, m->start + bytes };
}

static bool is_of_last_file(const struct allocator_places *p, const struct proc_mapping *m)
{
	const struct proc_mapping *last = &p->last;

	if (!m->inode) /* zeroed variables, right behind: once */
		return last->inode && m->start == last->end && !m->path[0];
	return m->offset && m->inode == last->inode && m->major == last->major &&
	       m->minor == last->minor;
}

/* @m begins another file: what was collected counts only if it is the Python's. */
static void begin_file(struct allocator_places *p, const struct proc_mapping *m)
{
	p->is_open = m->inode && !p->has_runtime;
	if (!p->is_open)
		return;
	p->base = m->start;
	p->data_count = 0;
	p->own_code = p->own_code_end = p->code_count;
}

int allocator_places_take(const struct proc_mapping *m, void *places)
{
	struct allocator_places *p = places;
	int err = 0;

	if (!p->is_open || !is_of_last_file(p, m))
		begin_file(p, m);
	if (m->is_executable)
		err = add_code(p, m);
	if (!p->is_open)
		return err;
	p->last = *m;
	p->end = m->end;
	if (m->is_executable)
		p->own_code_end = p->code_count;
	else if (m->is_writable)
		add_data(p, m);
	if (p->runtime >= m->start && p->runtime < m->end)
		p->has_runtime = true;
	return err;
}

void allocator_places_fini(struct allocator_places *p)
{
	free(p->code);
}

static bool is_in(const struct place *places, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= places[i].start && address < places[i].end)
			return true;
	return false;
}

bool allocator_places_is_code(const struct allocator_places *p, uint64_t address)
{
	return is_in(p->code, p->code_count, address);
}

bool allocator_places_is_own_code(const struct allocator_places *p, uint64_t address)
{
	return is_in(p->code + p->own_code, p->own_code_end - p->own_code, address);
}

bool allocator_places_is_own(const struct allocator_places *p, uint64_t address)
{
	return p->has_runtime && address >= p->base && address < p->end;
}
