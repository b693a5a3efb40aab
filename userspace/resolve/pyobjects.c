/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/pyobjects.h"

#include "base/words.h"
#include "python/pytext.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST_KEY 16	      /* of what is looked for */
#define MOST_OBJECT_BYTES 264 /* offsets are below 256 */
#define VALUES_HEAD 8	      /* of PyDictValues from 3.13 on: capacity, size, embedded, valid */
#define VALID_AT 3
#define MOST_BASICSIZE 65536

/* tp_flags */
#define INLINE_VALUES (1u << 2)
#define MANAGED_DICT (1u << 4)
#define IS_INT (1u << 24)
#define IS_TEXT (1u << 28)
#define IS_DICT (1u << 29)

static int read_at(const struct pyobjects *r, uint64_t address, void *dst, size_t len)
{
	return r->memory.read(r->memory.ctx, address, dst, len);
}

int pyobjects_word(const struct pyobjects *r, uint64_t address, uint64_t *out)
{
	return read_at(r, address, out, sizeof(*out));
}

/* That @type, whose instances have @flag, is the one that was met before, if one was. */
static int check_type(const struct pyobjects *r, uint64_t type, uint32_t flag, uint64_t *met)
{
	uint64_t flags;
	int err;

	if (*met)
		return *met == type ? 0 : -EBADMSG;
	err = pyobjects_word(r, type + r->at.type_flags, &flags);
	if (err)
		return err;
	if (!(flags & flag))
		return -EBADMSG;
	*met = type;
	return 0;
}

/* --- dicts --- */

static int open_keys(const struct pyobjects *r, uint64_t keys, uint64_t values,
		     struct pyobjects_dict *out)
{
	uint8_t head[PYDICT_HEAD_BYTES];
	int err = read_at(r, keys, head, sizeof(head));

	if (!err)
		err = pydict_decode_keys(head, r->at.keys, &out->keys);
	if (err)
		return err;
	out->entries = keys + out->keys.first;
	out->values = values && r->at.instance == PYNAMES_INLINE ? values + VALUES_HEAD : values;
	return 0;
}

int pyobjects_open_dict(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out)
{
	uint8_t bytes[MOST_OBJECT_BYTES] = { 0 };
	int err = read_at(r, object, bytes, r->at.dict_values + sizeof(uint64_t));

	if (!err)
		err = check_type(r, word_at(bytes, r->at.object_type), IS_DICT, &r->dict_type);
	return err ? err
		   : open_keys(r, word_at(bytes, r->at.dict_keys),
			       word_at(bytes, r->at.dict_values), out);
}

int pyobjects_entry(struct pyobjects *r, const struct pyobjects_dict *d, uint32_t i, uint64_t *key,
		    uint64_t *value)
{
	uint64_t pointers[2]; /* key, value */
	int err = read_at(r, d->entries + (uint64_t)i * d->keys.stride + d->keys.key, pointers,
			  sizeof(pointers));

	if (++r->looked_at > PYOBJECTS_MOST_LOOKED_AT)
		return -EBADMSG;
	if (!err && d->values)
		err = pyobjects_word(r, d->values + i * sizeof(uint64_t), &pointers[1]);
	if (err)
		return err;
	*key = pointers[0];
	*value = pointers[1];
	return 0;
}

/* Whether the str at @object is @name. */
static int is_text(struct pyobjects *r, uint64_t object, const char *name, bool *out)
{
	const struct sp_pylayout *at = r->layout;
	uint8_t head[MOST_OBJECT_BYTES] = { 0 };
	char text[LONGEST_KEY];
	struct pytext_state state;
	size_t len = strlen(name);
	uint32_t word;
	int err = read_at(r, object, head, at->ascii_size);

	if (!err)
		err = check_type(r, word_at(head, at->object_type), IS_TEXT, &r->text_type);
	if (err)
		return err;
	memcpy(&word, head + at->unicode_state, sizeof(word));
	*out = false;
	if (word_at(head, at->unicode_length) != len || len > sizeof(text) ||
	    pytext_decode_state(word, at->unicode_kind, &state) || !state.is_compact ||
	    !state.is_ascii)
		return 0;
	err = read_at(r, object + at->ascii_size, text, len);
	*out = !err && !memcmp(text, name, len);
	return err;
}

