/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up to 3.11 a process has one pymalloc. Then each interpreter that asks for it has its own: in
 * 3.12 its books lie in the interpreter's state, from 3.13 on the state points to them. Where,
 * the main interpreter's show, whose books are found by what they hold.
 */
#include "resolve/allocator_search.h"

#include "python/pylayout.h"
#include "python/pynames_layout.h"
#include "resolve/allocator_arenas.h"
#include "resolve/allocator_tables.h"

#include <errno.h>
#include <string.h>

#define MOST_INTERPRETERS 4096
#define TRIES 3 /* the array may move while it is looked for */

/* _obmalloc_state begins with two pointers for each of 32 sizes; its arenas follow. */
#define STATE_TO_ARENAS 0x200
#define INTERPRETER_BYTES 65536 /* of its state; the way begins at up to 0x2a98 */

/* Versions from which on an interpreter's state holds its books, and points to them. */
#define OWN_BOOKS 0x030c0000
#define POINTS_TO_BOOKS 0x030d0000

/* What one search works with. */
struct search {
	const struct target_reader *memory;
	const struct allocator_places *places;
	const struct interpreter *in;
	struct allocator_chain chains[ALLOCATOR_DOMAINS];
	struct arenas_found main;
};

/* How an interpreter's state leads to its arenas. */
struct way {
	bool is_none; /* up to 3.11; later: it was not found */
	bool is_pointer;
	uint64_t offset;
};

static int read_word(const struct search *s, uint64_t address, uint64_t *out)
{
	return s->memory->read(s->memory->ctx, address, out, sizeof(*out));
}

static bool is_worse_than_torn(int err)
{
	return err == -ESRCH || err == -EPERM || err == -ENOMEM;
}

/* The way that leads from the main interpreter, at @interp, to the arenas that were found. */
static int find_way(const struct search *s, uint64_t interp, struct way *out)
{
	OWNS_MEM uint64_t *words = malloc(INTERPRETER_BYTES);
	uint32_t version = s->in->layout.version;
	int err;

	*out = (struct way){ .is_none = true };
	if (version < OWN_BOOKS || !words)
		return words ? 0 : -ENOMEM;
	if (version < POINTS_TO_BOOKS) {
		*out = (struct way){ .offset = s->main.at - interp };
		out->is_none = out->offset >= INTERPRETER_BYTES;
		return 0;
	}
	err = s->memory->read(s->memory->ctx, interp, words, INTERPRETER_BYTES);
	for (size_t i = 0; !err && i < INTERPRETER_BYTES / sizeof(*words); i++) {
		if (words[i] != s->main.at - STATE_TO_ARENAS)
			continue;
		*out = (struct way){ .is_pointer = true, .offset = i * sizeof(*words) };
		break;
	}
	return err;
}

static bool has_heap(const struct allocator *a, uint64_t arenas)
{
	for (unsigned int i = 0; i < a->heap_count; i++)
		if (a->heaps[i].arenas == arenas)
			return true;
	return false;
}

/* 0 also where it has none of its own. What was forged is not looked at for ever. */
static int add_interpreter(const struct search *s, uint64_t interp, const struct way *way,
			   struct allocator *out)
{
	uint64_t at = interp + way->offset, arenas = 0;
	struct arenas_found found;
	int err = way->is_pointer ? read_word(s, at, &at) : 0;

	if (!err && at && way->is_pointer)
		at += STATE_TO_ARENAS;
	if (!err && at)
		err = read_word(s, at, &arenas);
	if (!err && (!arenas || has_heap(out, arenas)))
		return 0;
	if (!err && out->heap_count + out->heaps_left_out < ALLOCATOR_MOST_HEAPS)
		err = allocator_arenas_check(s->memory, arenas, &found);
	else if (!err)
		err = -ENOENT;
	if (is_worse_than_torn(err))
		return err;
	if (err || memcmp(&found.sizes, &s->main.sizes, sizeof(found.sizes)))
		out->heaps_left_out++;
	else
		out->heaps[out->heap_count++] = (struct allocator_heap){ at, arenas, found.count };
	return 0;
}

