/* SPDX-License-Identifier: Apache-2.0 */
/* import - a file that some profiler wrote, of a kind that its content tells, as a profile. */
#ifndef SPPROF_IMPORT_H
#define SPPROF_IMPORT_H

#include "base/buffer.h"
#include "profile/profile.h"

enum import_kind { IMPORT_COLLAPSED, IMPORT_SPEEDSCOPE, IMPORT_PPROF, IMPORT_PERF_SCRIPT };

/* "collapsed", "speedscope", "pprof" or "perf-script". */
const char *import_kind_name(enum import_kind kind);

/*
 * Reads @len bytes from anywhere, gzip or not, into @out, an empty profile; samples come
 * in the file's order. Limits: import/reason.h. 0 and *@kind; what had to be rounded or
 * mixed is then in @why, which else stays empty. Or an error, with a line of text in @why
 * (an empty buffer) that says what is wrong and where, and @out of no use: -EBADMSG: no
 * whole file of any kind; -E2BIG: more than the limits; -ENOMEM.
 */
int import_profile(const void *bytes, size_t len, struct profile *out, enum import_kind *kind,
		   struct buffer *why);

#endif