/* Whether the entry number @i is the one of @name, and has a value. */
static int try_entry(struct pyobjects *r, const struct pyobjects_dict *d, const char *name,
		     uint32_t i, uint64_t *value)
{
	uint64_t key, found;
	bool is_it = false;
	int err = pyobjects_entry(r, d, i, &key, &found);

	if (!err && key && found)
		err = is_text(r, key, name, &is_it);
	if (r->looked_at > PYOBJECTS_MOST_LOOKED_AT)
		return -EBADMSG;
	if (err == -EBADMSG || err == -EFAULT || (!err && !is_it))
		return -ENOENT; /* also a key that is no str */
	if (!err)
		*value = found;
	return err;
}

int pyobjects_find(struct pyobjects *r, const struct pyobjects_dict *d, const char *name,
		   uint32_t *hint, uint64_t *value)
{
	int err = *hint < d->keys.count ? try_entry(r, d, name, *hint, value) : -ENOENT;

	for (uint32_t i = 0; err == -ENOENT && i < d->keys.count; i++) {
		err = try_entry(r, d, name, i, value);
		if (!err)
			*hint = i;
	}
	return err;
}

/* --- attributes --- */

static int read_type(struct pyobjects *r, uint64_t type)
{
	struct pyobjects_type found = { .address = type };
	uint64_t dictoffset = 0;
	int err = pyobjects_word(r, type + r->at.type_flags, &found.flags);

	if (!err)
		err = pyobjects_word(r, type + r->at.type_basicsize, &found.basicsize);
	if (!err)
		err = pyobjects_word(r, type + r->at.type_cached_keys, &found.cached_keys);
	if (!err && r->at.type_dictoffset)
		err = pyobjects_word(r, type + r->at.type_dictoffset, &dictoffset);
	if (err)
		return err;
	found.dictoffset = dictoffset;
	r->type = found;
	return 0;
}

static int open_pointed_to(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out)
{
	uint64_t dict;
	int err;

	if (r->type.dictoffset <= 0 || r->type.dictoffset > MOST_BASICSIZE)
		return -EBADMSG;
	err = pyobjects_word(r, object + r->type.dictoffset, &dict);
	return err ? err : pyobjects_open_dict(r, dict, out);
}

/* Behind the instance, if there is no dict: one that there is may have them as its values. */
static int open_inline(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out)
{
	uint64_t values = object + r->type.basicsize;
	uint8_t head[VALUES_HEAD];
	int err;

	if (!(r->type.flags & INLINE_VALUES) || r->type.basicsize > MOST_BASICSIZE)
		return -EBADMSG;
	err = read_at(r, values, head, sizeof(head));
	if (!err && head[VALID_AT] != 1)
		err = -EBADMSG;
	return err ? err : open_keys(r, r->type.cached_keys, values, out);
}

static int open_managed(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out)
{
	uint64_t before[2] = { 0 }; /* values of 3.11, dict */
	int err = r->at.instance == PYNAMES_TWO_POINTERS
			  ? read_at(r, object - r->at.dict_before - 8, before, sizeof(before))
			  : pyobjects_word(r, object - r->at.dict_before, &before[1]);

	if (err)
		return err;
	if (before[0])
		return open_keys(r, r->type.cached_keys, before[0], out);
	if (r->at.instance == PYNAMES_TAGGED && before[1] & 1)
		return open_keys(r, r->type.cached_keys, before[1] + 1, out);
	if (before[1])
		return pyobjects_open_dict(r, before[1], out);
	return r->at.instance == PYNAMES_INLINE ? open_inline(r, object, out) : -EBADMSG;
}

int pyobjects_open_attributes(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out)
{
	uint64_t type;
	int err = pyobjects_word(r, object + r->at.object_type, &type);

	if (!err && type != r->type.address)
		err = read_type(r, type);
	if (err)
		return err;
	if (r->at.instance == PYNAMES_POINTER)
		return open_pointed_to(r, object, out);
	return r->type.flags & MANAGED_DICT ? open_managed(r, object, out) : -EBADMSG;
}

/* --- other objects --- */

int pyobjects_check_text(struct pyobjects *r, uint64_t object)
{
	uint64_t type;
	int err = pyobjects_word(r, object + r->at.object_type, &type);

	return err ? err : check_type(r, type, IS_TEXT, &r->text_type);
}

int pyobjects_int(struct pyobjects *r, uint64_t object, uint64_t *out)
{
	uint64_t type, size;
	uint32_t digits[PYDICT_INT_DIGITS] = { 0 };
	int err = pyobjects_word(r, object + r->at.object_type, &type);

	if (!err)
		err = check_type(r, type, IS_INT, &r->int_type);
	if (!err)
		err = pyobjects_word(r, object + r->at.long_size, &size);
	if (!err)
		err = read_at(r, object + r->at.long_digits, digits, sizeof(digits));
	return err ? err : pydict_decode_int(size, digits, r->at.ints, out);
}
