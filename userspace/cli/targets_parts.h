/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of targets.c. */
#ifndef SPPROF_CLI_TARGETS_PARTS_H
#define SPPROF_CLI_TARGETS_PARTS_H

#include "cli/match.h"
#include "cli/targets.h"
#include "profile/strings.h"

enum target_kind { TARGET_SIMPLE, TARGET_WHOLE, TARGET_PART, TARGET_REGEX };

struct target {
	enum target_kind kind;
	struct buffer text;  /* without what says the kind; not empty, valid UTF-8 */
	struct match *match; /* of a regular expression, else NULL */
	bool is_found;	     /* in a profile */
};

struct targets {
	struct target *rows;
	uint32_t count, room;
	struct strings said; /* what could be said instead: simple names, their last components */
};

/* Appends it as it was written. */
void target_add_text(const struct target *t, struct buffer *out);

#endif
