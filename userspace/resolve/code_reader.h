/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one code object out of a process. */
#ifndef SPPROF_CODE_READER_H
#define SPPROF_CODE_READER_H

#include "base/buffer.h"
#include "spprof_pylayout.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct code_text {
	struct buffer name, file; /* UTF-8, without NULs */
	struct buffer linetable;
	bool has_cut_linetable; /* some of it is missing, or all */
	uint32_t first_line;
};

void code_text_fini(struct code_text *t);
static inline void code_text_cleanup(struct code_text *t)
{
	code_text_fini(t);
}

/*
 * The code object at @code of @pid, believed only if sp_code_key() says @key both before
 * and after the reading. 0 and *@out, which the caller frees; -ESTALE another object is
 * there; -EBADMSG, -EFAULT, -ESRCH, -EPERM, -ENOMEM.
 */
int code_read(pid_t pid, const struct sp_pylayout *at, uint64_t code, uint32_t key,
	      struct code_text *out);

#endif
