/* SPDX-License-Identifier: Apache-2.0 */
/* Targets and the names they match. How they are written: targets_text.c. */
#include "cli/targets_parts.h"

#include "calltree/closest.h"
#include "calltree/simple_name.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define TOLD_MOST 8 /* the closest names take a look at all */

struct targets *targets_new(void)
{
	struct targets *t = calloc(1, sizeof(*t));
	uint64_t seed;

	if (!t)
		return NULL;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)t;
	strings_init(&t->said, seed);
	return t;
}

void targets_free(struct targets *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->count; i++) {
		buffer_fini(&t->rows[i].text);
		match_free(t->rows[i].match);
	}
	free(t->rows);
	strings_fini(&t->said);
	free(t);
}

uint32_t targets_count(const struct targets *t)
{
	return t->count;
}

/* A function's name, whole and simple. */
struct name {
	const char *text;
	size_t len;
	const struct buffer *simple;
};

/* 1, 0, -E2BIG or -ENOMEM. */
static int matches(const struct target *t, const struct name *name)
{
	const struct buffer *text = &t->text;

	switch (t->kind) {
	case TARGET_REGEX:
		return match_search(t->match, name->text, name->len);
	case TARGET_PART:
		return memmem(name->text, name->len, text->data, text->len) != NULL;
	case TARGET_WHOLE:
		return name->len == text->len && !memcmp(name->text, text->data, text->len);
	default:
		return simple_name_matches(name->simple->data, name->simple->len, text->data,
					   text->len);
	}
}

/* Every target is asked, so that each knows whether it found anything. */
static int match_all(struct targets *t, const struct name *name, bool *is_target,
		     struct buffer *why)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct target *target = &t->rows[i];
		int found = matches(target, name);

		if (found == -E2BIG)
			buffer_print(why, "/%s/ takes too many steps; simplify it",
				     target->text.data);
		if (found < 0)
			return found;
		target->is_found |= found;
		*is_target |= found;
	}
	return 0;
}

/* What begins behind the last `.` or `::`, as a target may be written. */
static size_t last_component(const struct buffer *simple)
{
	for (size_t at = simple->len; at-- > 1;) {
		char before = simple->data[at - 1];

		if ((before == '.' || before == ':') &&
		    simple_name_matches(simple->data, simple->len, simple->data + at,
					simple->len - at))
			return at;
	}
	return 0;
}

/* Keeps what the user may have meant instead. */
static int keep_said(struct targets *t, const struct buffer *simple)
{
	size_t at = last_component(simple);
	uint32_t id;
	int err = strings_add(&t->said, simple->data, simple->len, &id);

	return err || !at ? err : strings_add(&t->said, simple->data + at, simple->len - at, &id);
}

static int match_string(struct targets *t, const struct profile *p, profile_id id, bool *is_target,
			struct buffer *why)
{
	OWNS(buffer) struct buffer simple = { 0 };
	struct name name = { profile_string(p, id), profile_string_len(p, id), &simple };
	int err;

	buffer_add_text(&simple, "");
	simple_name_add(name.text, name.len, &simple);
	if (buffer_error(&simple))
		return -ENOMEM;
	err = keep_said(t, &simple);
	return err ? err : match_all(t, &name, is_target, why);
}

static void mark_names(const struct profile *p, const struct profile_pruned *pruned, bool *is_name)
{
	uint32_t count;
	const struct profile_function *rows = profile_functions(p, &count);

	for (uint32_t i = 0; i < count; i++)
		is_name[rows[i].name] = true;
	for (uint32_t i = 0; pruned && i < pruned->count; i++)
		is_name[pruned->entries[i].symbol] = true;
}

/* Those in a report's own trees, which @p may not have yet. */
static int mark_own_names(struct profile *p, const struct profile_function *rows, uint32_t count,
			  const struct profile *own, bool *is_name)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		profile_id id = 0;

		err = profile_add_string(p, profile_string(own, rows[i].name),
					 profile_string_len(own, rows[i].name), &id);
		is_name[id] |= !err;
	}
	return err;
}

int targets_match(struct targets *t, struct profile *p, const struct profile_pruned *pruned,
		  bool **is_target, struct buffer *why)
{
	const struct profile *own = pruned ? pruned->own : NULL;
	uint32_t count, own_count = 0;
	const struct profile_function *rows = own ? profile_functions(own, &own_count) : NULL;
	OWNS_MEM bool *names = calloc(profile_string_count(p) + own_count, sizeof(*names));
	OWNS_MEM bool *marks = NULL;
	int err = names ? mark_own_names(p, rows, own_count, own, names) : -ENOMEM;

	if (err)
		return err;
	mark_names(p, pruned, names);
	count = profile_string_count(p);
	marks = calloc(count, sizeof(*marks));
	if (!marks)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < count; i++)
		if (names[i])
			err = match_string(t, p, i, &marks[i], why);
	if (!err)
		*is_target = TAKE(marks);
	return err;
}

bool targets_have_match(const struct targets *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->rows[i].is_found)
			return true;
	return false;
}

static void add_closest(const struct targets *t, const struct target *target, struct buffer *out)
{
	struct closest c = { .wanted = target->text.data, .wanted_len = target->text.len };

	for (uint32_t i = 0; i < t->said.rows.count; i++)
		closest_offer(&c, strings_text(&t->said, i), strings_len(&t->said, i));
	closest_print(&c, out);
}

void targets_warn(const struct targets *t, const char *between, struct buffer *out)
{
	uint32_t unmatched = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct target *target = &t->rows[i];

		if (target->is_found || ++unmatched > TOLD_MOST)
			continue;
		buffer_print(out, "%sno function matches \"", unmatched > 1 ? between : "");
		target_add_text(target, out);
		buffer_add_text(out, "\"");
		add_closest(t, target, out);
	}
	if (unmatched > TOLD_MOST)
		buffer_print(out, "%snor %u other targets", between, unmatched - TOLD_MOST);
}
