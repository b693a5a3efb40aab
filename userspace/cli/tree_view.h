/* SPDX-License-Identifier: Apache-2.0 */
/* tree_view - a call tree as it is to be shown: what `tree` prints as text or JSON. */
#ifndef SPPROF_CLI_TREE_VIEW_H
#define SPPROF_CLI_TREE_VIEW_H

#include "calltree/stacks.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/tree_groups.h"

struct tree_view {
	const struct cli_tree *options;
	const char *format; /* of what it is from */
	const struct profile *profile;
	const struct tree_groups *groups;
	const struct tree_stacks *stacks; /* after transforms and filters */
	int64_t total;			  /* Σ|weight| of what they were applied to */
};

/* Each appends all of it: 0 or -ENOMEM. */
int tree_text_add(const struct tree_view *v, const struct screen *screen, struct buffer *out);
int tree_json_add(const struct tree_view *v, struct buffer *out);

/* Whether a node of @running is shown, of trees whose shares are of @root_total. */
static inline bool tree_view_shows(const struct tree_view *v, int64_t running, int64_t root_total)
{
	double share = root_total ? 100.0 * (running < 0 ? -(double)running : running) / root_total
				  : 100.0;

	return share >= v->options->min_percent;
}

#endif
