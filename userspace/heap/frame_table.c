/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/frame_table.h"

#include "heap/interning.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define FRAME_SLOTS (2 * FRAME_TABLE_MOST)
#define TEXT_SLOTS (1u << 17)
#define TEXT_MOST 4096 /* bytes of one text, with its NUL */

enum naming {
	NAMELESS,
	BEING_NAMED,
	NAMED,
};

struct entry {
	struct stack_frame frame;
	uint32_t function; /* places in texts */
	uint32_t file;
	uint32_t line;
	uint16_t is_python;
	_Atomic uint16_t naming;
};
_Static_assert(sizeof(struct entry) == 32, "what the whole takes is promised");

struct frame_table {
	struct interning by_frame;
	struct interning by_text;
	_Atomic uint32_t count;
	_Atomic uint32_t text_bytes;
	_Atomic uint64_t dropped_names;
	_Atomic uint64_t frame_slots[FRAME_SLOTS];
	_Atomic uint64_t text_slots[TEXT_SLOTS];
	struct entry entries[FRAME_TABLE_MOST];
	char texts[FRAME_TABLE_TEXT_BYTES];
};

struct frame_table *frame_table_new(void)
{
	struct frame_table *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (t == MAP_FAILED)
		return NULL;
	t->by_frame = (struct interning){ t->frame_slots, FRAME_SLOTS - 1 };
	t->by_text = (struct interning){ t->text_slots, TEXT_SLOTS - 1 };
	return t;
}

void frame_table_free(struct frame_table *t)
{
	if (t)
		munmap(t, sizeof(*t));
}

struct wanted_frame {
	const struct frame_table *table;
	const struct stack_frame *frame;
};

static bool same_frame(const void *context, uint32_t number)
{
	const struct wanted_frame *w = context;

	return stack_frame_same(&w->table->entries[number].frame, w->frame);
}

int64_t frame_table_intern(struct frame_table *t, const struct stack_frame *frame)
{
	struct wanted_frame w = { t, frame };
	struct interning_place at;
	uint64_t hash = interning_hash(INTERNING_HASH_BEGIN, frame, sizeof(*frame));
	int64_t number = interning_find(&t->by_frame, hash, same_frame, &w, &at);

	if (number != -ENOENT)
		return number;
	number = interning_reserve(&t->count, 1, FRAME_TABLE_MOST);
	if (number < 0) {
		interning_abandon(&at);
		return number;
	}
	t->entries[number].frame = *frame;
	interning_publish(&at, number);
	return number;
}

struct stack_frame frame_table_get(const struct frame_table *t, uint32_t number)
{
	return t->entries[number].frame;
}

struct wanted_text {
	const struct frame_table *table;
	const char *text;
};

static bool same_text(const void *context, uint32_t place)
{
	const struct wanted_text *w = context;

	return !strcmp(&w->table->texts[place], w->text);
}

/* The place of @text, or -ENOSPC. */
static int64_t add_text(struct frame_table *t, const char *text)
{
	struct wanted_text w = { t, text };
	struct interning_place at;
	size_t len = strnlen(text, TEXT_MOST);
	int64_t place;

	if (len == TEXT_MOST)
		return -ENOSPC;
	place = interning_find(&t->by_text, interning_hash(INTERNING_HASH_BEGIN, text, len),
			       same_text, &w, &at);
	if (place != -ENOENT)
		return place;
	place = interning_reserve(&t->text_bytes, len + 1, FRAME_TABLE_TEXT_BYTES);
	if (place < 0) {
		interning_abandon(&at);
		return place;
	}
	memcpy(&t->texts[place], text, len + 1);
	interning_publish(&at, place);
	return place;
}

int frame_table_name(struct frame_table *t, uint32_t number, const struct frame_names *names)
{
	struct entry *e = &t->entries[number];
	uint16_t nameless = NAMELESS;
	int64_t function, file;

	if (!atomic_compare_exchange_strong_explicit(&e->naming, &nameless, BEING_NAMED,
						     memory_order_acquire, memory_order_relaxed))
		return -EEXIST;
	function = add_text(t, names->function);
	file = add_text(t, names->file);
	if (function < 0 || file < 0) {
		atomic_fetch_add_explicit(&t->dropped_names, 1, memory_order_relaxed);
		atomic_store_explicit(&e->naming, NAMELESS, memory_order_release);
		return -ENOSPC;
	}
	e->function = function;
	e->file = file;
	e->line = names->line;
	e->is_python = names->is_python;
	atomic_store_explicit(&e->naming, NAMED, memory_order_release);
	return 0;
}

int frame_table_names(const struct frame_table *t, uint32_t number, struct frame_names *names)
{
	const struct entry *e = &t->entries[number];

	if (atomic_load_explicit(&e->naming, memory_order_acquire) != NAMED)
		return -ENOENT;
	*names = (struct frame_names){
		.function = &t->texts[e->function],
		.file = &t->texts[e->file],
		.line = e->line,
		.is_python = e->is_python,
	};
	return 0;
}

uint32_t frame_table_count(const struct frame_table *t)
{
	return atomic_load_explicit(&t->count, memory_order_relaxed);
}

uint64_t frame_table_dropped_names(const struct frame_table *t)
{
	return atomic_load_explicit(&t->dropped_names, memory_order_relaxed);
}

size_t frame_table_bytes(const struct frame_table *t)
{
	return offsetof(struct frame_table, entries) + frame_table_count(t) * sizeof(struct entry) +
	       atomic_load_explicit(&t->text_bytes, memory_order_relaxed);
}

size_t frame_table_most_bytes(void)
{
	return sizeof(struct frame_table);
}
