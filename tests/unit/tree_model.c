/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_model.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* The names of functions that have a resource are sorted behind it. */
static const struct {
	const char *name;
	enum profile_kind kind;
	int resource; /* -1: none */
} functions[MODEL_FUNCTIONS + MODEL_RESOURCES] = {
	{ "a", PROFILE_PYTHON, 0 },
	{ "b", PROFILE_PYTHON, -1 },
	{ "c", PROFILE_NATIVE, 0 },
	{ "d", PROFILE_NATIVE, 1 },
	{ "e", PROFILE_KERNEL, -1 },
	{ "f", PROFILE_UNKNOWN, 1 },
	{ "lib0", 0, 0 },
	{ "lib1", 0, 1 },
};

static const char *const categories[] = { "Red", "Green", "Blue" };
#define CATEGORIES 3

uint32_t model_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % below;
}

/* Functions by first appearance, then resources by that of their functions. */
static void rank_functions(struct model *m)
{
	int order[MODEL_FUNCTIONS], count = 0, next;

	memset(m->rank, 0xff, sizeof(m->rank));
	for (int s = 0; s < m->count; s++) {
		for (int i = 0; i < m->samples[s].count; i++) {
			int f = m->samples[s].frames[i].function;

			if (m->rank[f] < 0) {
				m->rank[f] = count;
				order[count++] = f;
			}
		}
	}
	next = count;
	for (int i = 0; i < count; i++) {
		int resource = functions[order[i]].resource;

		if (resource >= 0 && m->rank[MODEL_FUNCTIONS + resource] < 0)
			m->rank[MODEL_FUNCTIONS + resource] = next++;
	}
}

void model_make(struct model *m, uint64_t *state)
{
	uint32_t used = 1 + model_random(state, MODEL_FUNCTIONS);

	memset(m, 0, sizeof(*m));
	m->count = 1 + model_random(state, MODEL_SAMPLES);
	for (int s = 0; s < m->count; s++) {
		struct model_sample *sample = &m->samples[s];

		sample->count = 1 + model_random(state, MODEL_DEPTH);
		sample->weight = (int64_t)model_random(state, 8) - 2;
		for (int i = 0; i < sample->count; i++)
			sample->frames[i] = (struct model_frame){ model_random(state, used),
								  model_random(state, CATEGORIES) };
		/* Often as another began, so that there is a tree. */
		if (s && model_random(state, 3)) {
			int shared = model_random(state, m->samples[s - 1].count + 1u);

			memcpy(sample->frames, m->samples[s - 1].frames,
			       shared * sizeof(*sample->frames));
			sample->count = shared > sample->count ? shared : sample->count;
		}
	}
	rank_functions(m);
}

static profile_id add_text(struct profile *p, const char *text)
{
	profile_id id = 0;

	cr_assert(profile_add_string(p, text, strlen(text), &id) == 0);
	return id;
}

static void add_frame(struct profile *p, const struct model_frame *f, uint32_t line,
		      profile_id *stack)
{
	int resource = functions[f->function].resource;
	struct profile_function function = {
		.name = add_text(p, functions[f->function].name),
		.kind = functions[f->function].kind,
		.resource =
			resource < 0 ? 0 : add_text(p, functions[MODEL_FUNCTIONS + resource].name),
	};
	struct profile_frame frame = { .line = line,
				       .category = add_text(p, categories[f->category]) };
	struct profile_stack row = { .prefix = *stack };

	cr_assert(profile_add_function(p, &function, &frame.function) == 0);
	cr_assert(profile_add_frame(p, &frame, &row.frame) == 0);
	cr_assert(profile_add_stack(p, &row, stack) == 0);
}

struct profile *model_profile(const struct model *m)
{
	struct profile *p = profile_new();
	struct profile_sample row = { .count = 1 };

