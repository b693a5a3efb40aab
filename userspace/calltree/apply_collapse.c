/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/apply.h"
#include "calltree/reshape.h"

#include <errno.h>

/* Above a row there is no frame that it could collapse with. */
#define NO_RUN (TREE_NONE - 1)

/* For each row, where the outermost frame of the run that it is in hangs, or NO_RUN. */
static uint32_t *new_runs(const struct tree_stacks *in)
{
	return malloc((in->count + 1ul) * sizeof(uint32_t));
}

static uint32_t run_above(const struct tree_stacks *in, const uint32_t *run, uint32_t i)
{
	return in->rows[i].parent == TREE_NONE ? NO_RUN : run[in->rows[i].parent];
}

/* Row @i is the innermost frame of its run until another comes. */
static int place_in_run(struct reshape *r, uint32_t *run, uint32_t i, uint32_t function)
{
	run[i] = run_above(r->in, run, i);
	if (run[i] == NO_RUN)
		run[i] = reshape_above(r, i);
	return reshape_place(r, i, run[i], function);
}

int apply_collapse_recursion(const struct transform_ids *ids, const struct tree_stacks *in,
			     struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *run = new_runs(in);
	OWNS(reshape) struct reshape r = { 0 };
	int err = run ? reshape_init(&r, in) : -ENOMEM;

	(void)why;
	for (uint32_t i = 0; !err && i < in->count; i++) {
		if (in->rows[i].function == ids->function) {
			err = place_in_run(&r, run, i, ids->function);
		} else {
			run[i] = run_above(in, run, i);
			err = reshape_keep(&r, i);
		}
	}
	return err ? err : reshape_finish(&r, out);
}

/* Frames that do not count do not end a run. Those that are in the run become @function. */
static int collapse_runs(const struct transform_ids *ids, const struct tree_stacks *in,
			 bool (*is_in_run)(const struct transform_ids *ids,
					   const struct tree_stacks *in, uint32_t function),
			 struct tree_stacks *out)
{
	OWNS_MEM uint32_t *run = new_runs(in);
	OWNS(reshape) struct reshape r = { 0 };
	int err = run ? reshape_init(&r, in) : -ENOMEM;

	for (uint32_t i = 0; !err && i < in->count; i++) {
		uint32_t function = in->rows[i].function;

		if (is_in_run(ids, in, function)) {
			err = place_in_run(&r, run, i, ids->function);
			continue;
		}
		run[i] = transform_ids_counts(ids, in->functions, function) ? NO_RUN
									    : run_above(in, run, i);
		err = reshape_keep(&r, i);
	}
	return err ? err : reshape_finish(&r, out);
}

static bool is_function(const struct transform_ids *ids, const struct tree_stacks *in,
			uint32_t function)
{
	(void)in;
	return function == ids->function;
}

static bool is_of_resource(const struct transform_ids *ids, const struct tree_stacks *in,
			   uint32_t function)
{
	return tree_function(in->functions, function)->resource == ids->text;
}

int apply_collapse_direct_recursion(const struct transform_ids *ids, const struct tree_stacks *in,
				    struct tree_stacks *out, struct buffer *why)
{
	(void)why;
	return collapse_runs(ids, in, is_function, out);
}

int apply_collapse_resource(const struct transform_ids *ids, const struct tree_stacks *in,
			    struct tree_stacks *out, struct buffer *why)
{
	int err;

	(void)why;
	err = collapse_runs(ids, in, is_of_resource, out);
	/* Functions of several kinds may be one now. */
	if (!err)
		out->has_categories = true;
	return err;
}
