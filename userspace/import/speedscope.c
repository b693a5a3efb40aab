/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text is gone over once to find its parts, which may stand in any order, once for
 * the numbers, and once for the samples. Nothing but the profile is kept of it.
 */
#include "import/speedscope.h"
#include "import/speedscope_reader.h"

#include <string.h>

struct top {
	const char *shared, *profiles; /* NULL: not there */
};

static void speedscope_reader_cleanup(struct speedscope_reader *r)
{
	stack_builder_cleanup(&r->builder);
	free(r->frames);
	free(r->parts);
}

static int read_top(struct json *j, struct top *top)
{
	int err = json_enter(j, '{');

	while (!err && (err = json_next(j, '}')) > 0) {
		struct json_text key;

		err = json_read_key(j, &key);
		if (err)
			return err;
		if (json_text_is(&key, "shared"))
			top->shared = j->at;
		else if (json_text_is(&key, "profiles"))
			top->profiles = j->at;
		err = json_skip_value(j);
	}
	if (err)
		return err;
	if (!top->shared || !top->profiles)
		return import_refuse(j->why, -EBADMSG,
				     "JSON without `shared` and `profiles`: not speedscope's");
	return json_read_end(j);
}

static int read_part(struct json *j, struct speedscope_part *part)
{
	int err = json_enter(j, '{');

	while (!err && (err = json_next(j, '}')) > 0) {
		struct json_text key;

		err = json_read_key(j, &key);
		if (err)
			return err;
		if (json_text_is(&key, "name"))
			err = json_read_string(j, &part->name);
		else if (json_text_is(&key, "unit"))
			err = json_read_string(j, &part->unit);
		else if (json_text_is(&key, "type"))
			err = json_read_string(j, &part->type);
		else {
			if (json_text_is(&key, "samples"))
				part->samples = j->at;
			else if (json_text_is(&key, "weights"))
				part->weights = j->at;
			else if (json_text_is(&key, "events"))
				part->events = j->at;
			err = json_skip_value(j);
		}
	}
	return err;
}

/* Each is what its type says, and has that. */
static int check_part(struct json *j, struct speedscope_part *part)
{
	if (json_text_is(&part->type, "evented")) {
		part->samples = part->weights = NULL;
		return part->events ? 0 : json_refuse(j, "an evented profile without events");
	}
	if (!json_text_is(&part->type, "sampled"))
		return json_refuse(j, "a profile that is neither sampled nor evented");
	part->events = NULL;
	if (!part->samples || !part->weights)
		return json_refuse(j, "a sampled profile without samples or weights");
	return 0;
}

static int find_parts(struct speedscope_reader *r)
{
	size_t room = 0;
	int err = json_enter(&r->json, '[');

	while (!err && (err = json_next(&r->json, ']')) > 0) {
		if (r->part_count == room) {
			struct speedscope_part *grown;

			room = room ? 2 * room : 16;
			grown = reallocarray(r->parts, room, sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			r->parts = grown;
		}
		r->parts[r->part_count] = (struct speedscope_part){ 0 };
		err = read_part(&r->json, &r->parts[r->part_count]);
		if (!err)
			err = check_part(&r->json, &r->parts[r->part_count++]);
	}
	if (!err && !r->part_count)
		return json_refuse(&r->json, "there is no profile");
	return err;
}

struct time_unit {
	const char *name;
	int power; /* seconds are 10^power of it */
};

static const struct time_unit time_units[] = {
	{ "seconds", 0 },
	{ "milliseconds", 3 },
	{ "microseconds", 6 },
	{ "nanoseconds", 9 },
};

static const struct time_unit *find_time_unit(const struct json_text *text)
{
	for (size_t i = 0; i < sizeof(time_units) / sizeof(*time_units); i++)
		if (json_text_is(text, time_units[i].name))
			return &time_units[i];
	return NULL;
}

static bool is_same_text(const struct json_text *a, const struct json_text *b)
{
	return a->len == b->len && (!a->len || memcmp(a->text, b->text, a->len) == 0);
}

/* The unit that all parts are added up in. */
static int choose_unit(struct speedscope_reader *r, struct json_text *unit)
{
	*unit = r->parts[0].unit;
	for (size_t i = 1; i < r->part_count; i++) {
		const struct json_text *other = &r->parts[i].unit;
		const struct time_unit *mine = find_time_unit(unit);
		const struct time_unit *theirs = find_time_unit(other);

		if (is_same_text(unit, other))
			continue;
		if (!mine || !theirs)
			return import_refuse(r->json.why, -EBADMSG,
					     "profile %zu has another unit than the one before",
					     i + 1);
		if (theirs->power > mine->power)
			*unit = *other;
	}
	return 0;
}

static int set_unit(struct speedscope_reader *r, const struct json_text *unit)
{
	static const struct json_text samples = { "samples", sizeof("samples") - 1 };
	bool is_count = !unit->len || json_text_is(unit, "none");

	return speedscope_add_text(r, is_count ? &samples : unit, &profile_about(r->profile)->unit);
}

/* Numbers of @part are 10^this of the common unit. */
static int power_of(const struct speedscope_part *part, const struct json_text *unit)
{
	const struct time_unit *from = find_time_unit(&part->unit), *to = find_time_unit(unit);

	return from && to ? to->power - from->power : 0;
}

static int add_parts(struct speedscope_reader *r)
{
	struct json_text unit;
	int err = choose_unit(r, &unit);

	if (!err)
		err = set_unit(r, &unit);
	for (size_t i = 0; i < r->part_count && !err; i++)
		err = speedscope_see_part(r, &r->parts[i], power_of(&r->parts[i], &unit));
	if (!err)
		err = weights_settle(&r->weights, r->profile, r->json.why);
	for (size_t i = 0; i < r->part_count && !err; i++)
		err = speedscope_add_part(r, &r->parts[i], power_of(&r->parts[i], &unit));
	return err;
}

int import_speedscope(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	OWNS(speedscope_reader)
	struct speedscope_reader r = {
		.json = { .start = bytes,
			  .at = bytes,
			  .end = (const char *)bytes + len,
			  .why = why },
		.profile = out,
		.builder.profile = out,
	};
	struct top top = { 0 };
	int err = read_top(&r.json, &top);

	r.json.at = top.shared;
	if (!err)
		err = speedscope_add_frames(&r);
	if (err == -E2BIG)
		return import_refuse(why, err, "a frame's name is too long");
	r.json.at = top.profiles;
	if (!err)
		err = find_parts(&r);
	return err ? err : add_parts(&r);
}

bool speedscope_may_be_it(const void *bytes, size_t len)
{
	struct buffer why OWNS(buffer) = { 0 };
	struct json j = {
		.start = bytes, .at = bytes, .end = (const char *)bytes + len, .why = &why
	};
	struct json_text key;

	return json_enter(&j, '{') == 0 && json_next(&j, '}') > 0 && json_read_key(&j, &key) == 0;
}
