/* SPDX-License-Identifier: Apache-2.0 */
/* What a perf report in caller order, which leaves out what is small, tells of a model. */
#ifndef PRUNED_MODEL_H
#define PRUNED_MODEL_H

#include "hierarchy_model.h"

struct pruning {
	int64_t least;	 /* of a graph's function, in hundredths of a percent of the total */
	bool is_percent; /* what is printed; else counts, with columns that tell self only */
	bool has_own;	 /* --children */
	bool has_chains;
};

/* *@whole: chains that are still shown; the rest of it is returned. The caller frees both. */
struct profile_pruned *model_prune(const struct hierarchy_model *m, const struct pruning *how,
				   struct profile **whole);

#endif
