/* SPDX-License-Identifier: Apache-2.0 */
#include "export/collapsed_map.h"
#include "export/collapsed_text.h"

#include <errno.h>
#include <inttypes.h>

struct mapper {
	const struct profile *profile;
	const struct export_options *options;
	struct profile *texts;
	profile_id *frames;  /* @profile's to @texts' */
	profile_id *stacks;  /* likewise */
	profile_id *threads; /* likewise */
	profile_id nothing;  /* the stack that stands for an empty one */
};

static void mapper_cleanup(struct mapper *m)
{
	free(m->frames);
	free(m->stacks);
	free(m->threads);
}

static void add_string(const struct mapper *m, struct buffer *out, profile_id string)
{
	buffer_add(out, profile_string(m->profile, string), profile_string_len(m->profile, string));
}

/* How @frame reads in a line. */
static void print_frame(const struct mapper *m, const struct profile_frame *frame,
			struct buffer *out)
{
	const struct profile *p = m->profile;
	uint32_t count;
	const struct profile_function *function = &profile_functions(p, &count)[frame->function];
	const char *name = profile_string(p, function->name);
	size_t name_len = profile_string_len(p, function->name);

	if (function->kind == PROFILE_PYTHON && function->file)
		collapsed_add_python(out, name, name_len, profile_string(p, function->file),
				     profile_string_len(p, function->file),
				     m->options->with_lines ? frame->line : function->first_line);
	else if (function->kind == PROFILE_KERNEL)
		collapsed_add_kernel(out, name, name_len);
	else
		collapsed_add_text(out, name, name_len);
}

/* "python3-1234/1240 MainThread" */
static void print_thread(const struct mapper *m, const struct profile_thread *t, struct buffer *out)
{
	add_string(m, out, t->process);
	buffer_print(out, "%s%" PRIu32 "/%" PRIu32, t->process ? "-" : "", t->pid, t->tid);
	if (t->name) {
		buffer_add_text(out, " ");
		add_string(m, out, t->name);
	}
}

/* The frame in @texts that reads as @text does. */
static int add_frame_text(struct mapper *m, struct buffer *text, profile_id *id)
{
	struct profile_function function = { 0 };
	struct profile_frame frame = { 0 };
	int err = buffer_error(text);

	if (!err)
		err = profile_add_string(m->texts, text->data, text->len, &function.name);
	if (!err)
		err = profile_add_function(m->texts, &function, &frame.function);
	return err ? err : profile_add_frame(m->texts, &frame, id);
}

static int map_frames(struct mapper *m)
{
	uint32_t count;
	const struct profile_frame *frames = profile_frames(m->profile, &count);
	int err = 0;

	m->frames = calloc(count + 1ul, sizeof(*m->frames));
	if (!m->frames)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !err; i++) {
		struct buffer text OWNS(buffer) = { 0 };

		print_frame(m, &frames[i], &text);
		err = add_frame_text(m, &text, &m->frames[i]);
	}
	return err;
}

/* A prefix has a lower id than what it is a prefix of, so one pass does. */
static int map_stacks(struct mapper *m)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(m->profile, &count);
	int err = 0;

	m->stacks = calloc(count + 1ul, sizeof(*m->stacks));
	if (!m->stacks)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !err; i++) {
		struct profile_stack stack = { .prefix = PROFILE_NONE,
					       .frame = m->frames[stacks[i].frame] };

		if (stacks[i].prefix != PROFILE_NONE)
			stack.prefix = m->stacks[stacks[i].prefix];
		err = profile_add_stack(m->texts, &stack, &m->stacks[i]);
	}
	return err;
}

static int map_nothing(struct mapper *m)
{
	struct buffer text OWNS(buffer) = { 0 };
	struct profile_stack stack = { .prefix = PROFILE_NONE };
	int err;

	collapsed_add_text(&text, "", 0);
	err = add_frame_text(m, &text, &stack.frame);
	return err ? err : profile_add_stack(m->texts, &stack, &m->nothing);
}

static int add_thread_text(struct mapper *m, const struct profile_thread *from, profile_id *id)
{
	struct buffer plain OWNS(buffer) = { 0 }, text OWNS(buffer) = { 0 };

	print_thread(m, from, &plain);
	if (buffer_error(&plain))
		return -ENOMEM;
	collapsed_add_text(&text, plain.data, plain.len);
	return buffer_error(&text) ? -ENOMEM
				   : profile_add_string(m->texts, text.data, text.len, id);
}

static int map_threads(struct mapper *m)
{
	uint32_t count;
	const struct profile_thread *threads = profile_threads(m->profile, &count);
	int err = 0;

	m->threads = calloc(count + 1ul, sizeof(*m->threads));
	if (!m->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !err; i++) {
		struct profile_thread thread = { 0 };

		if (m->options->with_threads)
			err = add_thread_text(m, &threads[i], &thread.name);
		if (!err)
			err = profile_add_thread(m->texts, &thread, &m->threads[i]);
	}
	return err;
}

/* 0, -ENOMEM or -ERANGE. */
static int map_samples(struct mapper *m)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(m->profile, &count);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		struct profile_sample sample = samples[i];

		if (sample.weight < 0)
			return -ERANGE;
		sample.stack = sample.stack == PROFILE_NONE ? m->nothing : m->stacks[sample.stack];
		sample.thread = m->threads[sample.thread];
		err = profile_add_sample(m->texts, &sample);
	}
	return err;
}

int collapsed_map(const struct profile *p, const struct export_options *o, struct profile *texts)
{
	OWNS(mapper) struct mapper m = { .profile = p, .options = o, .texts = texts };
	int err = map_frames(&m);

	if (!err)
		err = map_stacks(&m);
	if (!err)
		err = map_nothing(&m);
	if (!err)
		err = map_threads(&m);
	return err ? err : map_samples(&m);
}
