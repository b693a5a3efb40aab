/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are read twice: first their numbers, then their stacks. What a line has in common
 * with the one before it is not looked at again: most files are sorted.
 */
#include "import/collapsed.h"
#include "import/collapsed_element.h"
#include "import/stack_builder.h"
#include "import/text_cache.h"
#include "import/weights.h"

#include <inttypes.h>
#include <string.h>

struct line {
	const char *text, *end;	   /* of the stack; NULL: the line says nothing */
	const char *number, *stop; /* of the weight */
};

struct reader {
	const char *at, *end;
	uint64_t line_number;
	struct buffer *why;
	struct weights weights;
	struct text_cache cache;
	struct stack_builder builder;
	const char *before; /* the stack of the line before */
	struct element {
		size_t end; /* as offset in the line */
		uint64_t hash;
	} * elements; /* of the line at hand, and what is left of the one before */
	size_t room;
};

static void reader_cleanup(struct reader *r)
{
	text_cache_fini(&r->cache);
	stack_builder_cleanup(&r->builder);
	free(r->elements);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next line, without its end. */
static struct line take_line(struct reader *r)
{
	const char *start = r->at, *end = memchr(r->at, '\n', r->end - r->at);

	r->line_number++;
	if (!end)
		end = r->end;
	r->at = end < r->end ? end + 1 : end;
	while (end > start && (end[-1] == '\r' || is_blank(end[-1])))
		end--;
	/* Comments: flamegraph's readers and Austin have them. */
	if (end == start || (*start == '#' && (end == start + 1 || start[1] == ' ')))
		return (struct line){ 0 };
	return (struct line){ .text = start, .end = end, .stop = end };
}

/* Splits @l before its last number, which becomes *@d. */
static bool split(struct line *l, struct decimal *d)
{
	const char *number = l->end;

	while (number > l->text && !is_blank(number[-1]))
		number--;
	if (number == l->text || !decimal_read(number, l->end - number, d))
		return false;
	l->number = number;
	l->end = number - 1;
	return true;
}

static int read_weights(struct reader *r)
{
	struct decimal d;
	uint64_t lines = 0;

	while (r->at < r->end) {
		struct line l = take_line(r);

		if (!l.text)
			continue;
		if (!split(&l, &d))
			return import_refuse(r->why, -EBADMSG,
					     "line %" PRIu64 ": no number at its end",
					     r->line_number);
		weights_see(&r->weights, &d, 0);
		lines++;
	}
	return lines ? 0 : import_refuse(r->why, -EBADMSG, "there is no stack in it");
}

/* How many bytes @a and @b begin with in common, of at most @len. */
static size_t common_len(const char *a, const char *b, size_t len)
{
	size_t at = 0;

	for (; at + 8 <= len; at += 8) {
		uint64_t left, right;

		memcpy(&left, a + at, 8);
		memcpy(&right, b + at, 8);
		if (left != right)
			return at + __builtin_ctzll(left ^ right) / 8;
	}
	while (at < len && a[at] == b[at])
		at++;
	return at;
}

/* How many elements the line before begins with too. */
static size_t count_common(const struct reader *r, const struct line *l)
{
	size_t known = r->builder.known, len = l->end - l->text, common, longest;

	if (!known)
		return 0;
	longest = r->elements[known - 1].end;
	common = common_len(l->text, r->before, len < longest ? len : longest);
	while (known > 0) {
		size_t end = r->elements[known - 1].end;

		if (end <= common && (end == len || l->text[end] == ';'))
			break;
		known--;
	}
	return known;
}

static int make_room(struct reader *r, size_t count)
{
	size_t room = r->room ? 2 * r->room : 128;
	struct element *grown;

	if (count < r->room)
		return 0;
	grown = reallocarray(r->elements, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->elements = grown;
	r->room = room;
	return 0;
}

/* The elements from @from on, and how many the line has. */
static int split_elements(struct reader *r, const struct line *l, size_t from, size_t *count)
{
	const char *at = from ? l->text + r->elements[from - 1].end + 1 : l->text;

	for (*count = from; at <= l->end; (*count)++) {
		const char *stop = memchr(at, ';', l->end - at);
		struct element *e;

		if (make_room(r, *count))
			return -ENOMEM;
		if (!stop)
			stop = l->end;
		e = &r->elements[*count];
		e->end = stop - l->text;
		e->hash = text_cache_hash(&r->cache, at, stop - at);
		text_cache_prefetch(&r->cache, e->hash);
		at = stop + 1;
	}
	return 0;
}

static int find_frame(struct reader *r, const char *text, size_t len, uint64_t hash,
		      profile_id *frame)
{
	int err;

	*frame = text_cache_find(&r->cache, text, len, hash);
	if (*frame != PROFILE_NONE)
		return 0;
	err = collapsed_add_element(r->builder.profile, text, len, frame);
	return err ? err : text_cache_add(&r->cache, text, len, hash, *frame);
}

static int add_stack(struct reader *r, const struct line *l, profile_id *stack)
{
	size_t common = count_common(r, l), count;
	int err = split_elements(r, l, common, &count);

	r->before = l->text;
	for (size_t i = common; i < count && !err; i++)
		text_cache_prefetch_text(&r->cache, r->elements[i].hash);
	stack_builder_start(&r->builder);
	stack_builder_keep(&r->builder, common);
	for (size_t i = common; i < count && !err; i++) {
		size_t start = i ? r->elements[i - 1].end + 1 : 0;
		profile_id frame = PROFILE_NONE;

		err = find_frame(r, l->text + start, r->elements[i].end - start,
				 r->elements[i].hash, &frame);
		if (!err)
			err = stack_builder_push(&r->builder, frame);
	}
	stack_builder_forget(&r->builder);
	*stack = stack_builder_stack(&r->builder);
	return err;
}

/* A number alone, after a blank: nothing was on the stack. */
static bool is_empty(const struct line *l)
{
	return l->end == l->text;
}

static int add_line(struct reader *r, struct line *l, profile_id thread)
{
	struct profile_sample sample = { .thread = thread };
	struct decimal d = { 0 };
	int err;

	split(l, &d);
	sample.weight = weights_fixed(&r->weights, &d, 0);
	sample.count = r->weights.decimals || sample.weight < 0 ? 1 : (uint64_t)sample.weight;
	sample.stack = PROFILE_NONE;
	err = is_empty(l) ? 0 : add_stack(r, l, &sample.stack);
	return err ? err : profile_add_sample(r->builder.profile, &sample);
}

static int read_stacks(struct reader *r, const char *start)
{
	struct profile_thread thread = { 0 };
	struct profile *p = r->builder.profile;
	profile_id id;
	int err = profile_add_thread(p, &thread, &id);

	r->at = start;
	r->line_number = 0;
	if (!err)
		err = profile_add_string(p, "samples", strlen("samples"), &profile_about(p)->unit);
	while (r->at < r->end && !err) {
		struct line l = take_line(r);

		if (l.text)
			err = add_line(r, &l, id);
	}
	if (err == -E2BIG)
		return import_refuse(r->why, err, "line %" PRIu64 ": more than can be held",
				     r->line_number);
	return err;
}

int import_collapsed(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	OWNS(reader)
	struct reader r = {
		.at = bytes,
		.end = (const char *)bytes + len,
		.why = why,
		.builder.profile = out,
	};
	int err = read_weights(&r);

	text_cache_init(&r.cache);
	if (!err)
		err = weights_settle(&r.weights, out, why);
	return err ? err : read_stacks(&r, bytes);
}

bool collapsed_is_it(const void *bytes, size_t len)
{
	struct reader r = { .at = bytes, .end = (const char *)bytes + len };
	struct line l = { 0 };
	struct decimal d;

	while (r.at < r.end && !l.text)
		l = take_line(&r);
	return l.text && split(&l, &d);
}
