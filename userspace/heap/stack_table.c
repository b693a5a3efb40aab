/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/stack_table.h"

#include "heap/interning.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define STACK_SLOTS (2 * STACK_TABLE_MOST)
#define ARENA_FRAMES (40 * STACK_TABLE_MOST) /* numbers of frames, of all stacks */

struct entry {
	_Atomic uint64_t hash; /* 0 until all the rest is there */
	uint32_t first;	       /* of its frames in the arena */
	uint16_t depth;
	_Atomic uint16_t flags;
};
_Static_assert(sizeof(struct entry) == 16, "what the whole takes is promised");

struct stack_table {
	struct frame_table *frames;
	struct stack_limits limits;
	struct interning by_stack;
	_Atomic uint32_t count;
	_Atomic uint32_t arena_used;
	_Atomic uint64_t collisions;
	_Atomic uint64_t dropped[STACK_DROPS];
	_Atomic uint64_t slots[STACK_SLOTS];
	struct entry entries[STACK_TABLE_MOST];
	uint32_t arena[ARENA_FRAMES];
};

struct stack_table *stack_table_new(struct stack_limits limits)
{
	OWNS(frame_table) struct frame_table *frames = NULL;
	struct stack_table *t;

	if (limits.stacks > STACK_TABLE_MOST || limits.depth > STACK_TABLE_DEPTH)
		return NULL;
	frames = frame_table_new();
	if (!frames)
		return NULL;
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t == MAP_FAILED)
		return NULL;
	t->frames = TAKE(frames);
	t->limits.stacks = limits.stacks ? limits.stacks : STACK_TABLE_MOST;
	t->limits.depth = limits.depth ? limits.depth : STACK_TABLE_DEPTH;
	t->by_stack = (struct interning){ t->slots, STACK_SLOTS - 1 };
	return t;
}

void stack_table_free(struct stack_table *t)
{
	if (!t)
		return;
	frame_table_free(t->frames);
	munmap(t, sizeof(*t));
}

struct frame_table *stack_table_frames(const struct stack_table *t)
{
	return t->frames;
}

struct wanted {
	const struct stack_table *table;
	const struct stack_frame *frames;
	uint64_t hash;
	uint32_t depth;
	uint16_t flags;
	bool *collides;
};

/* What does not fit is cut off before it is hashed: two stacks may differ in that alone. */
static void cut(const struct stack_table *t, uint32_t *depth, uint16_t *flags)
{
	if (*depth <= t->limits.depth)
		return;
	*depth = t->limits.depth;
	*flags |= STACK_TRUNCATED;
}

uint64_t stack_table_hash(const struct stack_table *t, const struct stack_frame *frames,
			  uint32_t depth, uint16_t flags)
{
	uint64_t hash;
	uint8_t truncated;

	cut(t, &depth, &flags);
	truncated = flags & STACK_TRUNCATED;
	hash = interning_hash(INTERNING_HASH_BEGIN, frames, depth * sizeof(*frames));
	hash = interning_hash(hash, &truncated, sizeof(truncated));
	return hash ? hash : 1;
}

static bool same_frames(const struct wanted *w, const struct entry *e)
{
	const uint32_t *numbers = &w->table->arena[e->first];
	struct stack_frame f;

	for (uint32_t i = 0; i < w->depth; i++) {
		f = frame_table_get(w->table->frames, numbers[i]);
		if (!stack_frame_same(&f, &w->frames[i]))
			return false;
	}
	return true;
}

static bool same_stack(const void *context, uint32_t id)
{
	const struct wanted *w = context;
	const struct entry *e = &w->table->entries[id];
	uint16_t differ;

	if (atomic_load_explicit(&e->hash, memory_order_acquire) != w->hash)
		return false;
	differ = atomic_load_explicit(&e->flags, memory_order_relaxed) ^ w->flags;
	if (e->depth == w->depth && !(differ & STACK_TRUNCATED) && same_frames(w, e))
		return true;
	*w->collides = true;
	return false;
}

/* The numbers of the frames of @w, in the arena: where they start, or -ENOSPC and @why. */
static int64_t add_frames(struct stack_table *t, const struct wanted *w, enum stack_drop *why)
{
	uint32_t numbers[STACK_TABLE_DEPTH];
	int64_t number;

	*why = STACK_DROP_FRAMES;
	for (uint32_t i = 0; i < w->depth; i++) {
		number = frame_table_intern(t->frames, &w->frames[i]);
		if (number < 0)
			return number;
		numbers[i] = number;
	}
	*why = STACK_DROP_ARENA;
	number = interning_reserve(&t->arena_used, w->depth, ARENA_FRAMES);
	if (number >= 0)
		memcpy(&t->arena[number], numbers, w->depth * sizeof(*numbers));
	return number;
}

