/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From 3.12 on the tables lie in _PyRuntime, recognised by what they hold. Before, they are
 * variables without a name in a stripped file, but PyObject_Malloc is exported, two or three
 * instructions long, and loads from them.
 */
#include "resolve/allocator_tables.h"

#include "native/rip_loads.h"
#include "resolve/exports.h"

#include <errno.h>
#include <string.h>

#define RUNTIME_BYTES 4096 /* of _PyRuntime: the tables are at 0x60 to 0x2c0 */
#define CODE_BYTES 128	   /* of a function that loads from a table */
#define MOST_LOADS 16
#define MOST_HOOKS 8 /* one before the other */

/* What PyMem_SetupDebugHooks() gives its functions: struct debug_alloc_api_t. */
struct debug_hook {
	char id;
	char padding[7];
	struct allocator_table inner;
};

/* struct _pymem_allocators: standard, debug */
struct tables {
	struct allocator_table standard[ALLOCATOR_DOMAINS];
	struct debug_hook debug[ALLOCATOR_DOMAINS];
};
_Static_assert(sizeof(struct tables) == 264, "as CPython has them");

static const char debug_ids[ALLOCATOR_DOMAINS] = { 'r', 'm', 'o' };

static bool is_table(const struct allocator_places *places, const struct allocator_table *t)
{
	for (int i = 0; i < 4; i++)
		if (!allocator_places_is_code(places, t->functions[i]))
			return false;
	return true;
}

static bool is_own(const struct allocator_places *places, const struct allocator_table *t)
{
	for (int i = 0; i < 4; i++)
		if (!allocator_places_is_own_code(places, t->functions[i]))
			return false;
	return true;
}

bool allocator_tables_are_same(const struct allocator_table *a, const struct allocator_table *b)
{
	return !memcmp(a->functions, b->functions, sizeof(a->functions));
}

static bool are_tables(const struct allocator_places *places, const struct tables *t)
{
	for (int i = 0; i < ALLOCATOR_DOMAINS; i++)
		if (!is_table(places, &t->standard[i]) || t->debug[i].id != debug_ids[i] ||
		    !is_table(places, &t->debug[i].inner))
			return false;
	return true;
}

/* 0; -ENOENT _PyRuntime has none. */
static int find_in_runtime(const struct target_reader *memory,
			   const struct allocator_places *places,
			   struct allocator_table out[ALLOCATOR_DOMAINS])
{
	uint64_t words[RUNTIME_BYTES / 8];
	size_t last = sizeof(words) - sizeof(struct tables);
	struct tables t;
	int err = memory->read(memory->ctx, places->runtime, words, sizeof(words));

	if (err)
		return err == -EFAULT ? -ENOENT : err; /* an older one may be shorter */
	for (size_t at = 0; at <= last; at += 8) {
		memcpy(&t, (const char *)words + at, sizeof(t));
		if (!are_tables(places, &t))
			continue;
		memcpy(out, t.standard, sizeof(t.standard));
		return 0;
	}
	return -ENOENT;
}

/* That a table lies at @address. 0; -ENOENT; what else the reader says. */
static int read_table(const struct target_reader *memory, const struct allocator_places *places,
		      uint64_t address, struct allocator_table *out)
{
	int err = memory->read(memory->ctx, address, out, sizeof(*out));

	if (!err && !is_table(places, out))
		err = -ENOENT;
	return err == -EFAULT ? -ENOENT : err;
}

/* The table that the function called @name loads from: its ctx first, or its function. */
static int find_by_code(const struct target_reader *memory, const struct allocator_places *places,
			const struct exports *x, const char *name, struct allocator_table *out)
{
	uint64_t address, bytes, loads[MOST_LOADS];
	uint8_t code[CODE_BYTES];
	size_t count;
	int err = exports_find(x, name, &address, &bytes);

	if (err)
		return err;
	bytes = bytes < sizeof(code) ? bytes : sizeof(code);
	err = memory->read(memory->ctx, address, code, bytes);
	if (err)
		return err;
	count = rip_loads(code, bytes, address, loads, MOST_LOADS);
	err = -ENOENT;
	for (size_t i = 0; i < count && err == -ENOENT; i++) {
		if (!allocator_places_is_own(places, loads[i]))
			continue;
		err = read_table(memory, places, loads[i], out);
		if (err == -ENOENT)
			err = read_table(memory, places, loads[i] - sizeof(out->ctx), out);
	}
	return err;
}

static int find_by_exports(const struct target_reader *memory,
			   const struct allocator_places *places,
			   struct allocator_table out[ALLOCATOR_DOMAINS])
{
	static const char *const names[ALLOCATOR_DOMAINS] = {
		"PyMem_RawMalloc",
		"PyMem_Malloc",
		"PyObject_Malloc",
	};
	struct exports x;
	int err = exports_open(memory, places->base, &x);

	for (int i = 0; !err && i < ALLOCATOR_DOMAINS; i++)
		err = find_by_code(memory, places, &x, names[i], &out[i]);
	return err == -EFAULT || err == -EBADMSG ? -ENOENT : err;
}

/* Follows c->last by one hook, if it is one. 0; -ENOENT it is not; what else the reader says. */
static int follow_hook(const struct target_reader *memory, const struct allocator_places *places,
		       char id, struct allocator_chain *c)
{
	bool was_own = is_own(places, &c->last);
	struct allocator_table saved;
	struct debug_hook hook;
	int err;

	if (!was_own)
		c->is_hooked = true;
	if (!c->last.ctx)
		return -ENOENT;
	err = memory->read(memory->ctx, c->last.ctx, &hook, sizeof(hook));
	if (!err && was_own && hook.id == id && is_table(places, &hook.inner)) {
		c->has_debug_hooks = true;
		c->last = hook.inner;
		return 0;
	}
	memcpy(&saved, &hook, sizeof(saved));
	if (err || !is_table(places, &saved))
		return !err || err == -EFAULT ? -ENOENT : err;
	if (was_own) /* the only other one that a Python has itself */
		c->is_hooked = c->is_traced = true;
	c->last = saved;
	return 0;
}

static int follow(const struct target_reader *memory, const struct allocator_places *places,
		  char id, const struct allocator_table *first, struct allocator_chain *out)
{
	int err = 0;

	*out = (struct allocator_chain){ .last = *first };
	for (int i = 0; i < MOST_HOOKS && !err; i++)
		err = follow_hook(memory, places, id, out);
	if (err && err != -ENOENT)
		return err;
	out->is_last_known = err && is_own(places, &out->last) && !out->last.ctx;
	return 0;
}

int allocator_tables_read(const struct target_reader *memory, const struct allocator_places *places,
			  struct allocator_chain out[ALLOCATOR_DOMAINS])
{
	struct allocator_table tables[ALLOCATOR_DOMAINS];
	int err = find_in_runtime(memory, places, tables);

	if (err == -ENOENT)
		err = find_by_exports(memory, places, tables);
	for (int i = 0; !err && i < ALLOCATOR_DOMAINS; i++)
		err = follow(memory, places, debug_ids[i], &tables[i], &out[i]);
	return err;
}
