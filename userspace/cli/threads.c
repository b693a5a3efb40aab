/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/threads.h"

#include "cli/output.h"

#include <stdbool.h>
#include <string.h>

static bool is_text(const json_t *object, const char *member, const char *text)
{
	const char *value = json_string_value(json_object_get(object, member));

	return value && !strcmp(value, text);
}

static void add_frame(struct buffer *out, const json_t *frame)
{
	const json_t *file = json_object_get(frame, "file");
	const json_t *line = json_object_get(frame, "line");

	buffer_add_text(out, "    ");
	output_add_scalar(out, json_object_get(frame, "function"));
	if (json_string_length(file)) {
		buffer_add_text(out, " (");
		output_add_scalar(out, file);
		if (json_integer_value(line) > 0)
			buffer_print(out, ":%lld", (long long)json_integer_value(line));
		buffer_add_text(out, ")");
	}
	buffer_add_text(out, "\n");
}

static void add_frames(struct buffer *out, const json_t *frames, size_t most)
{
	size_t count = json_array_size(frames);

	for (size_t i = 0; i < count && i < most; i++)
		add_frame(out, json_array_get(frames, i));
	if (count > most)
		buffer_print(out, "    ... and %zu older frame%s\n", count - most,
			     count - most > 1 ? "s" : "");
}

static void add_thread(struct buffer *out, const json_t *thread, size_t frames_most)
{
	buffer_add_text(out, "Thread ");
	output_add_scalar(out, json_object_get(thread, "tid"));
	buffer_add_text(out, " (");
	output_add_scalar(out, json_object_get(thread, "state"));
	buffer_add_text(out, "): \"");
	output_add_scalar(out, json_object_get(thread, "name"));
	buffer_add_text(out, "\"");
	if (is_text(thread, "read", "outside"))
		buffer_add_text(out, " [read from outside]");
	buffer_add_text(out, "\n");
	add_frames(out, json_object_get(thread, "frames"), frames_most);
}

void threads_add(struct buffer *out, const json_t *threads, size_t frames_most)
{
	const json_t *thread;
	size_t i;

	json_array_foreach(threads, i, thread) add_thread(out, thread, frames_most);
}
