/* SPDX-License-Identifier: Apache-2.0 */
/* Frames become functions here, so rows of a profile that differ in lines become one. */
#include "calltree/resource.h"
#include "calltree/stack_rows.h"

#include <errno.h>
#include <string.h>

/* Marks a category that a frame brought, which the frames below inherit. */
#define INHERITED (UINT32_C(1) << 31)

struct filler {
	const struct profile *profile;
	const struct tree_fill *how;
	const struct profile_stack *stacks;
	const struct profile_frame *frames;
	const struct profile_function *functions;
	uint32_t stack_count, frame_count, function_count;
	struct tree_functions *to;
	struct stack_rows rows;
	uint32_t *row_of;      /* of each stack of the profile, or TREE_NONE */
	uint32_t *function_of; /* of each function of the profile, or TREE_NONE */
	uint32_t *way;	       /* stacks to be added, leaf first */
	uint32_t way_room;
	uint32_t kind_text[PROFILE_UNKNOWN + 1];
	struct tree_sample *samples;
	uint32_t sample_count;
	uint32_t *newest_of; /* of each row: its newest sample, or TREE_NONE */
	bool has_categories;
};

static void filler_cleanup(struct filler *f)
{
	stack_rows_fini(&f->rows);
	free(f->row_of);
	free(f->function_of);
	free(f->way);
	free(f->samples);
	free(f->newest_of);
}

static uint32_t *new_map(uint32_t count)
{
	uint32_t *map = malloc((count + 1ul) * sizeof(*map));

	if (map)
		memset(map, 0xff, (count + 1ul) * sizeof(*map));
	return map;
}

static int filler_init(struct filler *f, const struct profile *p, struct tree_functions *to)
{
	int err = 0;

	f->profile = p;
	f->to = to;
	f->stacks = profile_stacks(p, &f->stack_count);
	f->frames = profile_frames(p, &f->frame_count);
	f->functions = profile_functions(p, &f->function_count);
	stack_rows_init(&f->rows, to->rows.seed);
	f->row_of = new_map(f->stack_count);
	f->function_of = new_map(f->function_count);
	if (!f->row_of || !f->function_of)
		return -ENOMEM;
	for (int kind = 0; kind <= PROFILE_UNKNOWN && !err; kind++) {
		const char *name = profile_kind_name(kind);

		err = tree_functions_add_text(to, name, strlen(name), &f->kind_text[kind]);
	}
	return err;
}

static int copy_text(struct filler *f, profile_id text, uint32_t *id)
{
	return tree_functions_add_text(f->to, profile_string(f->profile, text),
				       profile_string_len(f->profile, text), id);
}

static int copy_resource(struct filler *f, const struct profile_function *of, uint32_t *id)
{
	const char *text;
	size_t len;

	if (of->resource)
		return copy_text(f, of->resource, id);
	text = resource_of(profile_string(f->profile, of->file), of->kind, &len);
	return tree_functions_add_text(f->to, text, len, id);
}

static int add_function(struct filler *f, profile_id id)
{
	const struct profile_function *of = &f->functions[id];
	struct tree_function function = { .kind = of->kind };
	int err;

	if (f->function_of[id] != TREE_NONE)
		return 0;
	err = copy_text(f, of->name, &function.name);
	if (!err)
		err = copy_text(f, of->file, &function.file);
	if (!err)
		err = copy_resource(f, of, &function.resource);
	return err ? err : tree_functions_add(f->to, &function, &f->function_of[id]);
}

/* A frame's own category, else that of the frame above, else the kind of its function. */
static int find_category(struct filler *f, const struct profile_frame *frame, uint32_t parent,
			 uint32_t *category)
{
	if (frame->category) {
		int err = copy_text(f, frame->category, category);

		*category |= INHERITED;
		f->has_categories = true;
		return err;
	}
	if (parent != TREE_NONE && f->rows.rows[parent].category & INHERITED)
		*category = f->rows.rows[parent].category;
	else
		*category =
			f->kind_text[tree_function(f->to, f->function_of[frame->function])->kind];
	return 0;
}

