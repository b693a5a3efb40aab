/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_about - what is told of the profiles that a hierarchy was made from. */
#ifndef SPPROF_CLI_HIERARCHY_ABOUT_H
#define SPPROF_CLI_HIERARCHY_ABOUT_H

#include "calltree/hierarchy.h"
#include "cli/source.h"

#define ABOUT_UNIT_PERCENT "percent"

struct hierarchy_about {
	uint32_t profiles;
	/* What is the same in all of them, else NULL. They point to constants. */
	const char *format, *mode, *order, *unit;
	struct buffer event; /* its name, if all have the same one */
	bool has_event;
	struct buffer events;	/* all names, each once, a NUL after each */
	struct buffer total;	/* a number in the unit; empty: of several profiles, or percents */
	struct buffer warnings; /* a line each, valid UTF-8 */
};

/* Of what was read from @name (NULL: not a file) as @s. 0 or -ENOMEM. */
int hierarchy_about_add(struct hierarchy_about *a, const char *name, const struct source *s,
			const struct hierarchy *h);
void hierarchy_about_fini(struct hierarchy_about *a);

static inline void hierarchy_about_cleanup(struct hierarchy_about *a)
{
	hierarchy_about_fini(a);
}

/* Appends each line of @lines as a warning, after "NAME: " unless @name is NULL. */
void hierarchy_about_warn(struct hierarchy_about *a, const char *name, const struct buffer *lines);

#endif
