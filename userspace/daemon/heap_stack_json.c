/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_stack_json.h"

#include "heap/heap_map.h"

#include <string.h>

#define FRAME_BYTES 64 /* of a frame on the page, beside its texts */

/* Each frame is one object, however many stacks have it. */
struct heap_stack_json {
	const struct stack_table *table;
	json_t **frames; /* by number */
	uint32_t frame_count;
	size_t bytes;
};

struct heap_stack_json *heap_stack_json_new(const struct stack_table *table)
{
	OWNS(heap_stack_json) struct heap_stack_json *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->table = table;
	j->frame_count = frame_table_count(stack_table_frames(table));
	j->frames = calloc(j->frame_count + 1, sizeof(*j->frames));
	return j->frames ? TAKE(j) : NULL;
}

void heap_stack_json_free(struct heap_stack_json *j)
{
	if (!j)
		return;
	for (uint32_t i = 0; j->frames && i < j->frame_count; i++)
		json_decref(j->frames[i]);
	free(j->frames);
	free(j);
}

bool heap_stack_json_has_room(const struct heap_stack_json *j)
{
	return j->bytes < HEAP_STACK_JSON_MOST;
}

static json_t *json_frame(const struct frame_names *f)
{
	return json_pack("{ss ss sI ss}", "function", f->function, "file", f->file, "line",
			 (json_int_t)f->line, "kind", f->is_python ? "python" : "native");
}

static struct frame_names names_of(const struct heap_stack_json *j, uint32_t number)
{
	struct frame_names names;

	if (frame_table_names(stack_table_frames(j->table), number, &names))
		names = (struct frame_names){ "[unknown]", "", 0, .is_python = true };
	return names;
}

/* A new reference. Frames that came after this page was begun are made each time. */
static json_t *frame_of(struct heap_stack_json *j, uint32_t number)
{
	struct frame_names names = names_of(j, number);

	j->bytes += FRAME_BYTES + strlen(names.function) + strlen(names.file);
	if (number >= j->frame_count)
		return json_frame(&names);
	if (!j->frames[number])
		j->frames[number] = json_frame(&names);
	return json_incref(j->frames[number]);
}

/* Takes @frame over. False: it is NULL, or there is no memory. */
static bool append(json_t *frames, json_t *frame)
{
	return !json_array_append_new(frames, frame);
}

static bool append_mark(json_t *frames, const char *what, const char *kind)
{
	return append(frames, json_pack("{ss ss si ss}", "function", what, "file", "", "line", 0,
					"kind", kind));
}

static json_t *checked(json_t *frames, bool is_whole)
{
	if (is_whole)
		return frames;
	json_decref(frames);
	return NULL;
}

json_t *heap_stack_json_frames(struct heap_stack_json *j, uint32_t stack)
{
	json_t *frames = json_array();
	struct stack_view view;
	bool is_whole = frames;

	if (stack_table_read(j->table, stack, &view))
		return checked(frames, append_mark(frames, "[no room for the stack]", "native"));
	for (uint32_t i = 0; is_whole && i < view.depth; i++)
		is_whole = append(frames, frame_of(j, view.frames[i]));
	if (is_whole && view.flags & STACK_TRUNCATED)
		is_whole = append_mark(frames, "[truncated]", "python");
	return checked(frames, is_whole);
}

json_t *heap_stack_json_line(struct heap_stack_json *j, uint32_t stack)
{
	struct frame_names names = { "[no room for the stack]", "", 0, false };
	struct stack_view view;

	if (!stack_table_read(j->table, stack, &view)) {
		names = names_of(j, view.frames[0]);
		for (uint32_t i = 1; i < view.depth && !names.is_python; i++)
			names = names_of(j, view.frames[i]);
		if (!names.is_python)
			names = names_of(j, view.frames[0]);
	}
	return json_pack("{ss ss sI}", "function", names.function, "file", names.file, "line",
			 (json_int_t)names.line);
}

/* How many of the oldest frames both have. What is cut off may have been the oldest. */
static uint32_t shared_frames(const struct stack_view *a, const struct stack_view *b)
{
	uint32_t shared = 0;

	if ((a->flags | b->flags) & STACK_TRUNCATED)
		return 0;
	while (shared < a->depth && shared < b->depth &&
	       a->frames[a->depth - shared - 1] == b->frames[b->depth - shared - 1])
		shared++;
	return shared;
}

static uint32_t shared_by_all(const struct heap_stack_json *j, const uint32_t *stacks, size_t count,
			      struct stack_view *first)
{
	struct stack_view view;
	uint32_t shared;

	if (!count || stack_table_read(j->table, stacks[0], first))
		return 0;
	shared = first->depth;
	for (size_t i = 1; i < count; i++) {
		uint32_t with = stack_table_read(j->table, stacks[i], &view)
					? 0
					: shared_frames(first, &view);

		shared = with < shared ? with : shared;
	}
	return shared;
}

json_t *heap_stack_json_shared(struct heap_stack_json *j, const uint32_t *stacks, size_t count,
			       uint32_t block_bytes)
{
	char mark[80];
	json_t *frames = json_array();
	struct stack_view first;
	uint32_t shared = shared_by_all(j, stacks, count, &first);
	bool is_whole;

	snprintf(mark, sizeof(mark), "[shared size class of %u bytes: cannot tell]", block_bytes);
	is_whole = frames && append_mark(frames, mark, "python");
	for (uint32_t i = shared; is_whole && i > 0; i--)
		is_whole = append(frames, frame_of(j, first.frames[first.depth - i]));
	return checked(frames, is_whole);
}
