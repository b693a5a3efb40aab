/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"
#include "profile/strings.h"
#include "profile/table.h"

#include <string.h>
#include <sys/random.h>

/* Rows are keys as a whole, or by their first members: no padding in there. */
_Static_assert(sizeof(struct profile_function) == 20, "key");
_Static_assert(sizeof(struct profile_frame) == 12, "key");
_Static_assert(sizeof(struct profile_stack) == 8, "key");
_Static_assert(sizeof(struct profile_thread) == 24, "key");
#define SAMPLE_KEY offsetof(struct profile_sample, weight)
_Static_assert(SAMPLE_KEY == 8, "key");

struct profile {
	struct profile_about about;
	struct strings strings;
	struct table functions, frames, stacks, threads, samples, losses;
};

const char *profile_kind_name(enum profile_kind kind)
{
	static const char *const names[] = {
		[PROFILE_PYTHON] = "python",
		[PROFILE_NATIVE] = "native",
		[PROFILE_KERNEL] = "kernel",
		[PROFILE_UNKNOWN] = "unknown",
	};

	return names[kind];
}

static void init_tables(struct profile *p, uint64_t seed)
{
	strings_init(&p->strings, seed);
	table_init(&p->functions, sizeof(struct profile_function), sizeof(struct profile_function),
		   seed);
	table_init(&p->frames, sizeof(struct profile_frame), sizeof(struct profile_frame), seed);
	table_init(&p->stacks, sizeof(struct profile_stack), sizeof(struct profile_stack), seed);
	table_init(&p->threads, sizeof(struct profile_thread), sizeof(struct profile_thread), seed);
	table_init(&p->samples, sizeof(struct profile_sample), SAMPLE_KEY, seed);
	table_init(&p->losses, sizeof(struct profile_loss), sizeof(profile_id), seed);
}

struct profile *profile_new(void)
{
	OWNS(profile) struct profile *p = calloc(1, sizeof(*p));
	uint64_t seed;
	profile_id empty;

	if (!p)
		return NULL;
	/* Before the kernel has any entropy, an address has to do. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)p;
	init_tables(p, seed);
	if (profile_add_string(p, "", 0, &empty) ||
	    profile_add_string(p, "nanoseconds", strlen("nanoseconds"), &p->about.unit))
		return NULL;
	return TAKE(p);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	strings_fini(&p->strings);
	table_fini(&p->functions);
	table_fini(&p->frames);
	table_fini(&p->stacks);
	table_fini(&p->threads);
	table_fini(&p->samples);
	table_fini(&p->losses);
	free(p);
}

struct profile_about *profile_about(struct profile *p)
{
	return &p->about;
}

const struct profile_about *profile_about_get(const struct profile *p)
{
	return &p->about;
}

int profile_add_string(struct profile *p, const char *text, size_t len, profile_id *id)
{
	return strings_add(&p->strings, text, len, id);
}

int profile_add_function(struct profile *p, const struct profile_function *f, profile_id *id)
{
	return table_add(&p->functions, f, id);
}

int profile_add_frame(struct profile *p, const struct profile_frame *f, profile_id *id)
{
	return table_add(&p->frames, f, id);
}

/*
 * A stack is added from the root on, so the first that has another for its prefix is mostly
 * the row behind that; and none can have the last row for its prefix.
 */
int profile_add_stack(struct profile *p, const struct profile_stack *s, profile_id *id)
{
	uint32_t next = s->prefix + 1; /* row 0 for PROFILE_NONE */

	if (next >= p->stacks.count)
		return table_add_new(&p->stacks, s, id);
	if (memcmp(table_row(&p->stacks, next), s, sizeof(*s)) == 0) {
		*id = next;
		return 0;
	}
	return table_add(&p->stacks, s, id);
}

int profile_add_thread(struct profile *p, const struct profile_thread *t, profile_id *id)
{
	return table_add(&p->threads, t, id);
}

static int64_t add_saturating(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static uint64_t add_counts(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

int profile_add_sample(struct profile *p, const struct profile_sample *s)
{
	struct profile_sample nothing = { .stack = s->stack, .thread = s->thread };
	struct profile_sample *row;
	uint32_t id;
	int err;

	if (p->about.keeps_order)
		return table_append(&p->samples, s, &id);
	err = table_add(&p->samples, &nothing, &id);
	if (err)
		return err;
	row = table_row(&p->samples, id);
	row->weight = add_saturating(row->weight, s->weight);
	row->count = add_counts(row->count, s->count);
	return 0;
}

int profile_add_loss(struct profile *p, const char *name, uint64_t count)
{
	struct profile_loss loss = { 0 };
	struct profile_loss *row;
	uint32_t id;
	int err = profile_add_string(p, name, strlen(name), &loss.name);

	if (!err)
		err = table_add(&p->losses, &loss, &id);
	if (err)
		return err;
	row = table_row(&p->losses, id);
	row->count = add_counts(row->count, count);
	return 0;
}

const char *profile_string(const struct profile *p, profile_id id)
{
	return strings_text(&p->strings, id);
}

size_t profile_string_len(const struct profile *p, profile_id id)
{
	return strings_len(&p->strings, id);
}

uint32_t profile_string_count(const struct profile *p)
{
	return p->strings.rows.count;
}

static const void *rows_of(const struct table *t, uint32_t *count)
{
	*count = t->count;
	return t->rows;
}

const struct profile_function *profile_functions(const struct profile *p, uint32_t *count)
{
	return rows_of(&p->functions, count);
}

const struct profile_frame *profile_frames(const struct profile *p, uint32_t *count)
{
	return rows_of(&p->frames, count);
}

const struct profile_stack *profile_stacks(const struct profile *p, uint32_t *count)
{
	return rows_of(&p->stacks, count);
}

const struct profile_thread *profile_threads(const struct profile *p, uint32_t *count)
{
	return rows_of(&p->threads, count);
}

const struct profile_sample *profile_samples(const struct profile *p, uint32_t *count)
{
	return rows_of(&p->samples, count);
}

const struct profile_loss *profile_losses(const struct profile *p, uint32_t *count)
{
	return rows_of(&p->losses, count);
}
