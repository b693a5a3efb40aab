/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/summary_sort.h"

#include <stdlib.h>
#include <string.h>

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* As C compares texts; one with a NUL in it goes on behind it. */
static int by_text(const struct profile *p, profile_id a, profile_id b)
{
	size_t a_len = profile_string_len(p, a), b_len = profile_string_len(p, b);
	int order = memcmp(profile_string(p, a), profile_string(p, b),
			   (a_len < b_len ? a_len : b_len) + 1);

	return order ? order : by_number(a_len, b_len);
}

/* By all that tells functions apart, so that the order of rows does not matter. */
static int by_identity(const struct profile *p, profile_id a, profile_id b)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(p, &count);
	const struct profile_function *left = &functions[a], *right = &functions[b];
	int order = by_text(p, left->name, right->name);

	if (!order)
		order = by_text(p, left->file, right->file);
	if (!order)
		order = by_number(left->first_line, right->first_line);
	return order ? order : by_number(left->kind, right->kind);
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct summary_function *left = a, *right = b;
	int order = by_number(right->self, left->self);

	if (!order)
		order = by_number(right->total, left->total);
	return order ? order : by_identity(ctx, left->function, right->function);
}

/* Where there is no line, functions stay apart. */
static int by_place(const struct profile *p, const struct summary_line *a,
		    const struct summary_line *b)
{
	int order = by_text(p, a->file, b->file);

	if (!order)
		order = by_number(a->line, b->line);
	return order || a->line ? order : by_identity(p, a->function, b->function);
}

/* One that several functions have is named by the first of them. */
static int compare_places(const void *a, const void *b, void *ctx)
{
	const struct summary_line *left = a, *right = b;
	int order = by_place(ctx, left, right);

	return order ? order : by_identity(ctx, left->function, right->function);
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct summary_line *left = a, *right = b;
	int order = by_number(right->self, left->self);

	return order ? order : by_place(ctx, left, right);
}

/* Rows of one place become one, and those of no weight none. @s->lines is sorted by place. */
static void merge_lines(const struct profile *p, struct summary *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->line_count;) {
		struct summary_line line = s->lines[i];

		while (++i < s->line_count && !by_place(p, &line, &s->lines[i]))
			summary_add(&line.self, s->lines[i].self);
		if (line.self > 0)
			s->lines[count++] = line;
	}
	s->line_count = count;
}

void summary_sort(const struct profile *p, struct summary *s)
{
	void *ctx = (void *)p;

	qsort_r(s->functions, s->function_count, sizeof(*s->functions), compare_functions, ctx);
	qsort_r(s->lines, s->line_count, sizeof(*s->lines), compare_places, ctx);
	merge_lines(p, s);
	qsort_r(s->lines, s->line_count, sizeof(*s->lines), compare_lines, ctx);
}
