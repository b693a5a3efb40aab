/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_stack_text.h"

#include "cli/output.h"
#include "cli/wrap.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define CALLERS_MOST 8
#define NATIVES_MOST 3

void heap_stack_text_add_frame(struct buffer *out, const json_t *frame)
{
	const json_t *file = json_object_get(frame, "file");
	json_int_t line = json_integer_value(json_object_get(frame, "line"));

	output_add_scalar(out, json_object_get(frame, "function"));
	if (!json_string_length(file))
		return;
	buffer_add_text(out, " (");
	output_add_scalar(out, file);
	if (line > 0)
		buffer_print(out, ":%lld", (long long)line);
	buffer_add_text(out, ")");
}

static bool is_native(const json_t *frame)
{
	const char *kind = json_string_value(json_object_get(frame, "kind"));

	return kind && !strcmp(kind, "native");
}

/* The newest frame of Python; of a stack without one the newest at all. */
static size_t find_python(const json_t *frames, size_t first)
{
	size_t count = json_array_size(frames);

	for (size_t i = first; i < count; i++)
		if (!is_native(json_array_get(frames, i)))
			return i;
	return first;
}

/* A line of its own for each frame that has no room beside another one. */
static size_t add_frame(struct buffer *out, size_t column, size_t indent, const char *before,
			const struct buffer *frame)
{
	OWNS(buffer) struct buffer text = { 0 };

	buffer_print(&text, "%s%s", before, frame->data ? frame->data : "");
	if (buffer_error(&text) || buffer_error(frame))
		out->err = -ENOMEM;
	return wrap_add_whole(out, column, indent, text.data ? text.data : "");
}

/* The native frames that @python called, in the order of the calls. */
static void add_natives(struct buffer *out, const json_t *frames, size_t first, size_t python,
			size_t indent)
{
	size_t column = indent + strlen("through");

	if (python == first)
		return;
	buffer_print(out, "%*sthrough", (int)indent, "");
	for (size_t i = python; i-- > first && python - i <= NATIVES_MOST;) {
		OWNS(buffer) struct buffer text = { 0 };

		heap_stack_text_add_frame(&text, json_array_get(frames, i));
		column = add_frame(out, column, indent, i + 1 < python ? "> " : "", &text);
	}
	buffer_add_text(out, python - first > NATIVES_MOST ? " > ...\n" : "\n");
}

/* Of a file that the frame before it names only the line. */
static void add_caller(struct buffer *out, const json_t *frame, const json_t *before)
{
	const json_t *file = json_object_get(frame, "file");
	json_int_t line = json_integer_value(json_object_get(frame, "line"));

	if (!json_string_length(file) || !json_equal(file, json_object_get(before, "file")))
		return heap_stack_text_add_frame(out, frame);
	output_add_scalar(out, json_object_get(frame, "function"));
	if (line > 0)
		buffer_print(out, " (line %lld)", (long long)line);
}

/* From the one of @frames at @called outwards. */
static void add_callers(struct buffer *out, const json_t *frames, size_t called, size_t indent)
{
	size_t count = json_array_size(frames), column = indent, i = called + 1;
	char more[48];

	if (i >= count)
		return;
	buffer_print(out, "%*s", (int)indent, "");
	for (; i < count && i - called <= CALLERS_MOST; i++) {
		OWNS(buffer) struct buffer text = { 0 };

		add_caller(&text, json_array_get(frames, i), json_array_get(frames, i - 1));
		column = add_frame(out, column, indent, "< ", &text);
	}
	if (i < count) {
		snprintf(more, sizeof(more), "< ... %zu more", count - i);
		wrap_add_whole(out, column, indent, more);
	}
	buffer_add_text(out, "\n");
}

void heap_stack_text_add(struct buffer *out, const json_t *frames, size_t first, size_t indent)
{
	size_t python = find_python(frames, first);

	if (first >= json_array_size(frames)) {
		buffer_print(out, "%*s[nobody known]\n", (int)indent, "");
		return;
	}
	buffer_print(out, "%*s", (int)indent, "");
	heap_stack_text_add_frame(out, json_array_get(frames, python));
	buffer_add_text(out, "\n");
	add_natives(out, frames, first, python, indent);
	add_callers(out, frames, python, indent);
}
