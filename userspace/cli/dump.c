/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl dump: the stacks of processes now. */
#include "cli/cli.h"

#include "cli/output.h"
#include "cli/pages.h"
#include "cli/threads.h"

#include <stdint.h>

/* The process's name: its own member, or that of its main thread. */
static const json_t *name_of(const json_t *dump)
{
	const json_t *name = json_object_get(dump, "name");
	json_int_t pid = json_integer_value(json_object_get(dump, "pid"));
	const json_t *thread;
	size_t i;

	if (json_is_string(name))
		return name;
	json_array_foreach(json_object_get(dump, "threads"), i, thread)
	{
		if (json_integer_value(json_object_get(thread, "tid")) == pid)
			return json_object_get(thread, "name");
	}
	return NULL;
}

static void add_text(const json_t *dump, struct buffer *out)
{
	buffer_add_text(out, "Process ");
	output_add_scalar(out, json_object_get(dump, "pid"));
	buffer_add_text(out, ": ");
	output_add_scalar(out, name_of(dump));
	buffer_add_text(out, " (Python ");
	output_add_scalar(out, json_object_get(dump, "python"));
	buffer_add_text(out, ")\n");
	threads_add(out, json_object_get(dump, "threads"), SIZE_MAX);
}

static void add_target(const struct cli_options *o, pid_t pid, struct buffer *target)
{
	(void)o;
	buffer_print(target, "/v1/processes/%d/stacks", pid);
}

int cli_dump(const struct cli_options *o)
{
	static const struct page_kind kind = { .add_target = add_target, .add_text = add_text };

	return pages_print(o, &kind);
}