/* Where an interpreter's state has the next one's. */
static int find_next(const struct search *s, uint32_t *out)
{
	uint8_t head[PYLAYOUT_DEBUG_OFFSETS_BYTES];
	struct pynames_layout names;
	int err = s->memory->read(s->memory->ctx, s->in->runtime, head, sizeof(head));

	if (err && err != -EFAULT)
		return err;
	err = pynames_layout_find(&s->in->layout, head, err ? 0 : sizeof(head), &names);
	*out = names.interp_next;
	return err;
}

/* Those of the other interpreters. */
static int add_interpreters(const struct search *s, struct allocator *out)
{
	uint64_t heads[2], interp; /* head, main */
	struct way way;
	uint32_t next = 0;
	int err = s->memory->read(s->memory->ctx,
				  s->in->runtime + s->in->layout.runtime_interpreters_head, heads,
				  sizeof(heads));

	if (!err)
		err = find_way(s, heads[1], &way);
	if (err || s->in->layout.version < OWN_BOOKS)
		return is_worse_than_torn(err) ? err : 0;
	err = find_next(s, &next);
	interp = err ? 0 : heads[0];
	for (int i = 0; !err && interp && i < MOST_INTERPRETERS; i++) {
		if (interp != heads[1] && way.is_none)
			out->heaps_left_out++;
		else if (interp != heads[1])
			err = add_interpreter(s, interp, &way, out);
		if (!err)
			err = read_word(s, interp + next, &interp);
	}
	if (err || interp) /* at least one */
		out->heaps_left_out++;
	return is_worse_than_torn(err) ? err : 0;
}

static bool is_foreign(const struct allocator_chain *c)
{
	return c->is_hooked && !c->is_last_known;
}

static int find_heaps(struct search *s, struct allocator *out, const char **why)
{
	int err = -ENOENT;

	for (int i = 0; i < TRIES && err == -ENOENT; i++)
		err = allocator_arenas_find(s->memory, s->places, &s->main);
	if (err == -ENOENT || err == -E2BIG) {
		*why = is_foreign(&s->chains[ALLOCATOR_OBJ])
			       ? "its objects come from an allocator that is not Python's own"
			       : "pymalloc's arenas were not found in its memory";
		return -ENOTSUP;
	}
	if (err)
		return err;
	out->pool_bytes = s->main.sizes.pool_bytes;
	out->arena_bytes = s->main.sizes.arena_bytes;
	out->heaps[0] = (struct allocator_heap){ s->main.at, s->main.arenas, s->main.count };
	out->heap_count = 1;
	return add_interpreters(s, out);
}

/* Which one works behind the tables. pymalloc and mimalloc never share a function with raw. */
static int find_kind(const struct search *s, struct allocator *out, const char **why)
{
	const struct allocator_chain *raw = &s->chains[ALLOCATOR_RAW],
				     *mem = &s->chains[ALLOCATOR_MEM],
				     *obj = &s->chains[ALLOCATOR_OBJ];

	/* All domains have them, or none has. */
	out->has_debug_hooks = obj->has_debug_hooks ||
			       (is_foreign(obj) && (mem->has_debug_hooks || raw->has_debug_hooks));
	out->is_hooked = obj->is_hooked;
	out->is_traced = obj->is_traced;
	if (allocator_tables_are_same(&obj->last, &raw->last)) {
		*why = "its objects come from malloc (PYTHONMALLOC=malloc, or a Python that was "
		       "built without pymalloc), which cannot be read from outside";
		return -ENOTSUP;
	}
	/* Of mimalloc each domain has functions of its own, of pymalloc both have the same. */
	if (s->in->layout.is_free_threaded || (obj->is_last_known && mem->is_last_known &&
					       !allocator_tables_are_same(&obj->last, &mem->last)))
		out->kind = ALLOCATOR_MIMALLOC;
	return 0;
}

int allocator_search(const struct target_reader *memory, const struct allocator_places *places,
		     const struct interpreter *in, struct allocator *out, const char **why)
{
	struct search s = { .memory = memory, .places = places, .in = in };
	int err = allocator_tables_read(memory, places, s.chains);

	*out = (struct allocator){ .kind = ALLOCATOR_PYMALLOC };
	if (err == -ENOENT || err == -EFAULT) {
		*why = "what allocates its objects was not found in its memory";
		return -ENOTSUP;
	}
	if (!err)
		err = find_kind(&s, out, why);
	if (!err && out->kind == ALLOCATOR_PYMALLOC)
		err = find_heaps(&s, out, why);
	return err;
}
