/* SPDX-License-Identifier: Apache-2.0 */
/* One frame of a collapsed stack: what its text says. */
#ifndef SPPROF_IMPORT_COLLAPSED_ELEMENT_H
#define SPPROF_IMPORT_COLLAPSED_ELEMENT_H

#include "profile/profile.h"

/*
 * The frame of the @len bytes at @text, without a `;`: `NAME (FILE:LINE)` is Python's,
 * `NAME_[k]` the kernel's, anything else native. Then \xHH, \u2028 and \u2029 in it are
 * read as these code points. 0, -ENOMEM or -E2BIG.
 */
int collapsed_add_element(struct profile *p, const char *text, size_t len, profile_id *frame);

#endif