static int add_row(struct filler *f, profile_id stack)
{
	const struct profile_frame *frame = &f->frames[f->stacks[stack].frame];
	profile_id prefix = f->stacks[stack].prefix;
	struct tree_stack row = { .parent =
					  prefix == PROFILE_NONE ? TREE_NONE : f->row_of[prefix] };
	int err = add_function(f, frame->function);

	if (!err)
		err = find_category(f, frame, row.parent, &row.category);
	if (err)
		return err;
	row.function = f->function_of[frame->function];
	return stack_rows_add(&f->rows, &row, &f->row_of[stack]);
}

/* From the leaf up to what is known, and down again, so that functions come root to leaf. */
static int add_stack(struct filler *f, profile_id stack)
{
	uint32_t count = 0;
	int err = 0;

	for (; stack != PROFILE_NONE && f->row_of[stack] == TREE_NONE;
	     stack = f->stacks[stack].prefix) {
		if (count == f->way_room) {
			uint32_t room = f->way_room ? 2 * f->way_room : 128;
			uint32_t *grown = reallocarray(f->way, room, sizeof(*grown));

			if (!grown)
				return -ENOMEM;
			f->way = grown;
			f->way_room = room;
		}
		f->way[count++] = stack;
	}
	while (count && !err)
		err = add_row(f, f->way[--count]);
	return err;
}

/* The newest sample of that row, if @s can be added to it: of its group, and of its sign. */
static struct tree_sample *find_sample(struct filler *f, uint32_t row, uint32_t group,
				       const struct profile_sample *s)
{
	struct tree_sample *newest;

	if (f->how->keeps_order || f->newest_of[row] == TREE_NONE)
		return NULL;
	newest = &f->samples[f->newest_of[row]];
	return newest->group == group && (newest->weight < 0) == (s->weight < 0) ? newest : NULL;
}

static int add_sample(struct filler *f, const struct profile_sample *s)
{
	uint32_t group = f->how->group_of ? f->how->group_of[s->thread] : 0;
	struct tree_sample *same;
	int err = add_stack(f, s->stack);
	uint32_t row;

	if (err)
		return err;
	row = f->row_of[s->stack];
	same = find_sample(f, row, group, s);
	if (same) {
		weight_add(&same->weight, s->weight);
		same->count += s->count;
		return 0;
	}
	f->newest_of[row] = f->sample_count;
	f->samples[f->sample_count++] = (struct tree_sample){
		.stack = row, .group = group, .weight = s->weight, .count = s->count
	};
	return 0;
}

static int add_samples(struct filler *f)
{
	uint32_t count;
	const struct profile_sample *from = profile_samples(f->profile, &count);
	int err = 0;

	f->samples = malloc((count + 1ul) * sizeof(*f->samples));
	f->newest_of = new_map(f->stack_count); /* there are no more rows than stacks */
	if (!f->samples || !f->newest_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !err; i++)
		if (from[i].stack != PROFILE_NONE)
			err = add_sample(f, &from[i]);
	return err;
}

/* @rows, or a copy that has no room to spare, if there is memory for it. */
static void *shrink(void *rows, size_t count, size_t size)
{
	void *shrunk = reallocarray(rows, count + 1, size);

	return shrunk ? shrunk : rows;
}

static void take_rows(struct filler *f, struct tree_stacks *out)
{
	out->count = f->rows.count;
	out->rows = shrink(TAKE(f->rows.rows), out->count, sizeof(*out->rows));
	for (uint32_t i = 0; i < out->count; i++)
		out->rows[i].category &= ~INHERITED;
	out->sample_count = f->sample_count;
	out->samples = shrink(TAKE(f->samples), out->sample_count, sizeof(*out->samples));
}

int tree_stacks_fill(const struct profile *p, const struct tree_fill *how,
		     struct tree_functions *functions, struct tree_stacks *out)
{
	__attribute__((cleanup(filler_cleanup))) struct filler f = { .how = how };
	int err = filler_init(&f, p, functions);

	if (!err)
		err = add_samples(&f);
	if (!err)
		err = tree_functions_add_resources(functions);
	if (err)
		return err;
	*out = (struct tree_stacks){ .functions = functions, .has_categories = f.has_categories };
	take_rows(&f, out);
	return 0;
}
