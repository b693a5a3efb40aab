/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, names, and rows of types and storage. */
#include "cli/heap_input_parts.h"

#include "base/utf8.h"
#include "cli/heap_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int heap_read_whole(struct json *j, uint64_t most, uint64_t *out)
{
	struct decimal d;
	int64_t value;
	int err = json_read_number(j, &d);

	if (err)
		return err;
	if (d.is_rounded || d.exponent < 0 || !decimal_scale(&d, 0, &value) || value < 0)
		return json_refuse(j, "not a whole number from 0 on");
	if ((uint64_t)value > most)
		return json_refuse(j, "larger than that can be");
	*out = value;
	return 0;
}

int heap_read_amount(struct json *j, uint64_t *out)
{
	return heap_read_whole(j, HEAP_INPUT_MOST, out);
}

int heap_read_name(struct json *j, char **out)
{
	OWNS(buffer) struct buffer decoded = { 0 }, valid = { 0 };
	struct json_text text;
	int err = json_read_string(j, &text);

	if (err)
		return err;
	if (text.len > HEAP_INPUT_MOST_NAME)
		return json_refuse(j, "a name that is too long");
	json_text_decode(&text, &decoded);
	buffer_add_text(&valid, "");
	if (decoded.len)
		utf8_repair(&valid, decoded.data, decoded.len);
	if (buffer_error(&decoded) || buffer_error(&valid))
		return -ENOMEM;
	free(*out);
	*out = valid.data ? TAKE(valid.data) : strdup("");
	return *out ? 0 : -ENOMEM;
}

static int read_row_member(struct json *j, struct heap_type *row)
{
	struct json_text key;
	int err = json_read_key(j, &key);

	if (err)
		return err;
	if (json_text_is(&key, "name"))
		return heap_read_name(j, &row->name);
	if (json_text_is(&key, "module") && !row->is_storage)
		return heap_read_name(j, &row->module);
	if (json_text_is(&key, row->is_storage ? "blocks" : "objects"))
		return heap_read_amount(j, &row->objects);
	if (json_text_is(&key, "bytes"))
		return heap_read_amount(j, &row->bytes);
	return json_skip_value(j);
}

static void type_cleanup(struct heap_type *row)
{
	free(row->name);
	free(row->module);
}

static int read_row(struct heap_reader *r, bool is_storage)
{
	OWNS(type) struct heap_type row = { .is_storage = is_storage };
	struct heap_type made;
	int err = json_enter(&r->json, '{');

	while (!err && (err = json_next(&r->json, '}')) > 0)
		err = read_row_member(&r->json, &row);
	if (err)
		return err;
	if (!row.name)
		return json_refuse(&r->json, "a type without a name");
	if (++r->seen > HEAP_INPUT_MOST_TYPES)
		return json_refuse(&r->json, "more types than a scan tells apart");
	made = row;
	made.module = row.module ? row.module : strdup("");
	row = (struct heap_type){ 0 };
	return heap_types_add(&r->types, &made);
}

int heap_read_rows(struct heap_reader *r, bool is_storage)
{
	int err = json_enter(&r->json, '[');

	while (!err && (err = json_next(&r->json, ']')) > 0)
		err = read_row(r, is_storage);
	return err;
}
