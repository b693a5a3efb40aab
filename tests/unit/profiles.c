/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

profile_id test_string(struct profile *p, const char *text)
{
	profile_id id = PROFILE_NONE;

	cr_assert(profile_add_string(p, text, strlen(text), &id) == 0);
	return id;
}

profile_id test_stack(struct profile *p, profile_id prefix, const struct test_frame *frame)
{
	struct profile_function function = {
		.name = test_string(p, frame->name),
		.file = test_string(p, frame->file),
		.first_line = frame->first_line,
		.kind = frame->kind,
	};
	struct profile_frame row = { .line = frame->line };
	struct profile_stack stack = { .prefix = prefix };
	profile_id id = PROFILE_NONE;

	cr_assert(profile_add_function(p, &function, &row.function) == 0);
	cr_assert(profile_add_frame(p, &row, &stack.frame) == 0);
	cr_assert(profile_add_stack(p, &stack, &id) == 0);
	return id;
}

profile_id test_thread(struct profile *p, uint32_t pid, uint32_t tid, const char *process,
		       const char *name)
{
	struct profile_thread thread = {
		.pid = pid,
		.tid = tid,
		.name = test_string(p, name),
		.process = test_string(p, process),
	};
	profile_id id = PROFILE_NONE;

	cr_assert(profile_add_thread(p, &thread, &id) == 0);
	return id;
}

void test_sample(struct profile *p, profile_id stack, profile_id thread, int64_t weight,
		 uint64_t count)
{
	struct profile_sample sample = {
		.stack = stack, .thread = thread, .weight = weight, .count = count
	};

	cr_assert(profile_add_sample(p, &sample) == 0);
}

struct profile *test_small_profile(void)
{
	static const struct test_frame module = { "<module>", "/srv/app.py", 1, 40, 0 };
	static const struct test_frame work = { "Work.run", "/srv/app.py", 10, 12, 0 };
	static const struct test_frame work_later = { "Work.run", "/srv/app.py", 10, 14, 0 };
	static const struct test_frame native = { "[native]", "", 0, 0, PROFILE_NATIVE };
	struct profile *p = profile_new();
	struct profile_about *about = profile_about(p);
	profile_id root, thread, other;

	about->start_ns = 1700000000000000000;
	about->duration_ns = 2000000000;
	about->interval_ns = 10101010;
	about->taken = 9;
	about->lost = 2;
	about->python = test_string(p, "3.11.2");
	about->platform = test_string(p, "Linux-6.1.0-x86_64");
	cr_assert(profile_add_loss(p, "ring_full", 2) == 0);
	thread = test_thread(p, 1234, 1234, "python3", "MainThread");
	other = test_thread(p, 1234, 1240, "python3", "worker one");
	root = test_stack(p, PROFILE_NONE, &module);
	test_sample(p, test_stack(p, root, &work), thread, 20202020, 2);
	test_sample(p, test_stack(p, root, &work_later), thread, 10101010, 1);
	test_sample(p, test_stack(p, test_stack(p, root, &work), &native), other, 30303030, 3);
	test_sample(p, root, other, 10101010, 1);
	return p;
}

static uint64_t next_random(uint64_t *state)
{
	/* splitmix64 (Steele, Lea, Flood 2014) */
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t end)
{
	return next_random(state) % end;
}

/* Mostly short, from a small alphabet, so that rows repeat. */
static profile_id random_string(struct profile *p, uint64_t *state)
{
	static const char *const letters[] = { "a",	   "b",	   ";", " ",	  "\n",
					       "\"",	   "\\",   "7", "\u00e9", "\u2028",
					       "\xc2\x85", "\x7f", "=", "(" };
	struct buffer text OWNS(buffer) = { 0 };
	uint32_t len = below(state, 8) ? below(state, 4) : below(state, 300);
	profile_id id = 0;

	for (uint32_t i = 0; i < len; i++)
		buffer_add_text(&text, letters[below(state, sizeof(letters) / sizeof(*letters))]);
	if (below(state, 16) == 0)
		buffer_add(&text, "\0", 1);
	cr_assert(profile_add_string(p, text.data ? text.data : "", text.len, &id) == 0);
	return id;
}

/* A number with as many bits as it likes. */
static uint64_t random_number(uint64_t *state)
{
	return next_random(state) >> below(state, 64);
}

static profile_id random_stack(struct profile *p, uint64_t *state)
{
	struct profile_stack stack = { .prefix = PROFILE_NONE };

	for (uint32_t depth = below(state, 12); depth-- > 0;) {
		struct profile_function function = {
			.name = random_string(p, state),
			.file = random_string(p, state),
			.first_line = random_number(state),
			.kind = below(state, 4),
		};
		struct profile_frame frame = { .line = random_number(state) };

		cr_assert(profile_add_function(p, &function, &frame.function) == 0);
		cr_assert(profile_add_frame(p, &frame, &stack.frame) == 0);
		cr_assert(profile_add_stack(p, &stack, &stack.prefix) == 0);
	}
	return stack.prefix;
}

