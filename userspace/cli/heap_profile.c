/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_profile.h"

#include <errno.h>
#include <string.h>

/* A process, while it is added. */
struct filling {
	struct profile *out;
	profile_id thread;
	uint64_t bytes; /* so far */
};

static int add_text(struct profile *p, const char *text, profile_id *id)
{
	return profile_add_string(p, text, strlen(text), id);
}

/* A frame on *@stack, which becomes the new stack. */
static int push(struct profile *p, const char *name, const char *file, enum profile_kind kind,
		profile_id *stack)
{
	struct profile_function function = { .kind = kind };
	struct profile_frame frame = { 0 };
	struct profile_stack made = { .prefix = *stack };
	int err = add_text(p, name, &function.name);

	if (!err)
		err = add_text(p, file, &function.file);
	if (!err)
		err = profile_add_function(p, &function, &frame.function);
	if (!err)
		err = profile_add_frame(p, &frame, &made.frame);
	return err ? err : profile_add_stack(p, &made, stack);
}

static int add_sample(struct filling *f, profile_id stack, uint64_t objects, uint64_t bytes)
{
	struct profile_sample sample = {
		.stack = stack,
		.thread = f->thread,
		.weight = bytes,
		.count = objects,
	};

	f->bytes += bytes;
	return profile_add_sample(f->out, &sample);
}

/* The module is the file too, or types of one name would be one function. */
static int add_row(struct filling *f, const struct heap_type *row)
{
	const char *caller = row->is_storage ? "[storage]" : row->module;
	enum profile_kind kind = row->is_storage ? PROFILE_NATIVE : PROFILE_PYTHON;
	profile_id stack = PROFILE_NONE;
	int err = *caller ? push(f->out, caller, "", kind, &stack) : 0;

	if (!err)
		err = push(f->out, row->name, row->module, kind, &stack);
	return err ? err : add_sample(f, stack, row->objects, row->bytes);
}

/* What has no row of its own. */
static int add_rest(struct filling *f, const char *name, uint64_t objects, uint64_t bytes)
{
	profile_id stack = PROFILE_NONE;
	int err;

	if (!bytes && !objects)
		return 0;
	err = push(f->out, name, "", PROFILE_UNKNOWN, &stack);
	return err ? err : add_sample(f, stack, objects, bytes);
}

static int add_thread(struct filling *f, const struct heap_types *heap)
{
	struct profile_thread thread = { .pid = heap->pid, .tid = heap->pid };
	int err = add_text(f->out, "heap", &thread.name);

	if (!err && heap->name)
		err = add_text(f->out, heap->name, &thread.process);
	return err ? err : profile_add_thread(f->out, &thread, &f->thread);
}

static int set_about(struct profile *p, const struct heap_types *heap)
{
	struct profile_about *about = profile_about(p);
	int err = add_text(p, "bytes", &about->unit);

	if (!err)
		err = add_text(p, "inuse_space", &about->weighed);
	if (!err && heap->python && !about->python)
		err = add_text(p, heap->python, &about->python);
	if (!about->start_ns)
		about->start_ns = heap->time_ns;
	return err;
}

int heap_profile_add(struct profile *out, const struct heap_types *heap)
{
	struct filling f = { .out = out };
	int err = set_about(out, heap);

	if (!err)
		err = add_thread(&f, heap);
	for (uint32_t i = 0; i < heap->count && !err; i++)
		err = add_row(&f, &heap->rows[i]);
	if (!err)
		err = add_rest(&f, "[other types]", heap->omitted_objects, heap->omitted_bytes);
	if (!err && heap->live_bytes > f.bytes)
		err = add_rest(&f, "[unknown]", 0, heap->live_bytes - f.bytes);
	return err;
}
