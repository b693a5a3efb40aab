/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hierarchy_walk - once over all stacks of a profile's samples, from the roots down, with
 * what is known of each entry on the way there. The stacks may be of any depth.
 */
#ifndef SPPROF_CALLTREE_HIERARCHY_WALK_H
#define SPPROF_CALLTREE_HIERARCHY_WALK_H

#include "calltree/hierarchy.h"

struct hierarchy_walk {
	const struct profile_stack *stacks;
	const struct profile_frame *frames;
	const struct profile_function *functions;
	uint32_t count, frame_count;
	bool *is_used;		   /* of each stack: it is part of a sample's */
	int64_t *weight;	   /* of each stack: of its samples and those below it */
	uint32_t *child, *sibling; /* used ones: the first below, the next beside; or none */
	uint32_t root;		   /* the first that is used, or none */
	uint32_t *entry_of_frame;  /* or none */
	uint32_t *nearest;	   /* of each stack on the way: its last entry, or none */
	uint32_t *since; /* of each entry: the stack on the way that brought it, or none */
};

/* An entry at its outermost call. */
struct hierarchy_step {
	uint32_t entry;
	uint32_t caller; /* the nearest entry above it, or HIERARCHY_NONE */
	uint32_t stack, root;
	int64_t weight;
};

/* Of @p; a sample weighs @least at least. 0 or -ENOMEM; fini in any case. */
int hierarchy_walk_init(struct hierarchy_walk *w, const struct profile *p, int64_t least);
void hierarchy_walk_fini(struct hierarchy_walk *w);

struct hierarchy_visitor {
	/* An entry is called that is not on the way yet. Not 0: the walk ends. */
	int (*found)(void *arg, const struct hierarchy_step *step);
	void (*reached)(void *arg, uint32_t stack); /* each, after that; NULL: who cares */
	void (*left)(void *arg, uint32_t entry);    /* that call of an entry; NULL: who cares */
	void *arg;
};

/*
 * @entry_of: of each string of the profile, below @entry_count or HIERARCHY_NONE. To be run
 * once. 0, -ENOMEM, or what found() returned.
 */
int hierarchy_walk_run(struct hierarchy_walk *w, const uint32_t *entry_of, uint32_t entry_count,
		       const struct hierarchy_visitor *visitor);

/* The name of what runs at the end of @stack. */
static inline profile_id hierarchy_walk_name(const struct hierarchy_walk *w, profile_id stack)
{
	return w->functions[w->frames[w->stacks[stack].frame].function].name;
}

static inline void hierarchy_walk_cleanup(struct hierarchy_walk *w)
{
	hierarchy_walk_fini(w);
}

#endif
