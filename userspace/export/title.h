/* SPDX-License-Identifier: Apache-2.0 */
/* What a file calls a profile and its threads. As the target has it: the caller escapes. */
#ifndef SPPROF_EXPORT_TITLE_H
#define SPPROF_EXPORT_TITLE_H

#include "base/buffer.h"
#include "profile/profile.h"

/* Appends "python3 1234", or how many processes there are. */
void title_add(struct buffer *out, const struct profile *p);

/* Appends "python3 1234/1240 MainThread". */
void title_add_thread(struct buffer *out, const struct profile *p, const struct profile_thread *t);

#endif
