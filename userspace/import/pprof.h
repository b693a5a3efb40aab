/* SPDX-License-Identifier: Apache-2.0 */
/* pprof (profile.proto), gzip-compressed or not, into a profile. */
#ifndef SPPROF_IMPORT_PPROF_H
#define SPPROF_IMPORT_PPROF_H

#include "base/buffer.h"
#include "profile/profile.h"

/*
 * The bytes may come from anywhere. Returns the profile, or NULL and *@err:
 * -EBADMSG if they are not a whole pprof, -E2BIG if they unpack to more than
 * 1 GiB, -ENOMEM.
 * Source: github.com/google/pprof/proto/profile.proto
 */
struct profile *import_pprof(const void *data, size_t len, int *err);

/* The same into @out, an empty profile: 0 or the error, and @why says what it is. */
int import_pprof_into(const void *data, size_t len, struct profile *out, struct buffer *why);

/* Whether plain bytes begin like a pprof, and not like a text. */
bool pprof_may_be_it(const void *data, size_t len);

#endif
