/* SPDX-License-Identifier: Apache-2.0 */
#include "python_image.h"

#include <errno.h>
#include <string.h>

#define COMPACT_ASCII (1u << 2 | 1u << 5 | 1u << 6)
#define TABLE_BYTES 1024
#define DICT_BYTES 64
#define MOST_ENTRIES 16
#define SHARED_NAME 1 /* where _name stands among the keys that instances share */

/* tp_flags */
#define INLINE_VALUES (1u << 2)
#define MANAGED_DICT (1u << 4)
#define IS_INT (1u << 24)
#define IS_TEXT (1u << 28)
#define IS_DICT (1u << 29)

static void put(struct image *m, uint64_t address, uint64_t value)
{
	memcpy(m->bytes + (address - IMAGE_BASE), &value, sizeof(value));
}

/* Room for an object. */
static uint32_t make(struct image *m, uint32_t bytes)
{
	uint32_t address = IMAGE_BASE + m->used;

	m->used += (bytes + 15) & ~15u;
	return address;
}

static uint32_t make_type(struct image *m, uint32_t flags)
{
	uint32_t type = make(m, 896);

	put(m, type + m->at.type_flags, flags);
	put(m, type + m->at.type_basicsize, 16);
	return type;
}

static uint32_t make_text(struct image *m, const char *text)
{
	size_t len = strlen(text);
	uint32_t object = make(m, m->py.ascii_size + len + 1);

	put(m, object + m->at.object_type, m->text_type);
	put(m, object + m->py.unicode_length, len);
	put(m, object + m->py.unicode_state, COMPACT_ASCII);
	memcpy(m->bytes + (object + m->py.ascii_size - IMAGE_BASE), text, len);
	return object;
}

static uint32_t make_int(struct image *m, uint64_t value)
{
	uint32_t object = make(m, 32);

	put(m, object + m->at.object_type, m->int_type);
	put(m, object + m->at.long_size, m->at.ints == PYDICT_INT_TAG ? 2 << 3 : 2);
	put(m, object + m->at.long_digits, (value >> 30) << 32 | (value & ((1u << 30) - 1)));
	return object;
}

/* Keys and, unless they are shared, values of up to 10 entries: general if they are ints. */
static uint32_t make_keys(struct image *m, const uint32_t *keys, const uint32_t *values,
			  size_t count, bool is_general)
{
	uint32_t object = make(m, 40 + 16 + MOST_ENTRIES * 24), entry;
	bool is_old = m->at.keys == PYDICT_SIZED;

	if (is_old) {
		put(m, object + 8, MOST_ENTRIES);
		put(m, object + 32, count);
	} else {
		put(m, object + 8, 4 | 4 << 8 | (is_general ? 0 : 1) << 16);
		put(m, object + 24, count);
	}
	entry = object + (is_old ? 40 : 32) + MOST_ENTRIES;
	for (size_t i = 0; i < count; i++) {
		entry += is_old || is_general ? 8 : 0;
		put(m, entry, keys[i]);
		put(m, entry + 8, values ? values[i] : 0);
		entry += 16;
	}
	return object;
}

static uint32_t make_dict(struct image *m, uint32_t keys)
{
	uint32_t object = make(m, DICT_BYTES);

	put(m, object + m->at.object_type, m->dict_type);
	put(m, object + m->at.dict_keys, keys);
	return object;
}

static uint32_t make_module(struct image *m, uint32_t contents)
{
	uint32_t object = make(m, 64);

	put(m, object + m->at.object_type, m->module_type);
	put(m, object + m->at.object_size, contents);
	return object;
}

/* Its values are {0, name}, in a dict of its own or beside the shared keys. */
static uint32_t make_thread(struct image *m, uint32_t shared, const char *name)
{
	uint32_t text = make_text(m, name);
	uint32_t object = make(m, 96) + 32, values = make(m, 32);
	bool is_inline = m->at.instance == PYNAMES_INLINE && !m->uses_dicts;
	uint32_t at = is_inline ? object + 16 : values, dict;

	if (m->at.instance == PYNAMES_INLINE) {
		put(m, at, 1u << 24); /* valid */
		at += 8;
	}
	put(m, at + SHARED_NAME * 8, text);
	put(m, object + m->at.object_type, m->thread_type);
	if (m->uses_dicts || m->at.instance == PYNAMES_POINTER) {
		dict = make_dict(m, shared);
		put(m, dict + m->at.dict_values, values);
		put(m, m->at.dict_before ? object - m->at.dict_before : object + 16, dict);
	} else if (m->at.instance == PYNAMES_TWO_POINTERS) {
		put(m, object - 32, values);
	} else if (m->at.instance == PYNAMES_TAGGED) {
		put(m, object - 24, values - 1);
	}
	return object;
}

