/* SPDX-License-Identifier: Apache-2.0 */
#include "heap_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READY (1u << 12)
#define IS_DICT (1u << 29)
#define IS_TEXT (1u << 28)
#define IS_TYPE (1u << 31)
#define TYPE_BYTES 512
#define COMPACT_ASCII (1u << 2 | 1u << 5 | 1u << 6)

/* Of a PyTypeObject, from tp_flags. */
#define BASE 88
#define DICT 96

void heap_image_put(struct heap_image *h, uint64_t address, uint64_t value)
{
	memcpy(h->image.bytes + (address - IMAGE_BASE), &value, sizeof(value));
}

uint32_t heap_image_make(struct heap_image *h, uint32_t bytes)
{
	uint32_t address = IMAGE_BASE + h->image.used;

	h->image.used += (bytes + 15) & ~15u;
	if (h->image.used > IMAGE_BYTES)
		abort();
	return address;
}

static uint32_t make_chars(struct heap_image *h, const char *text)
{
	uint32_t at = heap_image_make(h, strlen(text) + 1);

	memcpy(h->image.bytes + (at - IMAGE_BASE), text, strlen(text) + 1);
	return at;
}

static uint32_t make_text(struct heap_image *h, const char *text)
{
	const struct image *m = &h->image;
	uint32_t object = heap_image_make(h, m->py.ascii_size + strlen(text) + 1);

	heap_image_put(h, object + m->at.object_type, m->text_type);
	heap_image_put(h, object + m->py.unicode_length, strlen(text));
	heap_image_put(h, object + m->py.unicode_state, COMPACT_ASCII);
	memcpy(h->image.bytes + (object + m->py.ascii_size - IMAGE_BASE), text, strlen(text));
	return object;
}

/* A dict of one entry: __module__. */
static uint32_t make_type_dict(struct heap_image *h, const char *module)
{
	const struct pynames_layout *at = &h->image.at;
	bool is_old = at->keys == PYDICT_SIZED;
	uint32_t key = make_text(h, "__module__"), value = make_text(h, module);
	uint32_t keys = heap_image_make(h, 40 + 8 + 5 * 24);
	uint32_t dict = heap_image_make(h, 48), entry = keys + (is_old ? 40 + 8 + 8 : 32 + 8);

	heap_image_put(h, keys, 1);
	heap_image_put(h, keys + 8, is_old ? 8 : 3 | 3 << 8 | 1 << 16);
	heap_image_put(h, keys + (is_old ? 32 : 24), 1);
	heap_image_put(h, entry, key);
	heap_image_put(h, entry + 8, value);
	heap_image_put(h, dict + at->object_type, h->image.dict_type);
	heap_image_put(h, dict + at->dict_keys, keys);
	return dict;
}

static void fill_type(struct heap_image *h, uint32_t address, const struct heap_image_type *type)
{
	const struct pynames_layout *at = &h->image.at;

	heap_image_put(h, address + at->object_type, type->type ? type->type : h->root);
	heap_image_put(h, address + at->type_flags, type->flags | READY);
	heap_image_put(h, address + at->type_basicsize, type->basicsize);
	heap_image_put(h, address + at->type_basicsize - 8, make_chars(h, type->name));
	heap_image_put(h, address + at->type_flags + BASE, type->base);
	if (type->module)
		heap_image_put(h, address + at->type_flags + DICT, make_type_dict(h, type->module));
}

uint32_t heap_image_add_type(struct heap_image *h, const struct heap_image_type *type)
{
	uint32_t address = heap_image_make(h, TYPE_BYTES);

	fill_type(h, address, type);
	return address;
}

void heap_image_begin(struct heap_image *h, unsigned int minor)
{
	static const char *const thread = "MainThread";

	memset(h, 0, sizeof(*h));
	h->minor = minor;
	image_begin(&h->image, minor, false);
	image_add_threads(&h->image, &thread, 1);
	h->in = (struct interpreter){ .layout = h->image.py, .runtime = IMAGE_BASE };
	h->root = heap_image_make(h, TYPE_BYTES);
	fill_type(h, h->root,
		  &(struct heap_image_type){ .name = "type", .flags = IS_TYPE, .basicsize = 400 });
	fill_type(h, h->image.dict_type,
		  &(struct heap_image_type){
			  .name = "dict", .flags = IS_DICT | OBJECT_TYPE_HAS_GC, .basicsize = 48 });
	fill_type(h, h->image.text_type,
		  &(struct heap_image_type){ .name = "str", .flags = IS_TEXT, .basicsize = 64 });
}

uint64_t heap_image_block(uint32_t number)
{
	return HEAP_IMAGE_START + (uint64_t)number * HEAP_IMAGE_BLOCK_BYTES;
}

uint32_t heap_image_add_block(struct heap_image *h, size_t block_at, const uint64_t *words,
			      size_t count)
{
	if (h->block_count == HEAP_IMAGE_MOST_BLOCKS)
		abort();
	memcpy(h->blocks[h->block_count] + block_at, words, count * sizeof(*words));
	return h->block_count++;
}

uint32_t heap_image_add_object(struct heap_image *h, size_t start, uint64_t references,
			       uint64_t type)
{
	uint64_t words[] = { references, type };

	return heap_image_add_block(h, start, words, 2);
}

int heap_image_tally(struct heap_image *h, struct heap_census *out)
{
	static const uint64_t none_free[HEAP_IMAGE_MOST_BLOCKS / 64];
	struct heap_tally_facts facts = { .memory = image_reader(&h->image), .in = &h->in };
	struct heap_blocks blocks = {
		.address = HEAP_IMAGE_START,
		.bytes = h->blocks[0],
		.length = sizeof(h->blocks),
		.block_bytes = HEAP_IMAGE_BLOCK_BYTES,
		.count = h->block_count,
		.free_bits = none_free,
		.use = h->use,
	};
	int err;
	OWNS(heap_tally) struct heap_tally *t = heap_tally_new(&facts, &err);

	if (!t)
		return err;
	if (h->sizes)
		heap_tally_use_sizes(t, h->sizes);
	err = heap_tally_add_range(t, HEAP_IMAGE_START, HEAP_IMAGE_START + sizeof(h->blocks));
	if (!err)
		err = heap_tally_add(t, &blocks);
	return err ? err : heap_tally_finish(t, out);
}
