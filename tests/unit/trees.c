/* SPDX-License-Identifier: Apache-2.0 */
#include "trees.h"
#include "calltree/transform_text.h"

#include <criterion/criterion.h>
#include <string.h>

static profile_id add_text(struct profile *p, const char *text, size_t len)
{
	profile_id id = 0;

	cr_assert(profile_add_string(p, text, len, &id) == 0);
	return id;
}

/* One mark behind a name, as [k]; returns what is behind it. */
static const char *read_mark(struct profile *p, const char *at, struct profile_function *f,
			     struct profile_frame *frame)
{
	static const char ends[] = { ['['] = ']', ['('] = ')', ['{'] = '}', ['<'] = '>' };
	size_t len = strchr(at, ends[(int)*at]) - at - 1;

	if (*at == '[')
		f->kind = at[1] == 'p' ? PROFILE_PYTHON : PROFILE_KERNEL;
	else if (*at == '(')
		f->file = add_text(p, at + 1, len);
	else if (*at == '{')
		frame->category = add_text(p, at + 1, len);
	else
		f->resource = add_text(p, at + 1, len);
	return at + len + 2;
}

static const char *read_frame(struct profile *p, const char *at, profile_id *stack)
{
	struct profile_function function = { .kind = PROFILE_NATIVE };
	struct profile_frame frame = { 0 };
	struct profile_stack row = { .prefix = *stack };
	size_t len = strcspn(at, ";[({< ");

	function.name = add_text(p, at, len);
	at += len;
	while (strchr("[({<", *at))
		at = read_mark(p, at, &function, &frame);
	cr_assert(profile_add_function(p, &function, &frame.function) == 0);
	cr_assert(profile_add_frame(p, &frame, &row.frame) == 0);
	cr_assert(profile_add_stack(p, &row, stack) == 0);
	return at;
}

struct profile *tree_profile(const char *samples)
{
	struct profile *p = profile_new();
	struct profile_sample sample = { .count = 1 };
	const char *at = samples;

	cr_assert(p != NULL);
	cr_assert(profile_add_thread(p, &(struct profile_thread){ 0 }, &sample.thread) == 0);
	while (*at) {
		char *end;

		sample.stack = PROFILE_NONE;
		while (*at != ' ') {
			at += *at == ';';
			at = read_frame(p, at, &sample.stack);
		}
		sample.weight = strtoll(at, &end, 10);
		at = end + (*end == '|');
		cr_assert(profile_add_sample(p, &sample) == 0);
	}
	return p;
}

struct history *tree_history(const char *samples)
{
	static const struct tree_fill as_it_is = { 0 };
	OWNS(profile) struct profile *p = tree_profile(samples);
	struct history *h = history_new(p, &as_it_is);

	cr_assert(h != NULL);
	return h;
}

void tree_push(struct history *h, const char *transforms)
{
	struct buffer why OWNS(buffer) = { 0 };

	for (const char *at = transforms; *at;) {
		OWNS(transform) struct transform t = { 0 };
		size_t len = strcspn(at, "|");

		cr_assert(transform_parse(at, len, &t, &why) == 0, "%s", why.data);
		cr_assert(history_push(h, &t, TRANSFORM_MUST_MATCH, &why) == 0, "%s: %s",
			  transforms, why.data);
		at += len + (at[len] == '|');
	}
}

void tree_expect(const struct tree_stacks *s, const char *lines, const char *name)
{
	struct buffer got OWNS(buffer) = { 0 };

	cr_assert(tree_lines(s, WALK_FROM_ROOT, &got) == 0);
	cr_expect(!strcmp(got.data, lines), "%s:\n%s\nin place of\n%s", name, got.data, lines);
}