/* Its id, or -ENOSPC and @why. An entry is complete when its hash is there: that comes last. */
static int64_t add_stack(struct stack_table *t, const struct wanted *w, enum stack_drop *why)
{
	int64_t first, id;
	struct entry *e;

	*why = STACK_DROP_FULL; /* asked first: frames of what is dropped take no room */
	if (atomic_load_explicit(&t->count, memory_order_relaxed) >= t->limits.stacks)
		return -ENOSPC;
	first = add_frames(t, w, why);
	if (first < 0)
		return first;
	*why = STACK_DROP_FULL;
	id = interning_reserve(&t->count, 1, t->limits.stacks);
	if (id < 0)
		return id;
	e = &t->entries[id];
	e->first = first;
	e->depth = w->depth;
	atomic_store_explicit(&e->flags, w->flags & (STACK_TRUNCATED | STACK_PYTHON_ATTR),
			      memory_order_relaxed);
	atomic_store_explicit(&e->hash, w->hash, memory_order_release);
	return id;
}

static int64_t dropped(struct stack_table *t, enum stack_drop why)
{
	atomic_fetch_add_explicit(&t->dropped[why], 1, memory_order_relaxed);
	return -ENOSPC;
}

int64_t stack_table_intern_hashed(struct stack_table *t, uint64_t hash,
				  const struct stack_frame *frames, uint32_t depth, uint16_t flags)
{
	struct interning_place at;
	enum stack_drop why;
	bool collides = false;
	int64_t id;

	if (!depth)
		return -EINVAL;
	cut(t, &depth, &flags);
	struct wanted w = { t, frames, hash, depth, flags, &collides };

	id = interning_find(&t->by_stack, hash, same_stack, &w, &at);
	if (id >= 0)
		return id;
	if (id == -ENOSPC)
		return dropped(t, STACK_DROP_SEARCH);
	id = add_stack(t, &w, &why);
	if (id < 0) {
		interning_abandon(&at);
		return dropped(t, why);
	}
	if (collides)
		atomic_fetch_add_explicit(&t->collisions, 1, memory_order_relaxed);
	interning_publish(&at, id);
	return id;
}

int64_t stack_table_intern(struct stack_table *t, const struct stack_frame *frames, uint32_t depth,
			   uint16_t flags)
{
	uint64_t hash = stack_table_hash(t, frames, depth, flags);

	return stack_table_intern_hashed(t, hash, frames, depth, flags);
}

int stack_table_read(const struct stack_table *t, uint32_t id, struct stack_view *view)
{
	const struct entry *e;
	uint64_t hash;

	if (id >= t->limits.stacks)
		return -ENOENT;
	e = &t->entries[id];
	hash = atomic_load_explicit(&e->hash, memory_order_acquire);
	if (!hash)
		return -ENOENT;
	*view = (struct stack_view){
		.hash = hash,
		.frames = &t->arena[e->first],
		.depth = e->depth,
		.flags = atomic_load_explicit(&e->flags, memory_order_relaxed),
	};
	return 0;
}

bool stack_table_resolve(struct stack_table *t, uint32_t id)
{
	struct stack_view view;
	struct frame_names names;

	if (stack_table_read(t, id, &view))
		return false;
	for (uint32_t i = 0; i < view.depth; i++)
		if (frame_table_names(t->frames, view.frames[i], &names))
			return false;
	atomic_fetch_or_explicit(&t->entries[id].flags, STACK_RESOLVED, memory_order_relaxed);
	return true;
}

static uint64_t capacity(const struct stack_table *t, uint64_t stacks)
{
	uint64_t room = STACK_TABLE_FIRST;

	while (room < stacks)
		room *= 2;
	return room < t->limits.stacks ? room : t->limits.stacks;
}

struct stack_stats stack_table_stats(const struct stack_table *t)
{
	uint32_t arena = atomic_load_explicit(&t->arena_used, memory_order_relaxed);
	struct stack_stats s = {
		.stacks = atomic_load_explicit(&t->count, memory_order_relaxed),
		.collisions = atomic_load_explicit(&t->collisions, memory_order_relaxed),
	};

	for (int i = 0; i < STACK_DROPS; i++) {
		s.dropped[i] = atomic_load_explicit(&t->dropped[i], memory_order_relaxed);
		s.dropped_all += s.dropped[i];
	}
	s.capacity = capacity(t, s.stacks);
	s.bytes = offsetof(struct stack_table, entries) + s.stacks * sizeof(struct entry) +
		  arena * sizeof(*t->arena) + frame_table_bytes(t->frames);
	return s;
}

size_t stack_table_most_bytes(void)
{
	return sizeof(struct stack_table) + frame_table_most_bytes();
}
