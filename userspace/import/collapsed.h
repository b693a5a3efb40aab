/* SPDX-License-Identifier: Apache-2.0 */
/* Collapsed stacks, `root;…;leaf NUMBER` a line, into a profile. */
#ifndef SPPROF_IMPORT_COLLAPSED_H
#define SPPROF_IMPORT_COLLAPSED_H

#include "base/buffer.h"
#include "profile/profile.h"

/*
 * Fills @out, an empty profile, whose unit becomes "samples". The bytes may come from
 * anywhere. 0; -EBADMSG: a line has no number at its end, or there is no line; -E2BIG:
 * see import/reason.h; -ENOMEM. @why says what it is and where, or after 0 what was
 * rounded, if anything.
 */
int import_collapsed(const void *bytes, size_t len, struct profile *out, struct buffer *why);

/* Whether the first line that says anything is a stack with a number. */
bool collapsed_is_it(const void *bytes, size_t len);

#endif
