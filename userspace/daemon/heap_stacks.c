/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_stacks.h"

#include "daemon/frames.h"
#include "heap/heap_map.h"

#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#define CACHED 8192 /* stacks, of 32 bytes */

/* A raw stack that was met, told by a hash that no target can foresee. */
struct known {
	XXH128_hash_t raw;
	struct heap_stack stack;
};

struct heap_stacks {
	struct stack_table *table;
	uint64_t seed;
	struct known known[CACHED];
};

/* A stack on its way into the table. */
struct merged {
	struct heap_stacks *owner;
	struct stack_frame frames[STACK_TABLE_DEPTH];
	uint32_t depth;
	uint16_t flags;
	uint64_t line;
	bool has_unknown; /* a name may be known the next time */
};

/* What a stack is told by, before it has names. */
struct raw {
	XXH128_hash_t frames;
	uint32_t pid, epoch, end, native_count;
	uint64_t native[SP_NATIVE_FRAMES];
};

struct heap_stacks *heap_stacks_new(struct stack_table *table)
{
	struct heap_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->table = table;
	if (getrandom(&s->seed, sizeof(s->seed), GRND_NONBLOCK) != sizeof(s->seed))
		s->seed = (uintptr_t)s; /* no worse than none */
	return s;
}

void heap_stacks_free(struct heap_stacks *s)
{
	free(s);
}

static uint64_t hash_of(const struct heap_stacks *s, const struct frame_names *f)
{
	uint64_t hash = XXH3_64bits_withSeed(f->function, strlen(f->function), s->seed);

	hash = XXH3_64bits_withSeed(f->file, strlen(f->file), hash);
	return XXH3_64bits_withSeed(&f->line, sizeof(f->line), hash);
}

/* Adds a frame; its identity. One whose names have no room has none. */
static uint64_t add(struct merged *m, const struct frame_names *names)
{
	struct frame_table *frames = stack_table_frames(m->owner->table);
	const struct stack_frame frame = { .address = hash_of(m->owner, names),
					   .kind = names->is_python };
	int64_t number;

	m->flags |= names->is_python ? STACK_PYTHON_ATTR : 0;
	if (m->depth == STACK_TABLE_DEPTH) {
		m->flags |= STACK_TRUNCATED;
		return frame.address;
	}
	number = frame_table_intern(frames, &frame);
	if (number >= 0)
		(void)frame_table_name(frames, number, names);
	m->frames[m->depth++] = frame;
	return frame.address;
}

static void add_native(struct merged *m, const struct raw *raw, struct native_names *names)
{
	struct native_name name;

	for (uint32_t i = 0; i < raw->native_count; i++) {
		if (native_names_find(names, raw->native[i], &name))
			return;
		if (!*name.function)
			name.function = "[native]";
		add(m, &(struct frame_names){ .function = name.function, .file = name.file });
	}
}

static void add_python(struct merged *m, struct process *p, const struct sp_sample *sample)
{
	for (uint32_t i = 0; i < sample->frame_count && !(m->flags & STACK_TRUNCATED); i++) {
		struct frame_name name = frame_name_of(p, &sample->frames[i]);
		uint64_t line = add(m, &(struct frame_names){ name.function, name.file, name.line,
							      .is_python = true });

		m->has_unknown |= name.kind == PROFILE_UNKNOWN;
		if (i == 0 && name.kind != PROFILE_UNKNOWN)
			m->line = line;
	}
}

static void add_end(struct merged *m, const struct sp_sample *sample)
{
	struct frame_name name;

	if (sample->end == SP_END_DEPTH)
		m->flags |= STACK_TRUNCATED;
	else if (frame_name_of_end(sample->end, sample->frame_count, &name) &&
		 (name.kind != PROFILE_NATIVE || !m->depth))
		add(m, &(struct frame_names){ name.function, name.file,
					      .is_python = name.kind != PROFILE_NATIVE });
}

static struct raw raw_of(const struct heap_stacks *s, const struct sp_alloc *a,
			 struct native_names *names)
{
	const struct sp_sample *sample = &a->sample;
	size_t bytes = sample->frame_count * sizeof(sample->frames[0]);
	struct raw raw = { .frames = XXH3_128bits_withSeed(sample->frames, bytes, s->seed),
			   .pid = a->head.pid,
			   .epoch = sample->epoch,
			   .end = sample->end };

	while (raw.native_count < a->native_count && raw.native_count < SP_NATIVE_FRAMES) {
		raw.native[raw.native_count] = a->native[raw.native_count];
		raw.native_count++;
	}
	if (names)
		raw.native_count = native_names_above(names, raw.native, raw.native_count);
	else
		raw.native_count = 0;
	for (uint32_t i = raw.native_count; i < SP_NATIVE_FRAMES; i++)
		raw.native[i] = 0;
	return raw;
}

struct heap_stack heap_stacks_find(struct heap_stacks *s, struct process *p,
				   const struct sp_alloc *a, struct native_names *names)
{
	const struct raw raw = raw_of(s, a, names);
	const XXH128_hash_t hash = XXH3_128bits_withSeed(&raw, sizeof(raw), s->seed);
	struct known *known = &s->known[hash.low64 % CACHED];
	struct merged m = { .owner = s };
	struct heap_stack stack;
	int64_t id;

	if (XXH128_isEqual(known->raw, hash))
		return known->stack;
	add_native(&m, &raw, names);
	add_python(&m, p, &a->sample);
	add_end(&m, &a->sample);
	id = stack_table_intern(s->table, m.frames, m.depth, m.flags);
	stack = (struct heap_stack){ id < 0 ? HEAP_NO_STACK : id, m.line };
	if (!m.has_unknown && id >= 0)
		*known = (struct known){ hash, stack };
	return stack;
}
