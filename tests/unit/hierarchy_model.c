/* SPDX-License-Identifier: Apache-2.0 */
#include "hierarchy_model.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <string.h>

uint32_t hierarchy_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (*state >> 33) % below;
}

/*
 * Where a function is called above its namesake in another object, no report that leaves
 * something out tells its chains apart.
 */
static void put_in_one_object(struct hierarchy_sample *s)
{
	size_t leaf = strlen(s->stack) - 1;

	for (size_t i = 0; i < leaf; i++)
		if (s->stack[i] == s->stack[leaf])
			s->object[i] = s->object[leaf];
}

/* Stacks share their beginnings, as real ones do. */
static void random_sample(struct hierarchy_model *m, uint64_t *state, int letters, int objects,
			  bool has_circles)
{
	struct hierarchy_sample *s = &m->samples[m->count];
	int depth = 1 + hierarchy_random(state, MODEL_DEPTH), kept = 0;

	memset(s, 0, sizeof(*s));
	if (m->count && hierarchy_random(state, 4)) {
		*s = m->samples[hierarchy_random(state, m->count)];
		kept = hierarchy_random(state, strlen(s->stack) + 1);
	}
	for (int i = kept; i < depth; i++) {
		int first = i && !has_circles ? s->stack[i - 1] - 'A' : 0;

		s->stack[i] = 'A' + first + hierarchy_random(state, letters - first);
		s->object[i] = hierarchy_random(state, objects);
	}
	s->stack[depth > kept ? depth : kept] = '\0';
	if (!s->stack[0])
		s->stack[0] = 'A';
	put_in_one_object(s);
	s->weight = 1 + hierarchy_random(state, 1000);
	s->comm = hierarchy_random(state, 2);
	m->count++;
}

void hierarchy_model_make(struct hierarchy_model *m, uint64_t *state, int letters, int objects)
{
	int count = 1 + hierarchy_random(state, MODEL_SAMPLES);
	bool has_circles = hierarchy_random(state, 2);

	m->count = 0;
	while (m->count < count)
		random_sample(m, state, letters, objects, has_circles);
	for (int i = 0; i < MODEL_LETTERS; i++)
		m->is_target[i] = hierarchy_random(state, 3) != 0;
}

struct profile *hierarchy_model_profile(const struct hierarchy_model *m)
{
	static const char *const objects[] = { "/lib/a.so", "/lib/b.so" };
	struct profile *p = profile_new();

	for (int i = 0; i < m->count; i++) {
		const struct hierarchy_sample *s = &m->samples[i];
		profile_id stack = PROFILE_NONE;

		for (int at = 0; s->stack[at]; at++) {
			const char name[] = { s->stack[at], '\0' };

			stack = test_stack(p, stack,
					   &(struct test_frame){ name, objects[s->object[at]], 0,
								 at, PROFILE_NATIVE });
		}
		test_sample(p, stack, test_thread(p, 1, 1, s->comm ? "b" : "a", ""), s->weight, 1);
	}
	return p;
}

static void add_path(struct model_figures *f, const char *path, int64_t weight)
{
	for (int i = 0; i < f->path_count; i++)
		if (strcmp(f->paths[i].path, path) == 0) {
			f->paths[i].weight += weight;
			return;
		}
	strcpy(f->paths[f->path_count].path, path);
	f->paths[f->path_count++].weight = weight;
}

int64_t model_path_weight(const struct model_figures *f, const char *path)
{
	for (int i = 0; i < f->path_count; i++)
		if (strcmp(f->paths[i].path, path) == 0)
			return f->paths[i].weight;
	return 0;
}

/* The path of @letter in @s by its definition: that of its caller, and itself. */
static void find_path(const struct hierarchy_model *m, const struct hierarchy_sample *s,
		      char letter, char *path)
{
	const char *at = strchr(s->stack, letter);
	char word[MODEL_DEPTH + 2] = { 0 };
	size_t len = 0;

	while (letter) {
		word[len++] = letter;
		letter = '\0';
		while (at > s->stack && !letter)
			if (m->is_target[*--at - 'A'])
				letter = *at;
		if (letter)
			at = strchr(s->stack, letter);
	}
	for (size_t i = 0; i < len; i++)
		path[i] = word[len - 1 - i];
	path[len] = '\0';
}

static void add_sample(const struct hierarchy_model *m, const struct hierarchy_sample *s,
		       struct model_figures *f)
{
	int leaf = s->stack[strlen(s->stack) - 1] - 'A';

	f->total += s->weight;
	if (m->is_target[leaf])
		f->self[leaf] += s->weight;
	for (int letter = 0; letter < MODEL_LETTERS; letter++) {
		char path[MODEL_DEPTH + 2];
		size_t len;

		if (!m->is_target[letter] || !strchr(s->stack, 'A' + letter))
			continue;
		find_path(m, s, 'A' + letter, path);
		len = strlen(path);
		f->appears[letter] = true;
		f->children[letter] += s->weight;
		if (len == 1)
			f->adjusted[letter] += s->weight;
		else
			f->relation[path[len - 2] - 'A'][letter] += s->weight;
		add_path(f, path, s->weight);
	}
}

void hierarchy_model_figures(const struct hierarchy_model *m, struct model_figures *f)
{
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < m->count; i++)
		add_sample(m, &m->samples[i], f);
}

static char letter_of(const struct hierarchy *h, const struct profile *p, uint32_t entry)
{
	return *profile_string(p, h->entries[entry].symbol);
}

void hierarchy_figures(const struct hierarchy *h, const struct profile *p, struct model_figures *f)
{
	memset(f, 0, sizeof(*f));
	f->total = h->total;
	for (uint32_t i = 0; i < h->entry_count; i++) {
		int letter = letter_of(h, p, i) - 'A';

		cr_assert(!f->appears[letter], "an entry twice");
		f->appears[letter] = true;
		f->children[letter] = h->entries[i].children;
		f->self[letter] = h->entries[i].self;
		f->adjusted[letter] = h->entries[i].adjusted;
	}
	for (uint32_t i = 0; i < h->relation_count; i++) {
		const struct hierarchy_relation *r = &h->relations[i];
		int64_t *weight = &f->relation[letter_of(h, p, r->caller) - 'A']
					      [letter_of(h, p, r->callee) - 'A'];

		cr_assert(*weight == 0 && r->weight > 0 && r->caller != r->callee);
		*weight = r->weight;
	}
	for (uint32_t i = 0; i < h->node_count; i++) {
		char path[MODEL_DEPTH + 2], word[MODEL_DEPTH + 2];
		size_t len = 0;

		for (uint32_t at = i; at != HIERARCHY_NONE; at = h->nodes[at].parent) {
			cr_assert(len < MODEL_LETTERS && at <= i);
			word[len++] = letter_of(h, p, h->nodes[at].entry);
		}
		for (size_t at = 0; at < len; at++)
			path[at] = word[len - 1 - at];
		path[len] = '\0';
		cr_assert(model_path_weight(f, path) == 0, "a path twice");
		add_path(f, path, h->nodes[i].weight);
	}
}

bool *hierarchy_model_targets(const struct hierarchy_model *m, const struct profile *p)
{
	bool *is_target = calloc(profile_string_count(p), sizeof(*is_target));

	for (profile_id i = 0; i < profile_string_count(p); i++) {
		const char *text = profile_string(p, i);

		is_target[i] = profile_string_len(p, i) == 1 && *text >= 'A' && *text <= 'Z' &&
			       m->is_target[*text - 'A'];
	}
	return is_target;
}
