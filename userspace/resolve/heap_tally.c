/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_tally.h"

#include "python/pylayout.h"
#include "resolve/heap_tally_parts.h"
#include "resolve/page_reader.h"
#include "resolve/type_names.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#define MOST_NAME_LOOKS (1u << 22) /* entries of types' dicts: a second or so */

static int read_at(const struct heap_tally *t, uint64_t address, void *dst, size_t len)
{
	return t->facts.memory.read(t->facts.memory.ctx, address, dst, len);
}

/* --- beginning and end --- */

/* The type of all types: sys.modules's type's. -EAGAIN: there is no sys.modules yet. */
static int find_root(const struct heap_tally *t, uint64_t *root)
{
	uint64_t heads[2], at; /* head, main */
	int err = read_at(t, t->facts.in->runtime + t->facts.in->layout.runtime_interpreters_head,
			  heads, sizeof(heads));

	if (!err && !heads[1])
		return -EAGAIN;
	if (!err)
		err = read_at(t, heads[1] + t->at.interp_modules, &at, sizeof(at));
	if (!err && !at)
		return -EAGAIN;
	if (!err)
		err = read_at(t, at + t->at.object_type, &at, sizeof(at));
	if (!err)
		err = read_at(t, at + t->at.object_type, root, sizeof(*root));
	return err;
}

static int find_layout(struct heap_tally *t)
{
	const struct interpreter *in = t->facts.in;
	uint8_t head[PYLAYOUT_DEBUG_OFFSETS_BYTES];
	int err = read_at(t, in->runtime, head, sizeof(head));

	if (err && err != -EFAULT)
		return err;
	err = pynames_layout_find(&in->layout, head, err ? 0 : sizeof(head), &t->at);
	return err ? err
		   : object_shape_find(&in->layout, &t->at, in->runtime, t->facts.has_debug_hooks,
				       &t->shape);
}

static int start(struct heap_tally *t)
{
	uint64_t root, factor;
	int err = find_layout(t);

	if (!err)
		err = find_root(t, &root);
	if (err)
		return err;
	if (getrandom(&factor, sizeof(factor), 0) != sizeof(factor))
		return -EIO;
	t->types.memory = t->storage.memory = t->facts.memory;
	t->types.shape = t->storage.shape = &t->shape;
	t->types.ranges = t->storage.ranges = &t->ranges;
	t->types.factor = t->storage.outside_keys.factor = t->large.seen.factor = factor | 1;
	t->types.has_types_inside = t->facts.has_types_inside;
	t->storage.at = &t->at;
	t->large.types = &t->types;
	heap_storage_init(&t->storage);
	heap_large_init(&t->large);
	return type_table_init(&t->types, root);
}

struct heap_tally *heap_tally_new(const struct heap_tally_facts *facts, int *err)
{
	OWNS(heap_tally) struct heap_tally *t = calloc(1, sizeof(*t));

	if (!t) {
		*err = -ENOMEM;
		return NULL;
	}
	t->facts = *facts;
	*err = start(t);
	return *err ? NULL : TAKE(t);
}

void heap_tally_free(struct heap_tally *t)
{
	if (!t)
		return;
	heap_large_fini(&t->large);
	heap_storage_fini(&t->storage);
	type_table_fini(&t->types);
	heap_ranges_fini(&t->ranges);
	free(t->in_class);
	free(t);
}

void heap_tally_use_sizes(struct heap_tally *t, uint64_t (*block_bytes)(uint64_t asked))
{
	t->storage.block_bytes = block_bytes;
}

int heap_tally_add_range(struct heap_tally *t, uint64_t start_, uint64_t end)
{
	return heap_ranges_add(&t->ranges, start_, end);
}

/* --- sums --- */

