/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_storage.h"

#include "base/words.h"
#include "python/pydict_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD 8
#define HOOKS_EXTRA 24 /* of debug hooks: size, id and pad before, pad behind */
#define MOST_IN_POOLS 512
#define MOST_BYTES (1ull << 40) /* of one container */
#define MOST_LOOKS (1u << 18)
#define MOST_OUTSIDE_KEYS (1u << 20)
#define KEYS_AT_ONCE 256

/* Behind PyObject: of a list ob_size, ob_item, allocated; of a set fill, used, mask, table, … */
#define LIST_ITEMS 8
#define LIST_ALLOCATED 16
#define SET_MASK 16
#define SET_TABLE 24
#define SET_SMALL_TABLE 48
#define SET_ENTRY 16

static uint64_t rounded(uint64_t bytes)
{
	return (bytes + 15) & ~15ull;
}

void heap_storage_init(struct heap_storage_tally *s)
{
	s->block_bytes = rounded;
	s->looks_left = MOST_LOOKS;
	s->outside_keys.most = MOST_OUTSIDE_KEYS;
}

void heap_storage_fini(struct heap_storage_tally *s)
{
	address_set_fini(&s->outside_keys);
}

/* 0 behind what was copied. */
static uint64_t owner_word(const struct heap_owner *o, size_t offset)
{
	return offset + WORD <= o->length ? word_at(o->bytes, offset) : 0;
}

/* Counts @request bytes at @address: of a block that is scanned, or a chunk of malloc's. */
static void add(struct heap_storage_tally *s, enum heap_storage kind, uint64_t address,
		uint64_t request)
{
	struct heap_census_storage *sum = &s->sums[kind];
	uint64_t asked = request + (s->shape->lead ? HOOKS_EXTRA : 0);
	uint64_t given = s->block_bytes(asked);

	if (!address || !request || request > MOST_BYTES)
		return;
	if (!heap_ranges_hold(s->ranges, address)) {
		if (asked <= MOST_IN_POOLS)
			return; /* a constant, or changed as it was read */
		given = rounded(asked + WORD) - WORD;
		sum->outside_bytes += given;
	}
	sum->blocks++;
	sum->bytes += given;
}

/* --- values --- */

static int read_at(struct heap_storage_tally *s, uint64_t address, void *dst, size_t len)
{
	int err = s->memory.read(s->memory.ctx, address, dst, len);

	return err == -EFAULT ? -EBADMSG : err;
}

/* Bytes of the values that share the keys at @keys. */
static int read_values_bytes(struct heap_storage_tally *s, uint64_t keys, uint64_t *bytes)
{
	uint8_t head[PYDICT_HEAD_BYTES];
	struct pydict_size size;
	int err;

	if (!s->looks_left)
		return -EBADMSG;
	s->looks_left--;
	err = read_at(s, keys, head, sizeof(head));
	if (!err)
		err = pydict_decode_size(head, s->at->keys, &size);
	if (!err)
		*bytes = pydict_values_bytes(size.values, s->at->keys);
	return err;
}

static struct kept_values *kept_slot(struct heap_storage_tally *s, uint64_t address)
{
	return &s->kept[(address * s->outside_keys.factor >> 40) % HEAP_STORAGE_KEPT];
}

/* Of a dict, whose keys tell. */
static int dict_values_bytes(struct heap_storage_tally *s, uint64_t keys, uint64_t *bytes)
{
	struct kept_values *kept = kept_slot(s, keys);
	int err;

	if (kept->keys != keys) {
		kept->bytes = 0;
		err = read_values_bytes(s, keys, &kept->bytes);
		if (err && err != -EBADMSG)
			return err;
		kept->keys = keys;
	}
	*bytes = kept->bytes;
	return 0;
}

/* Of an instance, whose type keeps the keys. */
static int instance_values_bytes(struct heap_storage_tally *s, uint64_t type, uint64_t *bytes)
{
	struct kept_values *kept = kept_slot(s, type);
	uint64_t keys = 0;
	int err;

	if (kept->keys != type) {
		kept->bytes = 0;
		err = read_at(s, type + s->at->type_cached_keys, &keys, sizeof(keys));
		if (!err)
			err = read_values_bytes(s, keys, &kept->bytes);
		if (err && err != -EBADMSG)
			return err;
		kept->keys = type;
	}
	*bytes = kept->bytes;
	return 0;
}

/* --- owners --- */

static void add_list(struct heap_storage_tally *s, const struct heap_owner *o)
{
	uint64_t allocated = owner_word(o, s->shape->object_size + LIST_ALLOCATED);

	uint64_t head = s->shape->count == OBJECT_COUNT_SPLIT ? WORD : 0; /* how many there are */

	if (allocated && allocated < MOST_BYTES / WORD)
		add(s, HEAP_STORAGE_LIST, owner_word(o, s->shape->object_size + LIST_ITEMS),
		    head + allocated * WORD);
}

