/* SPDX-License-Identifier: Apache-2.0 */
/* pprof (profile.proto), gzip-compressed or not, into a profile. */
#ifndef SPPROF_IMPORT_PPROF_H
#define SPPROF_IMPORT_PPROF_H

#include "profile/profile.h"

/*
 * The bytes may come from anywhere. Returns the profile, or NULL and *@err:
 * -EBADMSG if they are not a whole pprof, -E2BIG if they unpack to more than
 * 1 GiB, -ENOMEM.
 * Source: github.com/google/pprof/proto/profile.proto
 */
struct profile *import_pprof(const void *data, size_t len, int *err);

#endif
