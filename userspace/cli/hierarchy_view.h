/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_view - what `hierarchy` prints, as text or JSON. */
#ifndef SPPROF_CLI_HIERARCHY_VIEW_H
#define SPPROF_CLI_HIERARCHY_VIEW_H

#include "cli/hierarchy_about.h"
#include "cli/hierarchy_shares.h"
#include "cli/screen.h"

/* Each appends all of it: 0 or -ENOMEM. The explanation follows the text. */
int hierarchy_text_add(const struct shares *s, const struct screen *screen, struct buffer *out);
int hierarchy_json_add(const struct shares *s, const struct hierarchy_about *about,
		       struct buffer *out);
int hierarchy_explain_add(const struct shares *s, struct buffer *out);

/* A share as it is printed: shares are of 0 to 100 but for rounding, and negative weights. */
static inline double share_shown(double percent)
{
	return percent > 100 ? 100 : percent > 0 ? percent : 0;
}

#endif
