/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include "base/utf8.h"
#include "cli/fail.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int output_call(const char *socket, const char *method, const char *target,
		const struct control_watch *watch, json_t **json, struct buffer *why)
{
	OWNS(control_reply) struct control_reply r = { 0 };
	int err = control_call(socket, method, target, watch, &r);
	json_t *read;

	if (err)
		return fail_call_reason(err, socket, why);
	err = fail_reply_reason(&r, why);
	if (err)
		return err;
	read = r.body.data ? json_loadb(r.body.data, r.body.len, JSON_ALLOW_NUL, NULL) : NULL;
	if (!read) {
		buffer_print(why,
			     "cannot understand what spprofd answered to %s; is it "
			     "of another version?",
			     target);
		return SPPROF_EXIT_FAILED;
	}
	*json = read;
	return 0;
}

int output_ask(const char *socket, const char *target, json_t **json, struct buffer *why)
{
	return output_call(socket, "GET", target, NULL, json, why);
}

int output_fetch(const char *socket, const char *target, json_t **json)
{
	OWNS(buffer) struct buffer why = { 0 };
	int err = output_ask(socket, target, json, &why);

	return fail_reason(err, &why);
}

int output_print(const struct buffer *text)
{
	if (buffer_error(text))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	if (fwrite(text->data, 1, text->len, stdout) != text->len || fflush(stdout))
		return fail(SPPROF_EXIT_FAILED, "cannot write to standard output: %s",
			    strerror(errno));
	return 0;
}

int output_json(const json_t *json)
{
	OWNS(buffer) struct buffer out = { 0 };
	OWNS_MEM char *text = json_dumps(json, JSON_ENCODE_ANY);

	if (!text)
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	buffer_add_text(&out, text);
	buffer_add(&out, "\n", 1);
	return output_print(&out);
}

void output_add_scalar(struct buffer *out, const json_t *value)
{
	switch (value ? json_typeof(value) : JSON_NULL) {
	case JSON_STRING:
		utf8_add_visible_bytes(out, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		buffer_print(out, "%lld", (long long)json_integer_value(value));
		break;
	case JSON_REAL:
		buffer_print(out, "%.3f", json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		buffer_add_text(out, json_is_true(value) ? "yes" : "no");
		break;
	default:
		buffer_add_text(out, "-");
	}
}

/* Code points, near enough to columns. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void add_cell(struct buffer *out, const char *text, size_t width)
{
	buffer_add_text(out, text);
	for (size_t i = width_of(text); i < width; i++)
		buffer_add(out, " ", 1);
}

static void cell_of(const json_t *row, const char *member, struct buffer *out)
{
	output_add_scalar(out, json_object_get(row, member));
	if (!out->len)
		buffer_add_text(out, "-");
}

static size_t column_width(const json_t *rows, const char *member)
{
	size_t widest = strlen(member), i;
	const json_t *row;

	json_array_foreach(rows, i, row)
	{
		OWNS(buffer) struct buffer cell = { 0 };

		cell_of(row, member, &cell);
		if (cell.data && width_of(cell.data) > widest)
			widest = width_of(cell.data);
	}
	return widest;
}

/* @row NULL: the line of names. */
static void add_row(struct buffer *out, const json_t *row, const char *const *members,
		    const size_t *widths)
{
	for (int c = 0; members[c]; c++) {
		OWNS(buffer) struct buffer cell = { 0 };

		if (row)
			cell_of(row, members[c], &cell);
		else
			for (const char *at = members[c]; *at; at++)
				buffer_print(&cell, "%c", toupper((unsigned char)*at));
		if (cell.data)
			add_cell(out, cell.data, members[c + 1] ? widths[c] + 2 : 0);
	}
	buffer_add(out, "\n", 1);
}

void output_add_table(struct buffer *out, const json_t *rows, const char *const *members)
{
	size_t widths[TABLE_COLUMNS] = { 0 }, i;
	const json_t *row;

	for (int c = 0; members[c] && c < TABLE_COLUMNS; c++)
		widths[c] = column_width(rows, members[c]);
	add_row(out, NULL, members, widths);
	json_array_foreach(rows, i, row) add_row(out, row, members, widths);
}