static void add_set(struct heap_storage_tally *s, const struct heap_owner *o)
{
	uint64_t mask = owner_word(o, s->shape->object_size + SET_MASK);
	uint64_t table = owner_word(o, s->shape->object_size + SET_TABLE);

	if (table != o->address + s->shape->object_size + SET_SMALL_TABLE && !(mask & (mask + 1)) &&
	    mask < MOST_BYTES / SET_ENTRY)
		add(s, HEAP_STORAGE_SET, table, (mask + 1) * SET_ENTRY);
}

/* From 3.13 on a dict that shares keys has its values in the instance. */
static int add_dict(struct heap_storage_tally *s, const struct heap_owner *o)
{
	uint64_t keys = owner_word(o, s->at->dict_keys), values = owner_word(o, s->at->dict_values);
	uint64_t bytes = 0;
	int err = 0;

	if (!heap_ranges_hold(s->ranges, keys))
		err = address_set_add(&s->outside_keys, keys);
	if (err < 0 || !values || s->at->instance == PYNAMES_INLINE)
		return err < 0 ? err : 0;
	err = dict_values_bytes(s, keys, &bytes);
	if (!err)
		add(s, HEAP_STORAGE_DICT, values, bytes);
	return err;
}

/* Values that an instance of 3.11 or 3.12 has beside it, while it has no dict. */
static int add_instance(struct heap_storage_tally *s, const struct heap_owner *o)
{
	size_t before = s->at->dict_before;
	uint64_t values, bytes = 0;
	int err;

	if (s->at->instance == PYNAMES_TWO_POINTERS)
		before += WORD;
	if (o->before < before)
		return 0;
	memcpy(&values, o->bytes - before, sizeof(values));
	if (!values || (s->at->instance == PYNAMES_TAGGED && !(values & 1)))
		return 0;
	err = instance_values_bytes(s, o->type->address, &bytes);
	if (!err)
		add(s, HEAP_STORAGE_DICT, values, bytes);
	return err;
}

int heap_storage_add_owned(struct heap_storage_tally *s, const struct heap_owner *o)
{
	bool has_values =
		s->at->instance == PYNAMES_TWO_POINTERS || s->at->instance == PYNAMES_TAGGED;
	int err = 0;

	switch (o->type->owns) {
	case TYPE_OWNS_LIST:
		add_list(s, o);
		break;
	case TYPE_OWNS_SET:
		add_set(s, o);
		break;
	case TYPE_OWNS_DICT:
		err = add_dict(s, o);
		break;
	case TYPE_OWNS_NOTHING:
		break;
	}
	if (!err && has_values && o->type->is.flags & OBJECT_TYPE_MANAGED_DICT)
		err = add_instance(s, o);
	return err;
}

/* --- keys --- */

bool heap_storage_add_keys(struct heap_storage_tally *s, const uint8_t *bytes, size_t length,
			   uint64_t block_bytes)
{
	uint64_t extra = s->shape->lead ? HOOKS_EXTRA : 0;
	struct pydict_size size;

	if (length < (size_t)s->shape->lead + PYDICT_HEAD_BYTES ||
	    pydict_decode_size(bytes + s->shape->lead, s->at->keys, &size) ||
	    s->block_bytes(size.bytes + extra) != block_bytes)
		return false;
	s->sums[HEAP_STORAGE_DICT].blocks++;
	s->sums[HEAP_STORAGE_DICT].bytes += block_bytes;
	return true;
}

struct keys_batch {
	uint64_t addresses[KEYS_AT_ONCE];
	uint8_t heads[KEYS_AT_ONCE][PYDICT_HEAD_BYTES];
	struct target_piece pieces[KEYS_AT_ONCE];
	size_t count;
};

static int read_batch(struct heap_storage_tally *s, struct keys_batch *b)
{
	int err;

	for (size_t i = 0; i < b->count; i++)
		b->pieces[i] = (struct target_piece){ .address = b->addresses[i],
						      .dst = b->heads[i],
						      .len = sizeof(b->heads[i]) };
	err = target_read_pieces(&s->memory, b->pieces, b->count);
	if (err)
		return err;
	for (size_t i = 0; i < b->count; i++) {
		struct pydict_size size;

		if (!b->pieces[i].err && !pydict_decode_size(b->heads[i], s->at->keys, &size))
			add(s, HEAP_STORAGE_DICT, b->addresses[i], size.bytes);
	}
	b->count = 0;
	return 0;
}

int heap_storage_finish(struct heap_storage_tally *s)
{
	OWNS_MEM struct keys_batch *b = calloc(1, sizeof(*b));
	int err = 0;

	if (!b)
		return -ENOMEM;
	for (size_t i = 0; !err && i < s->outside_keys.capacity; i++) {
		if (s->outside_keys.slots[i])
			b->addresses[b->count++] = s->outside_keys.slots[i];
		if (b->count == KEYS_AT_ONCE)
			err = read_batch(s, b);
	}
	return err ? err : read_batch(s, b);
}
