/* SPDX-License-Identifier: Apache-2.0 */
/* Why a file was refused: a line of text that says where in it. */
#ifndef SPPROF_IMPORT_REASON_H
#define SPPROF_IMPORT_REASON_H

#include "base/buffer.h"

#include <errno.h>

/*
 * What one import may take, so that no file makes it grow without bound. A stack takes 8
 * bytes and up to 16 more in its index. Beyond: -E2BIG, never a silent cut.
 */
#define IMPORT_MAX_UNPACKED (1ull << 30) /* bytes that a gzip file may hold */
#define IMPORT_MAX_STACKS (1u << 27)	 /* distinct stacks, with all their callers' */
#define IMPORT_MAX_NAME (1u << 20)	 /* bytes of one name as the file writes it */

/* What makes a report that leaves nothing out, for errors and warnings about those that do. */
#define IMPORT_LOSSLESS_COMMAND                                                              \
	"perf report --stdio --children -g graph,0,caller,function,count --percent-limit 0 " \
	"-F overhead_children,overhead,sample,comm,dso,sym"

/* Evaluates to @err and puts the reason into @why, in place of what was there. */
#define import_refuse(why, err, ...)              \
	({                                        \
		(why)->len = 0;                   \
		buffer_print((why), __VA_ARGS__); \
		(err);                            \
	})

#endif