	cr_assert(p != NULL);
	cr_assert(profile_add_thread(p, &(struct profile_thread){ 0 }, &row.thread) == 0);
	profile_about(p)->keeps_order = true;
	for (int s = 0; s < m->count; s++) {
		row.stack = PROFILE_NONE;
		row.weight = m->samples[s].weight;
		/* Lines differ, functions do not. */
		for (int i = 0; i < m->samples[s].count; i++)
			add_frame(p, &m->samples[s].frames[i], s % 2, &row.stack);
		cr_assert(profile_add_sample(p, &row) == 0);
	}
	return p;
}

/* --- transforms --- */

static void add_name(struct transform *t, const char *name)
{
	cr_assert(transform_add_name(t, name, strlen(name)) == 0);
}

/* Frames of @sample under @impl, from one of its ends; now and then one is wrong. */
static void add_path(const struct model_sample *sample, uint64_t *state, struct transform *t)
{
	bool from_root = t->type != TRANSFORM_FOCUS_INVERTED;
	int count = 1 + model_random(state, 4);

	for (int i = 0; i < sample->count && count; i++) {
		int at = from_root ? i : sample->count - 1 - i;
		int f = sample->frames[at].function;

		if (!tree_implementation_has(t->impl, functions[f].kind) && model_random(state, 6))
			continue;
		add_name(t, functions[model_random(state, 12) ? f : 0].name);
		count--;
	}
	if (!t->count)
		add_name(t, functions[0].name);
}

/* The last frames in their order, as a suffix is. */
static void add_suffix(const struct model_sample *sample, uint64_t *state, struct transform *t)
{
	int count = 1 + model_random(state, 3);

	for (int i = count < sample->count ? sample->count - count : 0; i < sample->count; i++)
		add_name(t, functions[sample->frames[i].function].name);
	if (!t->count)
		add_name(t, functions[0].name);
}

void model_transform(const struct model *m, uint64_t *state, struct transform *t)
{
	const struct model_sample *sample = &m->samples[model_random(state, m->count)];

	t->type = model_random(state, TRANSFORM_TYPES);
	t->impl = model_random(state, 2) ? TREE_COMBINED : (int)model_random(state, 4);
	switch (transform_type_argument(t->type)) {
	case TRANSFORM_OF_PATH:
		if (t->type == TRANSFORM_FILTER_SUFFIX)
			add_suffix(sample, state, t);
		else
			add_path(sample, state, t);
		break;
	case TRANSFORM_OF_FUNCTION:
		add_name(t, functions[model_random(state, MODEL_FUNCTIONS + MODEL_RESOURCES)].name);
		break;
	case TRANSFORM_OF_CATEGORY:
		add_name(t, categories[model_random(state, CATEGORIES)]);
		break;
	case TRANSFORM_OF_RESOURCE:
		add_name(t, functions[MODEL_FUNCTIONS + model_random(state, MODEL_RESOURCES)].name);
		break;
	}
}

static bool is_called(int function, const struct transform *t, uint32_t k)
{
	return !strcmp(functions[function].name, t->names[k].text);
}

/* The kind of a resource is that of the first of its functions. */
static enum profile_kind kind_of(const struct model *m, int function)
{
	int resource = function - MODEL_FUNCTIONS, first = -1;

	for (int f = 0; resource >= 0 && f < MODEL_FUNCTIONS; f++)
		if (functions[f].resource == resource && m->rank[f] >= 0 &&
		    (first < 0 || m->rank[f] < m->rank[first]))
			first = f;
	return functions[resource >= 0 ? first : function].kind;
}

static bool counts(const struct model *m, enum tree_implementation impl, int function)
{
	return tree_implementation_has(impl, kind_of(m, function));
}

/* Where the last element of the path lies, from the root (@step 1) or the leaf (-1); or -1. */
static int match(const struct model *m, const struct model_sample *s, const struct transform *t,
		 int step, bool is_reversed)
{
	uint32_t taken = 0;

	for (int i = step > 0 ? 0 : s->count - 1; i >= 0 && i < s->count; i += step) {
		uint32_t k = is_reversed ? t->count - 1 - taken : taken;

		if (is_called(s->frames[i].function, t, k)) {
			if (++taken == t->count)
				return i;
		} else if (counts(m, t->impl, s->frames[i].function)) {
			return -1;
		}
	}
	return -1;
}

