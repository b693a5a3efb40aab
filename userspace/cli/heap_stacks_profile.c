/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_stacks_profile.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define BYTES_MOST 0x1p46    /* of a stack, or objects: all of them add up in 63 bits */
#define ROWS_MOST (1u << 16) /* stacks: as many as the daemon keeps */
#define FRAMES_MOST 8192     /* of a stack */

/* A process, while it is added. */
struct filling {
	struct profile *out;
	struct buffer *why;
	profile_id thread;
	double bytes, objects;		 /* estimates so far */
	uint64_t bytes_put, objects_put; /* of these: whole ones */
};

#define refuse(f, ...)                                       \
	({                                                   \
		(f)->why->len = 0;                           \
		buffer_print((f)->why, __VA_ARGS__);         \
		buffer_error((f)->why) ? -ENOMEM : -EBADMSG; \
	})

static bool is_text(const json_t *object, const char *member, const char *text)
{
	const char *value = json_string_value(json_object_get(object, member));

	return value && !strcmp(value, text);
}

bool heap_stacks_profile_fits(const json_t *heap)
{
	return json_is_object(json_object_get(heap, "session"));
}

static bool is_trace(const json_t *heap)
{
	return is_text(json_object_get(heap, "session"), "tier", "trace");
}

const char *heap_stacks_profile_type(const json_t *heap)
{
	return is_trace(heap) ? "inuse_space" : "growth_space";
}

static int add_text(struct profile *p, const json_t *text, profile_id *id)
{
	OWNS(buffer) struct buffer valid = { 0 };
	const char *bytes = json_is_string(text) ? json_string_value(text) : "";
	int err;

	buffer_add_text(&valid, "");
	utf8_repair(&valid, bytes, json_is_string(text) ? json_string_length(text) : 0);
	err = buffer_error(&valid);
	return err ? err : profile_add_string(p, valid.len ? valid.data : "", valid.len, id);
}

static enum profile_kind kind_of(const json_t *frame)
{
	if (is_text(frame, "kind", "python"))
		return PROFILE_PYTHON;
	return is_text(frame, "kind", "native") ? PROFILE_NATIVE : PROFILE_UNKNOWN;
}

/*
 * @json on *@stack, which becomes the new stack. A line is a function of its own, whose first line
 * it is: so every format shows it.
 */
static int push(struct filling *f, const json_t *json, profile_id *stack)
{
	json_int_t number = json_integer_value(json_object_get(json, "line"));
	uint32_t line = number > 0 && number <= INT32_MAX ? number : 0;
	struct profile_function function = { .kind = kind_of(json), .first_line = line };
	struct profile_frame frame = { .line = line };
	struct profile_stack made = { .prefix = *stack };
	int err;

	if (!json_is_string(json_object_get(json, "function")))
		return refuse(f, "a frame without a function");
	err = add_text(f->out, json_object_get(json, "function"), &function.name);
	if (!err)
		err = add_text(f->out, json_object_get(json, "file"), &function.file);
	if (!err)
		err = profile_add_function(f->out, &function, &frame.function);
	if (!err)
		err = profile_add_frame(f->out, &frame, &made.frame);
	return err ? err : profile_add_stack(f->out, &made, stack);
}

static int add_stack(struct filling *f, const json_t *frames, profile_id *stack)
{
	size_t count = json_array_size(frames);
	int err = 0;

	if (count > FRAMES_MOST)
		return refuse(f, "a stack of too many frames");
	for (size_t i = count; i-- && !err;)
		err = push(f, json_array_get(frames, i), stack);
	return err;
}

static int push_rest(struct filling *f, profile_id *stack)
{
	json_t *frame = json_pack("{ss ss}", "function", "[other stacks]", "kind", "unknown");
	int err = frame ? push(f, frame, stack) : -ENOMEM;

	json_decref(frame);
	return err;
}

/* Rounds what has been summed up, not each part, so that the parts add up. */
static uint64_t take_whole(double *sum, double part, uint64_t *put)
{
	uint64_t whole, before = *put;

	*sum += part;
	whole = llround(*sum);
	*put = whole;
	return whole - before;
}

/* An estimate, 0 or more; -1 where there is none that can be. */
static double estimate_of(const json_t *row, const char *member)
{
	const json_t *number = json_object_get(row, member);
	double value = json_number_value(number);

	return json_is_number(number) && value < BYTES_MOST ? fmax(value, 0) : -1;
}

/* @frames NULL: those for which the answer had no room. */
static int add_row(struct filling *f, const json_t *row, const json_t *frames)
{
	double bytes = estimate_of(row, "bytes"), objects = estimate_of(row, "objects");
	struct profile_sample sample = { .stack = PROFILE_NONE, .thread = f->thread };
	int err;

	if (bytes < 0 || objects < 0)
		return refuse(f, "a stack without bytes and objects, or with more than can be");
	if (bytes <= 0)
		return 0;
	err = frames ? add_stack(f, frames, &sample.stack) : push_rest(f, &sample.stack);
	if (err)
		return err;
	sample.weight = take_whole(&f->bytes, bytes, &f->bytes_put);
	sample.count = take_whole(&f->objects, objects, &f->objects_put);
	return profile_add_sample(f->out, &sample);
}

static int add_rows(struct filling *f, const json_t *heap)
{
	const json_t *rows = json_object_get(heap, is_trace(heap) ? "stacks" : "growth");
	const json_t *rest =
		json_object_get(heap, is_trace(heap) ? "stacks_omitted" : "growth_omitted");
	size_t count = json_array_size(rows);
	int err = 0;

	if (!json_is_array(rows) || count > ROWS_MOST)
		return refuse(f, "no list of stacks, or one of too many");
	for (size_t i = 0; i < count && !err; i++) {
		const json_t *row = json_array_get(rows, i),
			     *frames = json_object_get(row, "frames");

		err = json_is_array(frames) ? add_row(f, row, frames)
					    : refuse(f, "a stack without frames");
	}
	return err || !rest ? err : add_row(f, rest, NULL);
}

static int add_thread(struct filling *f, const json_t *heap)
{
	json_int_t pid = json_integer_value(json_object_get(heap, "pid"));
	struct profile_thread thread = { .pid = pid, .tid = pid };
	int err;

	if (pid <= 0 || pid > INT32_MAX)
		return refuse(f, "a heap without a process");
	err = profile_add_string(f->out, "heap", strlen("heap"), &thread.name);
	if (!err)
		err = add_text(f->out, json_object_get(heap, "name"), &thread.process);
	return err ? err : profile_add_thread(f->out, &thread, &f->thread);
}

static int set_about(struct profile *p, const json_t *heap)
{
	struct profile_about *about = profile_about(p);
	const char *type = heap_stacks_profile_type(heap);
	json_int_t start = json_integer_value(json_object_get(heap, "time_ns"));
	int err = profile_add_string(p, "bytes", strlen("bytes"), &about->unit);

	if (!err)
		err = profile_add_string(p, type, strlen(type), &about->weighed);
	if (!err && !about->python)
		err = add_text(p, json_object_get(heap, "python"), &about->python);
	if (!about->start_ns && start > 0)
		about->start_ns = start;
	return err;
}

int heap_stacks_profile_add(struct profile *out, const json_t *heap, struct buffer *why)
{
	struct filling f = { .out = out, .why = why };
	int err = set_about(out, heap);

	if (!err)
		err = add_thread(&f, heap);
	return err ? err : add_rows(&f, heap);
}
