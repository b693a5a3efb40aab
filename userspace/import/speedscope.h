/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope's own JSON, sampled and evented profiles, into a profile. */
#ifndef SPPROF_IMPORT_SPEEDSCOPE_H
#define SPPROF_IMPORT_SPEEDSCOPE_H

#include "base/buffer.h"
#include "profile/profile.h"

/*
 * Fills @out, an empty profile, with all profiles of the file: each is a thread of its
 * name. Their unit becomes @out's ("none": samples); where several units of time meet,
 * the finest; other units together are refused. The bytes may come from anywhere. 0;
 * -EBADMSG: not a whole file of this kind; -E2BIG: see import/reason.h; -ENOMEM. @why
 * says what it is and where, or after 0 what was rounded, if anything.
 * Source: www.speedscope.app/file-format-schema.json
 */
int import_speedscope(const void *bytes, size_t len, struct profile *out, struct buffer *why);

/* Whether it is an object as JSON has them. */
bool speedscope_may_be_it(const void *bytes, size_t len);

#endif
