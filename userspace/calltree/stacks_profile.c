/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/stacks_profile.h"

#include <errno.h>
#include <string.h>

static int copy_text(struct profile *out, const char *text, profile_id *id)
{
	return profile_add_string(out, text, strlen(text), id);
}

static int copy_about(const struct profile *from, struct profile *out)
{
	const struct profile_about *about = profile_about_get(from);
	profile_id python, platform, rates, unit, weighed;
	int err = copy_text(out, profile_string(from, about->python), &python);

	if (!err)
		err = copy_text(out, profile_string(from, about->platform), &platform);
	if (!err)
		err = copy_text(out, profile_string(from, about->rates), &rates);
	if (!err)
		err = copy_text(out, profile_string(from, about->unit), &unit);
	if (!err)
		err = copy_text(out, profile_string(from, about->weighed), &weighed);
	if (err)
		return err;
	*profile_about(out) = *about;
	profile_about(out)->python = python;
	profile_about(out)->platform = platform;
	profile_about(out)->rates = rates;
	profile_about(out)->unit = unit;
	profile_about(out)->weighed = weighed;
	profile_about(out)->keeps_order = false;
	return 0;
}

static int copy_thread(const struct profile *from, profile_id id, struct profile *out,
		       profile_id *copied)
{
	uint32_t count;
	const struct profile_thread *threads = profile_threads(from, &count);
	struct profile_thread t = count ? threads[id] : (struct profile_thread){ 0 };
	int err = copy_text(out, profile_string(from, t.name), &t.name);

	if (!err)
		err = copy_text(out, profile_string(from, t.process), &t.process);
	return err ? err : profile_add_thread(out, &t, copied);
}

static int copy_frame(const struct tree_stacks *s, uint32_t function, struct profile *out,
		      profile_id *frame)
{
	const struct tree_function *f = tree_function(s->functions, function);
	struct profile_function made = { .kind = f->kind };
	struct profile_frame row = { 0 };
	int err = copy_text(out, tree_functions_text(s->functions, f->name), &made.name);

	if (!err)
		err = copy_text(out, tree_functions_text(s->functions, f->file), &made.file);
	if (!err)
		err = profile_add_function(out, &made, &row.function);
	return err ? err : profile_add_frame(out, &row, frame);
}

/* @ids: where each row of @s is in @out. */
static int copy_stacks(const struct tree_stacks *s, struct profile *out, profile_id *ids)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < s->count; i++) {
		const struct tree_stack *row = &s->rows[i];
		struct profile_stack made = { .prefix = PROFILE_NONE };

		if (row->parent != TREE_NONE)
			made.prefix = ids[row->parent];
		err = copy_frame(s, row->function, out, &made.frame);
		if (!err)
			err = profile_add_stack(out, &made, &ids[i]);
	}
	return err;
}

int tree_stacks_profile(const struct tree_stacks *s, const struct profile *from,
			const profile_id *thread_of, struct profile **out)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS_MEM profile_id *ids = calloc((size_t)s->count + 1, sizeof(*ids));
	int err = p && ids ? copy_about(from, p) : -ENOMEM;

	if (!err)
		err = copy_stacks(s, p, ids);
	for (uint32_t i = 0; !err && i < s->sample_count; i++) {
		struct profile_sample sample = { .stack = ids[s->samples[i].stack],
						 .weight = s->samples[i].weight,
						 .count = s->samples[i].count };

		err = copy_thread(from, thread_of[s->samples[i].group], p, &sample.thread);
		if (!err)
			err = profile_add_sample(p, &sample);
	}
	if (!err)
		*out = TAKE(p);
	return err;
}
