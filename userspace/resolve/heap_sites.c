/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_sites.h"

#include "resolve/allocator_places.h"
#include "resolve/heap_sites_parts.h"

#include <errno.h>

static void search_cleanup(struct heap_sites_search *s)
{
	code_map_fini(&s->code);
}

static int refuse(struct heap_sites_search *s, const char *why)
{
	*s->why = why;
	return -ENOTSUP;
}

/* The object domain's functions; where what stands before them hides them, those of mem. */
static void find_kind(struct heap_sites_search *s)
{
	struct allocator_chain *mem = &s->chains[ALLOCATOR_MEM], *obj = &s->chains[ALLOCATOR_OBJ];
	bool are_same;

	if (!obj->is_last_known && mem->is_last_known && !s->in->layout.is_free_threaded)
		*obj = *mem;
	if (!mem->is_last_known && obj->is_last_known && !s->in->layout.is_free_threaded)
		*mem = *obj;
	are_same = allocator_tables_are_same(&obj->last, &mem->last);
	if (!obj->is_last_known || !mem->is_last_known)
		s->objects = OBJECTS_OF_OTHERS;
	else if (allocator_tables_are_same(&obj->last, &s->chains[ALLOCATOR_RAW].last))
		s->objects = OBJECTS_OF_LIBC;
	/* Of mimalloc each domain has functions of its own, of pymalloc both have the same. */
	else if (s->in->layout.is_free_threaded || !are_same)
		s->objects = OBJECTS_OF_MIMALLOC;
	else
		s->objects = OBJECTS_OF_PYMALLOC;
}

static int read_tables(struct heap_sites_search *s)
{
	OWNS(allocator_places) struct allocator_places places = { .runtime = s->in->runtime };
	int err = proc_each_mapping(s->pid, allocator_places_take, &places);

	if (err)
		return err == -EACCES ? -EPERM : err;
	if (!places.has_runtime)
		return -ESRCH; /* it ended, or became another program */
	err = allocator_tables_read(&s->memory, &places, s->chains);
	if (err == -ENOENT || err == -EFAULT)
		return refuse(s, "what allocates its objects was not found in its memory");
	if (!err)
		find_kind(s);
	return err;
}

static int add_growth(struct heap_sites_search *s)
{
	switch (s->objects) {
	case OBJECTS_OF_PYMALLOC:
		return heap_sites_add_refills(s);
	case OBJECTS_OF_MIMALLOC:
		*s->why = "its objects come from mimalloc, which takes its pages in many places";
		return 0;
	case OBJECTS_OF_LIBC:
		*s->why = "its objects come from the C library's allocator, which has no pools";
		return 0;
	case OBJECTS_OF_OTHERS:
		break;
	}
	*s->why = "its objects come from an allocator that is not Python's own";
	return 0;
}

static int add_trace(struct heap_sites_search *s)
{
	int err;

	if (s->objects == OBJECTS_OF_LIBC)
		return 0;
	if (s->objects == OBJECTS_OF_OTHERS) {
		s->out->without = "its objects come from an allocator that is not Python's own: of "
				  "them only what it takes from the C library is seen";
		return 0;
	}
	err = heap_sites_add_objects(s);
	if (!err && s->objects == OBJECTS_OF_PYMALLOC)
		err = heap_sites_note_callers(s);
	return err;
}

int heap_sites_find(pid_t pid, const struct interpreter *in, enum heap_tier tier,
		    struct heap_sites *out, const char **why)
{
	OWNS(search) struct heap_sites_search s = { .pid = pid, .in = in, .out = out, .why = why };
	int err;

	*out = (struct heap_sites){ 0 };
	*why = NULL;
	s.memory = target_reader_of(&s.pid);
	err = code_map_read(pid, &s.code);
	if (!err)
		err = read_tables(&s);
	if (!err)
		err = tier == HEAP_TIER_TRACE ? add_trace(&s) : add_growth(&s);
	if (!err)
		err = heap_sites_add_libc(&s, tier);
	if (!err && !out->count)
		err = refuse(&s, out->without ? out->without
					      : "no function of its allocator was found");
	if (!err && (out->has_refill || tier == HEAP_TIER_TRACE))
		*why = NULL; /* what was met on the way */
	if (err)
		heap_sites_fini(out);
	return err;
}

void heap_sites_fini(struct heap_sites *s)
{
	for (size_t i = 0; i < s->file_count; i++)
		close(s->files[i]);
	*s = (struct heap_sites){ 0 };
}
