/* SPDX-License-Identifier: Apache-2.0 */
/* names - what a file calls things, made valid UTF-8, as rows of a profile. */
#ifndef SPPROF_IMPORT_NAMES_H
#define SPPROF_IMPORT_NAMES_H

#include "import/reason.h"
#include "profile/profile.h"

/* 0, -ENOMEM, or -E2BIG for a text of more than IMPORT_MAX_NAME. */
int names_add(struct profile *p, const char *text, size_t len, profile_id *id);

/* The frame of @function that runs @line. 0 or -ENOMEM. */
int names_add_frame(struct profile *p, const struct profile_function *function, uint32_t line,
		    profile_id *frame);

#endif
