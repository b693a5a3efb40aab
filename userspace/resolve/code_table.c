/* SPDX-License-Identifier: Apache-2.0 */
/* Entries never move or go before their table; what cannot be had is asked again later. */
#include "resolve/code_table.h"

#include "base/clock.h"
#include "base/hash_index.h"
#include "python/linetable.h"
#include "python/pytext.h"
#include "resolve/code_reader.h"
#include "resolve/text_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#define MISSES 256			/* remembered, direct-mapped */
#define MISS_NS (1000 * 1000 * 1000ull) /* until a missing one is looked for again */

struct code_id {
	uint64_t code;
	uint32_t key;
	uint32_t spare; /* 0: the whole is hashed */
};

struct miss {
	struct code_id id;
	uint64_t until_ns;
};

struct code_table {
	pid_t pid;
	struct sp_pylayout at;
	uint64_t seed; /* of the hash: a target chooses its own addresses */
	struct hash_index index;
	struct code_entry **entries;
	uint32_t count, room;
	size_t bytes; /* of the entries and their texts */
	uint64_t refused;
	bool is_gone; /* the process: nothing more can be read */
	struct miss misses[MISSES];
};

struct code_table *code_table_new(pid_t pid, const struct sp_pylayout *at)
{
	struct code_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->pid = pid;
	t->at = *at;
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) < 0)
		t->seed = (uintptr_t)t;
	return t;
}

static void entry_free(struct code_entry *e)
{
	if (!e)
		return;
	free(e->name);
	free(e->file);
	free(e->linetable);
	free(e);
}

void code_table_free(struct code_table *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		entry_free(t->entries[i]);
	free(t->entries);
	hash_index_fini(&t->index);
	free(t);
}

static struct code_id id_of(uint64_t code, uint32_t key)
{
	return (struct code_id){ .code = code, .key = key };
}

static uint64_t hash_of(const struct code_table *t, const struct code_id *id)
{
	return XXH3_64bits_withSeed(id, sizeof(*id), t->seed);
}

static struct code_entry *find_known(const struct code_table *t, const struct code_id *id)
{
	struct hash_probe p = hash_index_find(&t->index, hash_of(t, id));
	uint32_t i;

	while (hash_probe_next(&p, &i))
		if (t->entries[i]->code == id->code && t->entries[i]->key == id->key)
			return t->entries[i];
	return NULL;
}

static int make_room(struct code_table *t)
{
	uint32_t room = t->room ? t->room * 2 : 64;
	struct code_entry **entries;

	if (t->count < t->room)
		return 0;
	entries = realloc(t->entries, room * sizeof(struct code_entry *));
	if (!entries)
		return -ENOMEM;
	t->entries = entries;
	t->room = room;
	return 0;
}

/* The buffer's bytes, or an empty string, to be kept. */
static char *take_text(struct buffer *b)
{
	char *text = b->data ? realloc(b->data, b->len + 1) : calloc(1, 1);

	if (text)
		*b = (struct buffer){ .data = NULL };
	return text;
}

static void entry_cleanup(struct code_entry **e)
{
	entry_free(*e);
}

/* Takes the texts over. */
static int add(struct code_table *t, const struct code_id *id, struct code_text *text)
{
	OWNS(entry) struct code_entry *e = NULL;
	size_t bytes = sizeof(*e) + text->name.len + text->file.len + text->linetable.len + 2;
	int err;

	if (code_table_bytes(t) + bytes > CODE_TABLE_BYTES) {
		t->refused++;
		return -ENOSPC;
	}
	e = calloc(1, sizeof(*e));
	if (!e || make_room(t))
		return -ENOMEM;
	*e = (struct code_entry){ .code = id->code, .key = id->key };
	/* co_firstlineno is an int; below 1 there is no line. */
	e->first_line = text->first_line > INT32_MAX ? 0 : text->first_line;
	e->linetable_kind = linetable_kind_of(t->at.version);
	e->linetable_len = text->linetable.len;
	e->has_cut_linetable = text->has_cut_linetable;
	e->name = take_text(&text->name);
	e->file = take_text(&text->file);
	e->linetable = (uint8_t *)take_text(&text->linetable);
	if (!e->name || !e->file || !e->linetable)
		return -ENOMEM;
	err = hash_index_add(&t->index, hash_of(t, id), t->count);
	if (err)
		return err;
	t->entries[t->count++] = TAKE(e);
	t->bytes += bytes;
	return 0;
}

