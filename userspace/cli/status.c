/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl status: what the daemon says of itself, a line a member. */
#include "cli/cli.h"

#include "base/utf8.h"
#include "cli/options.h"
#include "cli/output.h"

#include <string.h>

#define DEPTH_MAX 8 /* of an answer's nesting */
#define NAME_WIDTH 28

static void add_member(struct buffer *out, const char *path, const json_t *value, int depth);

/* @name of the member, or the @index of an array's entry, under @path. */
static void add_nested(struct buffer *out, const char *path, const char *name, const json_t *value,
		       int depth)
{
	OWNS(buffer) struct buffer longer = { 0 };

	buffer_print(&longer, "%s%s", path, *path ? "." : "");
	utf8_add_visible(&longer, name);
	if (longer.data)
		add_member(out, longer.data, value, depth + 1);
}

static void add_member(struct buffer *out, const char *path, const json_t *value, int depth)
{
	char number[24];
	const char *name;
	json_t *entry;
	size_t i;

	if (depth < DEPTH_MAX && json_is_object(value)) {
		json_object_foreach((json_t *)value, name, entry)
			add_nested(out, path, name, entry, depth);
		return;
	}
	if (depth < DEPTH_MAX && json_is_array(value)) {
		json_array_foreach(value, i, entry)
		{
			snprintf(number, sizeof(number), "%zu", i);
			add_nested(out, path, number, entry, depth);
		}
		return;
	}
	buffer_print(out, "%-*s ", NAME_WIDTH, path);
	output_add_scalar(out, value);
	buffer_add(out, "\n", 1);
}

int cli_status(const struct cli_options *o)
{
	OWNS(buffer) struct buffer out = { 0 };
	json_t *json = NULL;
	int err = output_fetch(o->socket, "/v1/status", &json);

	if (!err && o->as_json) {
		err = output_json(json);
	} else if (!err) {
		add_member(&out, "", json, 0);
		err = output_print(&out);
	}
	json_decref(json);
	return err;
}
