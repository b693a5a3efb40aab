/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"
#include "profile/weight.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <string.h>

static void describe_frame(const struct profile *p, profile_id id, struct buffer *out)
{
	uint32_t count;
	const struct profile_frame *frame = &profile_frames(p, &count)[id];
	const struct profile_function *f = &profile_functions(p, &count)[frame->function];

	buffer_print(out, " %s{%s", profile_string(p, f->name), profile_kind_name(f->kind));
	if (f->file)
		buffer_print(out, " %s", profile_string(p, f->file));
	if (f->first_line)
		buffer_print(out, " %" PRIu32, f->first_line);
	buffer_add_text(out, "}");
}

static void describe_stack(const struct profile *p, profile_id stack, struct buffer *out)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(p, &count);

	if (stack == PROFILE_NONE)
		return;
	if (stacks[stack].prefix != PROFILE_NONE)
		describe_stack(p, stacks[stack].prefix, out);
	describe_frame(p, stacks[stack].frame, out);
}

void imported_describe_samples(const struct profile *p, struct buffer *out)
{
	uint32_t count, threads;
	const struct profile_sample *samples = profile_samples(p, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct profile_thread *t = &profile_threads(p, &threads)[samples[i].thread];

		if (t->name || t->pid || t->tid)
			buffer_print(out, "%s %" PRIu32 "/%" PRIu32 "|", profile_string(p, t->name),
				     t->pid, t->tid);
		describe_stack(p, samples[i].stack, out);
		buffer_add_text(out, " ");
		weight_print(out, samples[i].weight, profile_about_get(p)->decimals);
		buffer_add_text(out, "\n");
	}
}

void imported_describe(const char *text, size_t len, int err, struct buffer *out)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	int got = import_profile(text, len, NULL, p, &facts, &why);

	cr_assert(got == err, "error %d: %s", got, why.data ? why.data : "");
	if (err) {
		cr_assert(why.len > 0);
		buffer_add(out, why.data, why.len);
		return;
	}
	buffer_print(out, "%s of %s%s%s\n", import_kind_name(facts.kind),
		     profile_string(p, profile_about_get(p)->unit), why.len ? ", " : "",
		     why.len ? why.data : "");
	imported_describe_samples(p, out);
}

void imported_expect(const struct import_row *row)
{
	struct buffer out OWNS(buffer) = { 0 };

	imported_describe(row->text, strlen(row->text), row->err, &out);
	cr_expect(eq(str, out.data, (char *)row->expect), "%s", row->name);
}

void imported_file(const char *name, struct buffer *out)
{
	char path[512], piece[4096];
	size_t got;

	snprintf(path, sizeof(path), "%s/tests/data/%s", SPPROF_SOURCE_DIR, name);
	OWNS_FILE FILE *f = fopen(path, "r");

	cr_assert(f != NULL, "no %s", path);
	while ((got = fread(piece, 1, sizeof(piece), f)) > 0)
		buffer_add(out, piece, got);
}