/* A table whose offsets are as in rows of builds with a GIL, but keep the interpreter small. */
static void put_table(struct image *m, unsigned int minor)
{
	static const struct {
		unsigned int minor;
		uint16_t next, modules, size, type, tp_size, tp_name, tp_flags, keys, values, tag,
			digit;
	} places[] = {
		{ 13, 64, 88, 352, 360, 368, 376, 392, 456, 464, 496, 504 },
		{ 14, 64, 96, 400, 408, 416, 424, 440, 536, 544, 576, 584 },
		{ 15, 64, 96, 464, 472, 480, 488, 504, 632, 640, 672, 680 },
	};

	for (size_t i = 0; i < 3; i++) {
		if (places[i].minor != minor)
			continue;
		put(m, IMAGE_BASE + places[i].next, 0);
		put(m, IMAGE_BASE + places[i].modules, 24);
		put(m, IMAGE_BASE + places[i].size, 16);
		put(m, IMAGE_BASE + places[i].type, 8);
		put(m, IMAGE_BASE + places[i].tp_size, 416);
		put(m, IMAGE_BASE + places[i].tp_name, 24);
		put(m, IMAGE_BASE + places[i].tp_flags, 168);
		put(m, IMAGE_BASE + places[i].keys, 32);
		put(m, IMAGE_BASE + places[i].values, 40);
		put(m, IMAGE_BASE + places[i].tag, 16);
		put(m, IMAGE_BASE + places[i].digit, 24);
	}
	if (minor == 15) {
		put(m, IMAGE_BASE + 512, 32);
		put(m, IMAGE_BASE + 536, 880);
	}
}

void image_begin(struct image *m, unsigned int minor, bool uses_dicts)
{
	memset(m, 0, sizeof(*m));
	m->uses_dicts = uses_dicts;
	m->py = (struct sp_pylayout){ .version = 3u << 24 | minor << 16 | 0xf0,
				      .runtime_interpreters_head = minor < 13 ? 0 : TABLE_BYTES,
				      .object_type = 8,
				      .unicode_length = 16,
				      .unicode_state = 32,
				      .ascii_size = minor < 12 ? 48 : 40,
				      .compact_size = minor < 12 ? 72 : 56,
				      .unicode_kind = 2 };
	m->used = TABLE_BYTES + 16;
	if (minor >= 13)
		put_table(m, minor);
	(void)pynames_layout_find(&m->py, m->bytes, TABLE_BYTES, &m->at);
	m->dict_type = make_type(m, IS_DICT);
	m->text_type = make_type(m, IS_TEXT);
	m->int_type = make_type(m, IS_INT);
	m->module_type = make_type(m, 0);
	m->thread_type = make_type(m, MANAGED_DICT | INLINE_VALUES);
	if (m->at.type_dictoffset)
		put(m, m->thread_type + m->at.type_dictoffset, 16);
}

static uint32_t make_active(struct image *m, const char *const *names, size_t count)
{
	uint32_t attributes[] = { make_text(m, "_target"), make_text(m, "_name") };
	uint32_t shared = make_keys(m, attributes, NULL, 2, false);
	uint32_t idents[MOST_ENTRIES], threads[MOST_ENTRIES];

	put(m, m->thread_type + m->at.type_cached_keys, shared);
	for (size_t i = 0; i < count; i++) {
		idents[i] = make_int(m, IMAGE_FIRST_IDENT + i);
		threads[i] = make_thread(m, shared, names[i]);
	}
	return make_dict(m, make_keys(m, idents, threads, count, true));
}

void image_add_threads(struct image *m, const char *const *names, size_t count)
{
	uint32_t interp = make(m, m->at.interp_modules + 16);
	uint32_t contents[2] = { make_text(m, "_limbo"), make_text(m, "_active") };
	uint32_t values[2] = { make_dict(m, make_keys(m, NULL, NULL, 0, true)), 0 };
	uint32_t keys[3], modules[3];

	values[1] = make_active(m, names, count);
	keys[0] = m->sys = make_text(m, "sys");
	keys[1] = m->builtins = make_text(m, "builtins");
	keys[2] = m->threading = make_text(m, "threading");
	modules[0] = modules[1] = make_module(m, values[0]);
	modules[2] = make_module(m, make_dict(m, make_keys(m, contents, values, 2, false)));
	put(m, IMAGE_BASE + m->py.runtime_interpreters_head, interp);
	put(m, IMAGE_BASE + m->py.runtime_interpreters_head + 8, interp);
	put(m, interp + m->at.interp_modules, make_dict(m, make_keys(m, keys, modules, 3, false)));
}

void image_rename(struct image *m, uint32_t text, const char *name)
{
	memcpy(m->bytes + (text + m->py.ascii_size - IMAGE_BASE), name, strlen(name));
}

static int read_image(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct image *m = ctx;

	if (address < IMAGE_BASE || len > IMAGE_BYTES || address - IMAGE_BASE > IMAGE_BYTES - len)
		return -EFAULT;
	if (m->reads_left && !--m->reads_left) {
		m->reads_left = 1;
		return -EFAULT;
	}
	memcpy(dst, m->bytes + (address - IMAGE_BASE), len);
	return 0;
}

struct target_reader image_reader(struct image *m)
{
	return (struct target_reader){ .read = read_image, .ctx = m };
}
