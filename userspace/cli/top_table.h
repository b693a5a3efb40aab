/* SPDX-License-Identifier: Apache-2.0 */
/* top_table - the rows of `spprofctl top` out of a profile: functions or lines, sorted. Pure. */
#ifndef SPPROF_CLI_TOP_TABLE_H
#define SPPROF_CLI_TOP_TABLE_H

#include "cli/top_order.h"
#include "profile/profile.h"

enum top_rows { TOP_FUNCTIONS, TOP_LINES };

struct top_row {
	profile_id function;
	uint32_t line;	    /* 0: of a function, or none */
	int64_t own, total; /* in the profile's unit; total: once a sample */
};

struct top_table {
	struct top_row *rows;
	uint32_t count;
	int64_t weight;	  /* of all samples */
	uint64_t samples; /* their count */
	uint32_t threads; /* that have samples */
};

/* 0 and *@out, or -ENOMEM. */
int top_table_make(const struct profile *p, enum top_rows kind, enum top_order order,
		   struct top_table *out);
void top_table_fini(struct top_table *t);

static inline void top_table_cleanup(struct top_table *t)
{
	top_table_fini(t);
}

#endif