static int first_called(const struct model_sample *s, const struct transform *t)
{
	for (int i = 0; i < s->count; i++)
		if (is_called(s->frames[i].function, t, 0))
			return i;
	return -1;
}

static void keep_range(struct model_sample *s, int from, int to)
{
	s->count = to > from ? to - from : 0;
	memmove(s->frames, s->frames + from, s->count * sizeof(*s->frames));
}

static void remove_frame(struct model_sample *s, int at)
{
	s->count--;
	memmove(s->frames + at, s->frames + at + 1, (s->count - at) * sizeof(*s->frames));
}

static void apply_path(const struct model *m, struct model_sample *s, const struct transform *t)
{
	int at = match(m, s, t, 1, false);

	switch (t->type) {
	case TRANSFORM_MERGE_NODE:
		if (at >= 0)
			remove_frame(s, at);
		break;
	case TRANSFORM_MERGE_SUBTREE:
		if (at >= 0)
			s->count = at;
		break;
	case TRANSFORM_HIDE:
		s->count = at >= 0 ? 0 : s->count;
		break;
	case TRANSFORM_FOCUS:
		keep_range(s, at >= 0 ? at : s->count, s->count);
		break;
	case TRANSFORM_FILTER_PREFIX:
		s->count = at >= 0 ? s->count : 0;
		break;
	case TRANSFORM_FOCUS_INVERTED:
		s->count = match(m, s, t, -1, false) + 1;
		break;
	default:
		s->count = match(m, s, t, -1, true) >= 0 ? s->count : 0;
		break;
	}
}

/* Where the frame is that makes @i superfluous: a later @t frame with only such between. */
static bool is_repeated(const struct model *m, const struct model_sample *s, int i,
			const struct transform *t, bool is_direct)
{
	for (int j = i + 1; j < s->count; j++) {
		if (is_called(s->frames[j].function, t, 0))
			return true;
		if (is_direct && counts(m, t->impl, s->frames[j].function))
			return false;
	}
	return false;
}

/* A frame is in a run if it or a @t frame before it, with only such between, is repeated. */
static void collapse(const struct model *m, struct model_sample *s, const struct transform *t,
		     bool is_direct)
{
	bool in_run = false;

	for (int i = 0; i < s->count;) {
		if (is_called(s->frames[i].function, t, 0))
			in_run = is_repeated(m, s, i, t, is_direct);
		if (in_run)
			remove_frame(s, i);
		else
			i++;
	}
}

static void focus_self(const struct model *m, struct model_sample *s, const struct transform *t)
{
	int at = s->count - 1;

	while (at >= 0 && !is_called(s->frames[at].function, t, 0) &&
	       !counts(m, t->impl, s->frames[at].function))
		at--;
	if (at >= 0 && is_called(s->frames[at].function, t, 0))
		keep_range(s, at, s->count);
	else
		s->count = 0;
}

static void apply_function(const struct model *m, struct model_sample *s, const struct transform *t)
{
	int first = first_called(s, t);

	switch (t->type) {
	case TRANSFORM_MERGE:
		while ((first = first_called(s, t)) >= 0)
			remove_frame(s, first);
		break;
	case TRANSFORM_DROP:
		s->count = first >= 0 ? 0 : s->count;
		break;
	case TRANSFORM_FOCUS_FUNCTION:
		keep_range(s, first >= 0 ? first : s->count, s->count);
		break;
	case TRANSFORM_FOCUS_SELF:
		focus_self(m, s, t);
		break;
	case TRANSFORM_COLLAPSE_SUBTREE:
		s->count = first >= 0 ? first + 1 : s->count;
		break;
	case TRANSFORM_FILTER_INCLUDE:
		s->count = first >= 0 ? s->count : 0;
		break;
	default:
		collapse(m, s, t, t->type == TRANSFORM_COLLAPSE_DIRECT_RECURSION);
		break;
	}
}

