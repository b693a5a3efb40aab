/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_input - reads what `snapshot --types --json` printed, or a page with a heap on it: an
 * object, or one a line. The bytes are anybody's.
 */
#ifndef SPPROF_CLI_HEAP_INPUT_H
#define SPPROF_CLI_HEAP_INPUT_H

#include "base/buffer.h"
#include "cli/heap_types.h"

#include <stddef.h>

#define HEAP_INPUT_MOST_TYPES 131072	 /* more than a scan tells apart */
#define HEAP_INPUT_MOST_NAME 4096	 /* bytes, as it stands in the file */
#define HEAP_INPUT_MOST (1ull << 45)	 /* bytes of a type, or objects */
#define HEAP_INPUT_MOST_PROCESSES 100000 /* a line each */

/*
 * Reads the heap of process @pid into *@out, which is empty; of the only one there is, if it is
 * another, or @pid is 0. 0 or -ENOMEM; or -EBADMSG, and a line of what is wrong in @why.
 */
int heap_input_read(const char *bytes, size_t len, uint64_t pid, struct heap_types *out,
		    struct buffer *why);

#endif