/* Classes themselves are large, and lead to others. */
static int note_classes(struct heap_tally *t)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < t->types.count; i++)
		if (t->types.met[i].is.flags & OBJECT_TYPE_ON_HEAP && t->shape.gc_head)
			err = heap_large_note(&t->large,
					      t->types.met[i].address - t->shape.gc_head);
	return err;
}

/* @said: its name and its module, a NUL behind each. */
static int add_kinds(const struct heap_tally *t, const struct met_type *type,
		     const struct buffer *said, struct heap_census *out)
{
	struct heap_census_kind kind = { .type = XXH3_64bits(said->data, said->len) };
	uint32_t number = type - t->types.met;
	int err = 0;

	for (uint32_t i = 0; !err && i < HEAP_CENSUS_CLASSES && number < t->in_class_room; i++) {
		kind.objects = t->in_class[number][i];
		kind.block_bytes = 16 * (i + 1);
		if (kind.objects)
			err = heap_census_add_kind(out, &kind);
	}
	return err;
}

/* A row of its own for @type, if its name can be read. */
static int name_type(struct heap_tally *t, struct type_names *names, const struct met_type *type,
		     struct heap_census *out)
{
	OWNS(buffer) struct buffer said = { .data = NULL };
	struct heap_census_type *row = &out->types[out->type_count];
	int err = type_names_read(names, &type->is, &said);

	if (err == -EFAULT || err == -EBADMSG) {
		t->unreadable += type->objects;
		t->object_bytes -= type->bytes < t->object_bytes ? type->bytes : t->object_bytes;
		return 0;
	}
	if (err)
		return err;
	*row = (struct heap_census_type){
		.name = strdup(said.data),
		.module = strdup(said.data + strlen(said.data) + 1),
		.objects = type->objects,
		.bytes = type->bytes,
	};
	out->type_count++;
	return row->name && row->module ? add_kinds(t, type, &said, out) : -ENOMEM;
}

static int name_types(struct heap_tally *t, const struct target_reader *memory,
		      struct heap_census *out)
{
	struct type_names names = {
		.objects = { .memory = *memory, .layout = &t->facts.in->layout, .at = t->at },
		.looks_left = MOST_NAME_LOOKS,
	};
	int err = 0;

	out->types = calloc(t->types.count, sizeof(*out->types));
	if (!out->types)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < t->types.count; i++)
		if (t->types.met[i].objects)
			err = name_type(t, &names, &t->types.met[i], out);
	if (!err)
		heap_census_sort(out);
	return err;
}

/* Storage that its owners tell of may have changed hands meanwhile: no more than there is. */
static void sum_up(const struct heap_tally *t, struct heap_census *out)
{
	out->explained_bytes = t->object_bytes;
	for (int i = 0; i < HEAP_STORAGE_MAX; i++) {
		out->storage[i] = t->storage.sums[i];
		out->explained_bytes += out->storage[i].bytes - out->storage[i].outside_bytes;
	}
	if (out->explained_bytes > t->live_bytes)
		out->explained_bytes = t->live_bytes;
	out->other_types_objects = t->types.beyond.objects;
	out->other_types_bytes = t->types.beyond.bytes;
	out->large_objects = t->large.objects;
	out->large_bytes = t->large.bytes;
	out->large_left_out = t->large.seen.left_out + t->storage.outside_keys.left_out;
	out->unused_objects = t->unused_objects;
	out->unused_bytes = t->unused_bytes;
	out->types_unreadable = t->unreadable;
}

int heap_tally_finish(struct heap_tally *t, struct heap_census *out)
{
	OWNS_MEM struct page_reader *pages = page_reader_new(&t->facts.memory);
	struct target_reader memory;
	int err;

	if (!pages)
		return -ENOMEM;
	memory = page_reader_as_reader(pages);
	err = note_classes(t);
	if (!err)
		err = heap_large_follow(&t->large, &memory);
	if (!err)
		err = heap_storage_finish(&t->storage);
	if (!err)
		err = name_types(t, &memory, out);
	sum_up(t, out);
	return err;
}
