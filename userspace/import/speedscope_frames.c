/* SPDX-License-Identifier: Apache-2.0 */
#include "import/names.h"
#include "import/speedscope_reader.h"

#include <string.h>

struct frame_fields {
	struct json_text name, file;
	uint32_t line;
};

int speedscope_add_text(struct speedscope_reader *r, const struct json_text *text, profile_id *id)
{
	struct buffer plain OWNS(buffer) = { 0 };

	*id = 0;
	if (!text->len)
		return 0;
	if (!memchr(text->text, '\\', text->len))
		return names_add(r->profile, text->text, text->len, id);
	json_text_decode(text, &plain);
	return buffer_error(&plain) ? -ENOMEM : names_add(r->profile, plain.data, plain.len, id);
}

static bool starts_string(const struct json *j)
{
	const char *at = j->at;

	while (at < j->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at < j->end && *at == '"';
}

/* A line is a number, or null, or what somebody else makes of it. */
static int read_line(struct json *j, uint32_t *line)
{
	struct json before = *j;
	struct decimal d;
	int64_t number;

	if (json_read_number(j, &d)) {
		*j = before;
		j->why->len = 0;
		return json_skip_value(j);
	}
	if (decimal_scale(&d, 0, &number) && number > 0 && number <= UINT32_MAX)
		*line = number;
	return 0;
}

static int read_field(struct json *j, struct frame_fields *f)
{
	struct json_text key;
	int err = json_read_key(j, &key);

	if (err)
		return err;
	if (json_text_is(&key, "name"))
		return json_read_string(j, &f->name);
	if (json_text_is(&key, "file") && starts_string(j))
		return json_read_string(j, &f->file);
	if (json_text_is(&key, "line"))
		return read_line(j, &f->line);
	return json_skip_value(j);
}

static int add_frame(struct speedscope_reader *r, profile_id *frame)
{
	struct frame_fields fields = { 0 };
	struct profile_function function = { .kind = PROFILE_UNKNOWN };
	int err = json_enter(&r->json, '{');

	while (!err && (err = json_next(&r->json, '}')) > 0)
		err = read_field(&r->json, &fields);
	if (!err && !fields.name.text)
		err = json_refuse(&r->json, "a frame without a name");
	if (!err)
		err = speedscope_add_text(r, &fields.name, &function.name);
	if (!err)
		err = speedscope_add_text(r, &fields.file, &function.file);
	function.first_line = fields.line;
	return err ? err : names_add_frame(r->profile, &function, 0, frame);
}

static int add_frames(struct speedscope_reader *r)
{
	size_t room = 0;
	int err = json_enter(&r->json, '[');

	r->frame_count = 0;
	while (!err && (err = json_next(&r->json, ']')) > 0) {
		if (r->frame_count == room) {
			profile_id *grown;

			room = room ? 2 * room : 1024;
			grown = reallocarray(r->frames, room, sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			r->frames = grown;
		}
		err = add_frame(r, &r->frames[r->frame_count++]);
	}
	return err;
}

int speedscope_add_frames(struct speedscope_reader *r)
{
	bool has_frames = false;
	int err = json_enter(&r->json, '{');

	while (!err && (err = json_next(&r->json, '}')) > 0) {
		struct json_text key;

		err = json_read_key(&r->json, &key);
		if (err)
			return err;
		if (!json_text_is(&key, "frames")) {
			err = json_skip_value(&r->json);
			continue;
		}
		free(r->frames);
		r->frames = NULL;
		has_frames = true;
		err = add_frames(r);
	}
	return err || has_frames ? err : json_refuse(&r->json, "shared has no frames");
}
