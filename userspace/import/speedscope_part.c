/* SPDX-License-Identifier: Apache-2.0 */
/* One profile of a speedscope file: lists of samples and weights, or of events. */
#include "import/speedscope_reader.h"

struct event {
	bool has_type, has_frame, has_at, is_open;
	uint32_t frame;
	struct decimal at;
};

/* A reader of its own at @at. */
static struct json reader_at(const struct speedscope_reader *r, const char *at)
{
	struct json j = r->json;

	j.at = at;
	return j;
}

static int find_frame(struct speedscope_reader *r, struct json *j, uint32_t index,
		      profile_id *frame)
{
	if (index >= r->frame_count)
		return json_refuse(j, "no such frame");
	*frame = r->frames[index];
	return 0;
}

/* `{"type":"O","frame":1,"at":0.5}` */
static int read_event(struct json *j, struct event *e)
{
	int err = json_enter(j, '{');

	*e = (struct event){ 0 };
	while (!err && (err = json_next(j, '}')) > 0) {
		struct json_text key, type = { 0 };

		err = json_read_key(j, &key);
		if (err)
			return err;
		if (json_text_is(&key, "type")) {
			err = json_read_string(j, &type);
			e->is_open = json_text_is(&type, "O");
			e->has_type = e->is_open || json_text_is(&type, "C");
		} else if (json_text_is(&key, "frame")) {
			err = json_read_index(j, &e->frame);
			e->has_frame = true;
		} else if (json_text_is(&key, "at")) {
			err = json_read_number(j, &e->at);
			e->has_at = true;
		} else {
			err = json_skip_value(j);
		}
	}
	if (!err && !(e->has_type && e->has_frame && e->has_at))
		return json_refuse(j, "an event without type O or C, frame or time");
	return err;
}

static int see_events(struct speedscope_reader *r, const char *events, int power)
{
	struct json j = reader_at(r, events);
	struct event e = { 0 };
	int err = json_enter(&j, '[');
	bool is_first = true;

	while (!err && (err = json_next(&j, ']')) > 0) {
		err = read_event(&j, &e);
		if (!err && is_first)
			weights_see(&r->weights, &e.at, power);
		else if (!err)
			weights_see_position(&r->weights, &e.at, power);
		is_first = false;
	}
	if (!err)
		weights_see(&r->weights, &e.at, power);
	return err;
}

static int see_weights(struct speedscope_reader *r, const char *weights, int power)
{
	struct json j = reader_at(r, weights);
	struct decimal d;
	int err = json_enter(&j, '[');

	while (!err && (err = json_next(&j, ']')) > 0) {
		err = json_read_number(&j, &d);
		if (!err)
			weights_see(&r->weights, &d, power);
	}
	return err;
}

int speedscope_see_part(struct speedscope_reader *r, const struct speedscope_part *part, int power)
{
	if (part->events)
		return see_events(r, part->events, power);
	return see_weights(r, part->weights, power);
}

static int add_sample(struct speedscope_reader *r, profile_id thread, int64_t weight)
{
	struct profile_sample sample = {
		.stack = stack_builder_stack(&r->builder),
		.thread = thread,
		.weight = weight,
		.count = 1,
	};

	return profile_add_sample(r->profile, &sample);
}

/* `[0,1,2]`, root first */
static int read_stack(struct speedscope_reader *r, struct json *j)
{
	int err = json_enter(j, '[');

	stack_builder_start(&r->builder);
	while (!err && (err = json_next(j, ']')) > 0) {
		uint32_t index;
		profile_id frame = PROFILE_NONE;

		err = json_read_index(j, &index);
		if (!err)
			err = find_frame(r, j, index, &frame);
		if (!err)
			err = stack_builder_push(&r->builder, frame);
	}
	return err;
}

static int add_samples(struct speedscope_reader *r, const struct speedscope_part *part,
		       profile_id thread, int power)
{
	struct json stacks = reader_at(r, part->samples), weights = reader_at(r, part->weights);
	int err = json_enter(&stacks, '[');

	if (!err)
		err = json_enter(&weights, '[');
	while (!err && (err = json_next(&stacks, ']')) > 0) {
		struct decimal d;

		err = json_next(&weights, ']');
		if (!err)
			return json_refuse(&weights, "fewer weights than samples");
		if (err > 0)
			err = json_read_number(&weights, &d);
		if (!err)
			err = read_stack(r, &stacks);
		if (!err)
			err = add_sample(r, thread, weights_fixed(&r->weights, &d, power));
	}
	if (!err)
		err = json_next(&weights, ']');
	return err > 0 ? json_refuse(&weights, "more weights than samples") : err;
}

/* What was open from *@last to the event's time gets that time. */
static int take_time(struct speedscope_reader *r, struct json *j, const struct event *e,
		     profile_id thread, int power, int64_t *last)
{
	int64_t at = weights_fixed(&r->weights, &e->at, power);
	int64_t weight;

	if (at < *last || __builtin_sub_overflow(at, *last, &weight))
		return json_refuse(j, "the time of an event is before the last one's");
	*last = at;
	return weight && r->builder.depth ? add_sample(r, thread, weight) : 0;
}

static int take_event(struct speedscope_reader *r, struct json *j, const struct event *e)
{
	profile_id frame = PROFILE_NONE;
	int err = find_frame(r, j, e->frame, &frame);

	if (err)
		return err;
	if (e->is_open)
		return stack_builder_push(&r->builder, frame);
	if (!r->builder.depth || r->builder.steps[r->builder.depth - 1].frame != frame)
		return json_refuse(j, "a frame is closed that was not opened last");
	r->builder.depth--;
	return 0;
}

static int add_events(struct speedscope_reader *r, const struct speedscope_part *part,
		      profile_id thread, int power)
{
	struct json j = reader_at(r, part->events);
	int64_t last = INT64_MIN;
	int err = json_enter(&j, '[');

	stack_builder_start(&r->builder);
	while (!err && (err = json_next(&j, ']')) > 0) {
		struct event e;

		err = read_event(&j, &e);
		if (!err && last == INT64_MIN)
			last = weights_fixed(&r->weights, &e.at, power);
		if (!err)
			err = take_time(r, &j, &e, thread, power, &last);
		if (!err)
			err = take_event(r, &j, &e);
	}
	if (!err && r->builder.depth)
		return json_refuse(&j, "a frame is still open at the end");
	return err;
}

int speedscope_add_part(struct speedscope_reader *r, const struct speedscope_part *part, int power)
{
	struct profile_thread thread = { 0 };
	profile_id id;
	int err = speedscope_add_text(r, &part->name, &thread.name);

	if (!err)
		err = profile_add_thread(r->profile, &thread, &id);
	if (err)
		return err;
	err = part->events ? add_events(r, part, id, power) : add_samples(r, part, id, power);
	if (err == -E2BIG)
		return import_refuse(r->json.why, err, "more stacks than can be held");
	return err;
}
