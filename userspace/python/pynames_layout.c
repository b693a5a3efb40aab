/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pynames_layout.h"

#include "python/debug_table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define CACHED_KEYS_BEHIND_TYPE 464 /* PyHeapTypeObject.ht_cached_keys from PyTypeObject's end */
#define POINTER 8

/* The objects of builds with a GIL have been the same since 3.8. */
#define OBJECTS                                                                       \
	.object_type = 8, .object_size = 16, .type_basicsize = 32, .type_flags = 168, \
	.type_dictoffset = 288, .dict_keys = 32, .dict_values = 40, .long_size = 16,  \
	.long_digits = 24

/* Source: the headers of 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1; tests/tools compiles them. */
static const struct pynames_layout rows[] = {
	[8] = { OBJECTS, .interp_modules = 56, .type_cached_keys = 872, .keys = PYDICT_SIZED,
		.ints = PYDICT_INT_SIZE, .instance = PYNAMES_POINTER },
	[9] = { OBJECTS, .interp_modules = 856, .type_cached_keys = 864, .keys = PYDICT_SIZED,
		.ints = PYDICT_INT_SIZE, .instance = PYNAMES_POINTER },
	[10] = { OBJECTS, .interp_modules = 856, .type_cached_keys = 872, .keys = PYDICT_SIZED,
		 .ints = PYDICT_INT_SIZE, .instance = PYNAMES_POINTER },
	[11] = { OBJECTS, .interp_modules = 888, .type_cached_keys = 872,
		 .dict_before = 3 * POINTER, .keys = PYDICT_LOG2, .ints = PYDICT_INT_SIZE,
		 .instance = PYNAMES_TWO_POINTERS },
	[12] = { OBJECTS, .interp_modules = 944, .type_cached_keys = 880,
		 .dict_before = 3 * POINTER, .keys = PYDICT_LOG2, .ints = PYDICT_INT_TAG,
		 .instance = PYNAMES_TAGGED },
};

/*
 * Where the tables keep the offsets, in bytes from their start. Source: cpython
 * Include/internal/pycore_debug_offsets.h, and what builds of 3.13.0, 3.14.10, 3.15.2 hold.
 */
struct places {
	unsigned int minor;
	uint16_t next, imports_modules;
	uint16_t pyobject_size, ob_type;
	uint16_t type_size, tp_name, tp_flags;
	uint16_t tp_basicsize, ht_cached_keys; /* 0: not in this table */
	uint16_t ma_keys, ma_values;
	uint16_t lv_tag, ob_digit;
};

static const struct places tables[] = {
	{ .minor = 13,
	  .next = 64,
	  .imports_modules = 88,
	  .pyobject_size = 352,
	  .ob_type = 360,
	  .type_size = 368,
	  .tp_name = 376,
	  .tp_flags = 392,
	  .ma_keys = 456,
	  .ma_values = 464,
	  .lv_tag = 496,
	  .ob_digit = 504 },
	{ .minor = 14,
	  .next = 64,
	  .imports_modules = 96,
	  .pyobject_size = 400,
	  .ob_type = 408,
	  .type_size = 416,
	  .tp_name = 424,
	  .tp_flags = 440,
	  .ma_keys = 536,
	  .ma_values = 544,
	  .lv_tag = 576,
	  .ob_digit = 584 },
	{ .minor = 15,
	  .next = 64,
	  .imports_modules = 96,
	  .pyobject_size = 464,
	  .ob_type = 472,
	  .type_size = 480,
	  .tp_name = 488,
	  .tp_flags = 504,
	  .tp_basicsize = 512,
	  .ht_cached_keys = 536,
	  .ma_keys = 632,
	  .ma_values = 640,
	  .lv_tag = 672,
	  .ob_digit = 680 },
};

static const struct places *find_places(unsigned int minor)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].minor == minor)
			return &tables[i];
	return NULL;
}

/* An offset: a multiple of 4, below @most. */
static uint32_t offset_at(struct debug_table *t, uint16_t place, uint32_t most)
{
	uint32_t offset = debug_table_value(t, place, most - 1);

	t->is_bad |= offset % 4 != 0;
	return offset;
}

static int read_table(const struct places *at, struct debug_table *t, bool is_free_threaded,
		      struct pynames_layout *out)
{
	struct pynames_layout found = {
		.interp_next = offset_at(t, at->next, 1 << 24),
		.interp_modules = offset_at(t, at->imports_modules, 1 << 24),
		.object_type = offset_at(t, at->ob_type, 256),
		.object_size = offset_at(t, at->pyobject_size, 256),
		.type_flags = offset_at(t, at->tp_flags, 2048),
		.dict_keys = offset_at(t, at->ma_keys, 256),
		.dict_values = offset_at(t, at->ma_values, 256),
		.long_size = offset_at(t, at->lv_tag, 256),
		.long_digits = offset_at(t, at->ob_digit, 256),
		.dict_before = is_free_threaded ? POINTER : 3 * POINTER,
		.keys = PYDICT_LOG2,
		.ints = PYDICT_INT_TAG,
		.instance = PYNAMES_INLINE,
	};

	found.type_basicsize = at->tp_basicsize ? offset_at(t, at->tp_basicsize, 2048)
						: offset_at(t, at->tp_name, 2048) + POINTER;
	found.type_cached_keys =
		at->ht_cached_keys ? offset_at(t, at->ht_cached_keys, 4096)
				   : offset_at(t, at->type_size, 2048) + CACHED_KEYS_BEHIND_TYPE;
	if (t->is_bad)
		return -EBADMSG;
	*out = found;
	return 0;
}

int pynames_layout_find(const struct sp_pylayout *at, const uint8_t *head, size_t len,
			struct pynames_layout *out)
{
	unsigned int minor = at->version >> 16 & 255;
	const struct places *places = find_places(minor);
	struct debug_table t = { .data = head, .len = len };

	if (places)
		return read_table(places, &t, at->is_free_threaded, out);
	if (minor >= sizeof(rows) / sizeof(rows[0]) || !rows[minor].object_size)
		return -ENOTSUP;
	*out = rows[minor];
	return 0;
}
