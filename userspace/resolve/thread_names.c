/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/thread_names.h"

#include "base/buffer.h"
#include "python/pylayout.h"
#include "resolve/page_reader.h"
#include "resolve/pyobjects.h"
#include "resolve/text_reader.h"

#include <errno.h>
#include <stdbool.h>

#define MOST_INTERPRETERS 64
#define MOST_TEXT_BYTES (256u << 10) /* of a process; names behind them are not read */
#define LONGEST_NAME_BYTES (4 * (THREAD_NAMES_MOST_CHARS + 1) + 1)

struct thread_name {
	uint64_t ident;
	size_t text; /* where it starts among the texts */
};

/* Where in their dicts things were found last. */
struct name_hints {
	uint32_t sys, builtins, threading, active, name;
};

struct thread_names {
	uint64_t runtime;
	struct sp_pylayout layout;
	struct buffer texts; /* each with a NUL */
	struct thread_name *names;
	uint32_t count, room;
	struct name_hints hints;
};

struct thread_names *thread_names_new(uint64_t runtime, const struct sp_pylayout *at)
{
	struct thread_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->runtime = runtime;
	n->layout = *at;
	return n;
}

static void forget(struct thread_names *n)
{
	buffer_fini(&n->texts);
	free(n->names);
	n->texts = (struct buffer){ .data = NULL };
	n->names = NULL;
	n->count = n->room = 0;
}

void thread_names_free(struct thread_names *n)
{
	if (!n)
		return;
	forget(n);
	free(n);
}

static int append(struct thread_names *n, uint64_t ident, size_t text)
{
	uint32_t room = n->room ? n->room * 2 : 16;

	if (n->count == n->room) {
		struct thread_name *names = realloc(n->names, room * sizeof(*names));

		if (!names)
			return -ENOMEM;
		n->names = names;
		n->room = room;
	}
	n->names[n->count++] = (struct thread_name){ ident, text };
	return 0;
}

/* Adds what @object, a Thread, has for its name. */
static int add_name(struct pyobjects *r, uint64_t ident, uint64_t object, struct thread_names *n)
{
	struct pyobjects_dict attributes;
	uint64_t name;
	size_t start = n->texts.len;
	int err = pyobjects_open_attributes(r, object, &attributes);

	if (!err)
		err = pyobjects_find(r, &attributes, "_name", &n->hints.name, &name);
	if (!err)
		err = pyobjects_check_text(r, name);
	if (!err)
		err = text_read(&r->memory, r->layout, name, THREAD_NAMES_MOST_CHARS, &n->texts);
	if (err || n->texts.len == start)
		return err;
	buffer_add(&n->texts, "", 1);
	err = buffer_error(&n->texts);
	return err ? err : append(n, ident, start);
}

static bool is_worse_than_torn(int err)
{
	return err == -ESRCH || err == -EPERM || err == -ENOMEM;
}

/* Those of threading._active, which is @active. One that changes meanwhile has no name. */
static int add_names(struct pyobjects *r, const struct pyobjects_dict *active,
		     struct thread_names *n)
{
	for (uint32_t i = 0; i < active->keys.count; i++) {
		uint64_t key, thread, ident;
		int err = pyobjects_entry(r, active, i, &key, &thread);

		if (n->count == THREAD_NAMES_MOST ||
		    n->texts.len + LONGEST_NAME_BYTES > MOST_TEXT_BYTES)
			return 0;
		if (!err && (!key || !thread))
			continue;
		if (!err)
			err = pyobjects_int(r, key, &ident);
		if (!err)
			err = add_name(r, ident, thread, n);
		if (is_worse_than_torn(err))
			return err;
	}
	return 0;
}

/* That it is sys.modules: one that has what every Python imports first. */
static int open_modules(struct pyobjects *r, uint64_t interp, struct name_hints *hints,
			struct pyobjects_dict *out)
{
	uint64_t modules, module;
	int err = pyobjects_word(r, interp + r->at.interp_modules, &modules);

	if (!err)
		err = pyobjects_open_dict(r, modules, out);
	if (!err)
		err = pyobjects_find(r, out, "sys", &hints->sys, &module);
	if (!err)
		err = pyobjects_find(r, out, "builtins", &hints->builtins, &module);
	return err == -ENOENT ? -EBADMSG : err;
}

/* 0 also where threading was not imported. */
static int read_interpreter(struct pyobjects *r, uint64_t interp, struct thread_names *n)
{
	struct pyobjects_dict dict;
	uint64_t module, contents, active;
	int err = open_modules(r, interp, &n->hints, &dict);

	if (err)
		return err;
	err = pyobjects_find(r, &dict, "threading", &n->hints.threading, &module);
	if (!err)
		err = pyobjects_word(r, module + r->at.object_size, &contents);
	if (!err)
		err = pyobjects_open_dict(r, contents, &dict);
	if (!err)
		err = pyobjects_find(r, &dict, "_active", &n->hints.active, &active);
	if (!err)
		err = pyobjects_open_dict(r, active, &dict);
	if (!err)
		err = add_names(r, &dict, n);
	return err == -ENOENT ? 0 : err;
}

/*
 * The main interpreter goes first: where others have a thread of its too, its name for it counts.
 */
static int read_interpreters(struct pyobjects *r, struct thread_names *n)
{
	uint64_t heads[2], interp; /* head, main */
	int err = r->memory.read(r->memory.ctx, n->runtime + n->layout.runtime_interpreters_head,
				 heads, sizeof(heads));

	if (!err)
		err = read_interpreter(r, heads[1], n);
	interp = err ? 0 : heads[0];
	for (int i = 0; interp && i < MOST_INTERPRETERS; i++) {
		if (interp != heads[1] && is_worse_than_torn(read_interpreter(r, interp, n)))
			break;
		if (pyobjects_word(r, interp + r->at.interp_next, &interp))
			break;
	}
	return err;
}

int thread_names_read(struct thread_names *n, const struct target_reader *memory)
{
	OWNS_MEM struct page_reader *pages = page_reader_new(memory);
	uint8_t head[PYLAYOUT_DEBUG_OFFSETS_BYTES] = { 0 };
	struct pyobjects r = { .layout = &n->layout };
	struct thread_names next = { .runtime = n->runtime,
				     .layout = n->layout,
				     .hints = n->hints };
	int err;

	if (!pages)
		return -ENOMEM;
	r.memory = page_reader_as_reader(pages);
	err = r.memory.read(r.memory.ctx, n->runtime, head, sizeof(head));
	if (err && err != -EFAULT)
		return err;
	err = pynames_layout_find(&n->layout, head, err ? 0 : sizeof(head), &r.at);
	if (!err)
		err = read_interpreters(&r, &next);
	if (err) {
		forget(&next);
		return err;
	}
	forget(n);
	*n = next;
	return 0;
}

const char *thread_names_find(const struct thread_names *n, uint64_t ident)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (n->names[i].ident == ident)
			return n->texts.data + n->names[i].text;
	return NULL;
}