static void random_about(struct profile *p, uint64_t *state)
{
	struct profile_about *about = profile_about(p);

	about->start_ns = random_number(state);
	about->duration_ns = random_number(state);
	about->interval_ns = random_number(state);
	about->taken = random_number(state);
	about->lost = random_number(state);
	about->python = random_string(p, state);
	about->platform = random_string(p, state);
	about->unit = below(state, 2) ? random_string(p, state) : about->unit;
	about->decimals = below(state, 4) ? 0 : below(state, 10);
	about->keeps_order = below(state, 2);
	for (uint32_t i = below(state, 3); i-- > 0;)
		cr_assert(profile_add_loss(p, i ? "ring_full" : "odd=name", random_number(state)) ==
			  0);
}

struct profile *test_random_profile(uint64_t seed)
{
	uint64_t state = seed;
	struct profile *p = profile_new();

	cr_assert(p);
	random_about(p, &state);
	for (uint32_t i = below(&state, 40); i-- > 0;) {
		struct profile_thread thread = {
			.pid = random_number(&state),
			.tid = below(&state, 3),
			.ident = random_number(&state),
			.name = random_string(p, &state),
			.process = random_string(p, &state),
		};
		struct profile_sample sample = {
			.weight = (int64_t)random_number(&state),
			.count = random_number(&state),
			.timestamp_ns = random_number(&state),
		};

		sample.stack = random_stack(p, &state);
		cr_assert(profile_add_thread(p, &thread, &sample.thread) == 0);
		cr_assert(profile_add_sample(p, &sample) == 0);
	}
	return p;
}

static void describe_string(const struct profile *p, profile_id id, struct buffer *out)
{
	const char *text = profile_string(p, id);

	buffer_add_text(out, "'");
	for (size_t i = 0; i < profile_string_len(p, id); i++)
		buffer_print(out, text[i] > ' ' && text[i] <= '~' ? "%c" : "<%02x>",
			     (unsigned char)text[i]);
	buffer_add_text(out, "' ");
}

static void describe_about(const struct profile *p, struct buffer *out)
{
	const struct profile_about *a = profile_about_get(p);
	uint32_t count;
	const struct profile_loss *losses = profile_losses(p, &count);

	buffer_print(out,
		     "about %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %u ",
		     a->start_ns, a->duration_ns, a->interval_ns, a->taken, a->lost, a->keeps_order,
		     a->decimals);
	describe_string(p, a->python, out);
	describe_string(p, a->platform, out);
	describe_string(p, a->unit, out);
	for (uint32_t i = 0; i < count; i++) {
		buffer_print(out, "\nloss %" PRIu64 " ", losses[i].count);
		describe_string(p, losses[i].name, out);
	}
	buffer_add_text(out, "\n");
}

static void describe_stack(const struct profile *p, profile_id stack, struct buffer *out)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(p, &count);
	const struct profile_frame *frames = profile_frames(p, &count);
	const struct profile_function *functions = profile_functions(p, &count);

	for (; stack != PROFILE_NONE; stack = stacks[stack].prefix) {
		const struct profile_frame *frame = &frames[stacks[stack].frame];
		const struct profile_function *function = &functions[frame->function];

		buffer_print(out, "| %s %u %u ", profile_kind_name(function->kind),
			     function->first_line, frame->line);
		describe_string(p, function->name, out);
		describe_string(p, function->file, out);
	}
}

static void describe_sample(const struct profile *p, const struct profile_sample *s,
			    struct buffer *out)
{
	uint32_t count;
	const struct profile_thread *thread = &profile_threads(p, &count)[s->thread];

	buffer_print(out, "sample %" PRId64 " %" PRIu64 " %" PRIu64 " %u/%u %" PRIu64 " ",
		     s->weight, s->count, s->timestamp_ns, thread->pid, thread->tid, thread->ident);
	describe_string(p, thread->process, out);
	describe_string(p, thread->name, out);
	describe_stack(p, s->stack, out);
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void test_describe(const struct profile *p, struct buffer *out)
{
	bool keeps_order = profile_about_get(p)->keeps_order;
	uint32_t count;
	const struct profile_sample *samples = profile_samples(p, &count);
	char **lines = calloc(count + 1, sizeof(*lines));

	cr_assert(lines);
	describe_about(p, out);
	for (uint32_t i = 0; i < count; i++) {
		struct buffer line = { 0 };

		describe_sample(p, &samples[i], &line);
		lines[i] = line.data;
	}
	if (!keeps_order)
		qsort(lines, count, sizeof(*lines), compare_text);
	for (uint32_t i = 0; i < count; i++) {
		buffer_print(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

void test_export(const char *name, const struct profile *p, const struct export_options *o, int err,
		 struct buffer *out)
{
	const struct exporter *exporter = exporter_find(name);
	static const struct export_options usual;

	cr_assert(exporter);
	cr_assert(exporter->write(p, o ? o : &usual, out) == err);
}