static void apply_one(const struct model *m, struct model_sample *s, const struct transform *t)
{
	switch (transform_type_argument(t->type)) {
	case TRANSFORM_OF_PATH:
		apply_path(m, s, t);
		break;
	case TRANSFORM_OF_FUNCTION:
		apply_function(m, s, t);
		break;
	case TRANSFORM_OF_CATEGORY:
		for (int i = 0; i < s->count;)
			if (strcmp(categories[s->frames[i].category], t->names[0].text))
				remove_frame(s, i);
			else
				i++;
		break;
	case TRANSFORM_OF_RESOURCE:
		for (int i = 0; i < s->count; i++) {
			int resource = functions[s->frames[i].function].resource;

			if (resource >= 0 && is_called(MODEL_FUNCTIONS + resource, t, 0))
				s->frames[i].function = MODEL_FUNCTIONS + resource;
		}
		collapse(m, s, t, true);
		break;
	}
}

static void leave(struct model *m, const struct model_sample *before,
		  const struct model_sample *after)
{
	if (before->count && !after->count)
		m->removed += before->weight < 0 ? -before->weight : before->weight;
}

void model_apply(struct model *m, const struct transform *t)
{
	for (int i = 0; i < m->count; i++) {
		struct model_sample before = m->samples[i];

		apply_one(m, &m->samples[i], t);
		leave(m, &before, &m->samples[i]);
	}
}

void model_filter(struct model *m, enum tree_implementation impl)
{
	for (int i = 0; i < m->count; i++) {
		struct model_sample *s = &m->samples[i], before = *s;

		for (int k = 0; k < s->count;)
			if (counts(m, impl, s->frames[k].function))
				k++;
			else
				remove_frame(s, k);
		leave(m, &before, s);
	}
}

/* --- the tree --- */

struct child {
	int function, rank;
	int64_t running, self;
	unsigned int samples; /* bit mask */
};

static int by_order(const void *a, const void *b)
{
	const struct child *left = a, *right = b;

	return tree_order(left->running, left->rank, right->running, right->rank);
}

static int function_at(const struct model_sample *s, int depth, enum walk_direction direction)
{
	return s->frames[direction == WALK_FROM_ROOT ? depth : s->count - 1 - depth].function;
}

static int list_children(const struct model *m, unsigned int samples, int depth,
			 enum walk_direction direction, struct child *children)
{
	int count = 0;

	for (int i = 0; i < m->count; i++) {
		const struct model_sample *s = &m->samples[i];
		int at = 0;

		if (!(samples & 1u << i) || depth >= s->count)
			continue;
		while (at < count && children[at].function != function_at(s, depth, direction))
			at++;
		if (at == count) {
			int f = function_at(s, depth, direction);

			children[count++] = (struct child){ .function = f, .rank = m->rank[f] };
		}
		children[at].running += s->weight;
		if (direction == WALK_FROM_ROOT ? depth == s->count - 1 : !depth)
			children[at].self += s->weight;
		children[at].samples |= 1u << i;
	}
	qsort(children, count, sizeof(*children), by_order);
	return count;
}

/* Lines below @samples at @depth; a child that weighs nothing and has no lines has none. */
static void print_children(const struct model *m, unsigned int samples, int depth,
			   enum walk_direction direction, struct buffer *out)
{
	struct child children[MODEL_SAMPLES];
	int count = list_children(m, samples, depth, direction, children);

	for (int i = 0; i < count; i++) {
		const struct child *c = &children[i];
		struct buffer below OWNS(buffer) = { 0 };

		print_children(m, c->samples, depth + 1, direction, &below);
		if (!c->running && !below.len)
			continue;
		buffer_print(out, "%s%*s%s:%" PRId64 ",%" PRId64, out->len ? "|" : "", 2 * depth,
			     "", functions[c->function].name, c->running, c->self);
		if (below.len)
			buffer_print(out, "|%s", below.data);
	}
}

void model_lines(const struct model *m, enum walk_direction direction, struct buffer *out)
{
	buffer_add_text(out, "");
	print_children(m, (1u << m->count) - 1, 0, direction, out);
}