/* Whether a text of a record is one at all. */
static bool is_text(const struct sp_text *text)
{
	return (!text->width && !text->stored) ||
	       ((text->width == 1 || text->width == 2 || text->width == 4) &&
		text->stored <= (uint64_t)text->length * text->width);
}

static int check_record(const struct sp_code *r)
{
	uint64_t bytes =
		sizeof(*r) + r->name.stored + r->file.stored + (uint64_t)r->linetable_stored;

	if (r->head.size < sizeof(*r) || bytes > r->head.size || !is_text(&r->name) ||
	    !is_text(&r->file) || r->linetable_stored > r->linetable_length)
		return -EBADMSG;
	return 0;
}

static bool has_whole_linetable(const struct sp_code *r)
{
	return r->has_linetable && r->linetable_stored == r->linetable_length;
}

static bool is_whole(const struct sp_code *r)
{
	return r->name.width && r->file.width && has_whole_linetable(r);
}

static void copy_record(const struct sp_code *r, struct code_text *out)
{
	const uint8_t *at = r->bytes;

	out->first_line = r->first_line;
	text_add(&out->name, at, r->name.stored, r->name.width, r->name.length);
	at += r->name.stored;
	text_add(&out->file, at, r->file.stored, r->file.width, r->file.length);
	at += r->file.stored;
	buffer_add(&out->linetable, at, r->linetable_stored);
	out->has_cut_linetable = !has_whole_linetable(r);
}

static int text_error(const struct code_text *text)
{
	if (buffer_error(&text->name) || buffer_error(&text->file))
		return -ENOMEM;
	return buffer_error(&text->linetable);
}

/* From the process. As code_read(), and remembers when there is none any more. */
static int read_code(struct code_table *t, const struct code_id *id, struct code_text *out)
{
	int err = t->is_gone ? -ESRCH : code_read(t->pid, &t->at, id->code, id->key, out);

	if (err == -ESRCH)
		t->is_gone = true;
	return err;
}

int code_table_learn(struct code_table *t, const struct sp_code *record)
{
	OWNS(code_text) struct code_text text = { .first_line = 0 };
	struct code_id id = id_of(record->code, record->key);
	int err = check_record(record);

	if (err)
		return err;
	if (find_known(t, &id))
		return 0;
	if (is_whole(record) || read_code(t, &id, &text)) {
		/* A cut table of lines still serves its first part; a missing name does not. */
		if (!record->name.width || !record->file.width)
			return 0;
		copy_record(record, &text);
	}
	err = text_error(&text);
	return err ? err : add(t, &id, &text);
}

static struct miss *miss_of(struct code_table *t, const struct code_id *id)
{
	return &t->misses[hash_of(t, id) % MISSES];
}

const struct code_entry *code_table_find(struct code_table *t, uint64_t code, uint32_t key)
{
	OWNS(code_text) struct code_text text = { .first_line = 0 };
	struct code_id id = id_of(code, key);
	const struct code_entry *known = find_known(t, &id);
	struct miss *miss;

	if (known || t->is_gone)
		return known;
	miss = miss_of(t, &id);
	if (miss->id.code == code && miss->id.key == key && monotonic_ns() < miss->until_ns)
		return NULL;
	if (!read_code(t, &id, &text) && !add(t, &id, &text))
		return find_known(t, &id);
	*miss = (struct miss){ .id = id, .until_ns = monotonic_ns() + MISS_NS };
	return NULL;
}

uint32_t code_entry_line(const struct code_entry *e, uint32_t instr)
{
	int line;

	if (instr == SP_INSTR_BEFORE)
		return e->first_line;
	if (e->has_cut_linetable && e->linetable_kind == LINETABLE_LNOTAB &&
	    instr >= linetable_units(e->linetable_kind, e->linetable, e->linetable_len))
		return 0;
	line = linetable_lookup(e->linetable_kind, e->linetable, e->linetable_len, e->first_line,
				instr);
	return line > 0 ? line : 0;
}

size_t code_table_bytes(const struct code_table *t)
{
	return sizeof(*t) + t->bytes + t->room * sizeof(struct code_entry *) +
	       t->index.capacity * 2 * sizeof(uint32_t);
}

uint64_t code_table_refused(const struct code_table *t)
{
	return t->refused;
}
