/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl dump: the stacks of a process now. */
#include "cli/cli.h"

#include "cli/options.h"
#include "cli/output.h"

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

static void add_thread(struct buffer *out, const json_t *thread)
{
	const json_t *frame;
	size_t i;

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
	json_array_foreach(json_object_get(thread, "frames"), i, frame) add_frame(out, frame);
}

/* The process's name: its own member, or that of its main thread. */
static const json_t *name_of(const json_t *dump)
{
	const json_t *name = json_object_get(dump, "name");
	json_int_t pid = json_integer_value(json_object_get(dump, "pid"));
	const json_t *thread;
	size_t i;

	if (json_is_string(name))
		return name;
	json_array_foreach(json_object_get(dump, "threads"), i,
			   thread) if (json_integer_value(json_object_get(thread, "tid")) ==
				       pid) return json_object_get(thread, "name");
	return NULL;
}

static int print_text(const json_t *dump)
{
	OWNS(buffer) struct buffer out = { 0 };
	const json_t *thread;
	size_t i;

	buffer_add_text(&out, "Process ");
	output_add_scalar(&out, json_object_get(dump, "pid"));
	buffer_add_text(&out, ": ");
	output_add_scalar(&out, name_of(dump));
	buffer_add_text(&out, " (Python ");
	output_add_scalar(&out, json_object_get(dump, "python"));
	buffer_add_text(&out, ")\n");
	json_array_foreach(json_object_get(dump, "threads"), i, thread) add_thread(&out, thread);
	return output_print(&out);
}

int cli_dump(const struct cli_options *o)
{
	char target[64];
	json_t *json = NULL;
	int err;

	snprintf(target, sizeof(target), "/v1/processes/%d/stacks", o->pid);
	err = output_fetch(o->socket, target, &json);
	if (!err)
		err = o->as_json ? output_json(json) : print_text(json);
	json_decref(json);
	return err;
}
