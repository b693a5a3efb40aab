/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_names - what Python calls the threads of a process: those of threading._active, by
 * their idents. Read from outside, while it runs: what does not look as it should has no name.
 * Not thread-safe.
 */
#ifndef SPPROF_THREAD_NAMES_H
#define SPPROF_THREAD_NAMES_H

#include "base/cleanup.h"
#include "resolve/target_memory.h"
#include "spprof_pylayout.h"

#include <stdint.h>

#define THREAD_NAMES_MOST 4096	    /* of a process; others have none */
#define THREAD_NAMES_MOST_CHARS 255 /* of a name; a longer one ends in U+2026 after them */

struct thread_names;

/* Of a process whose _PyRuntime is at @runtime. NULL when out of memory. */
struct thread_names *thread_names_new(uint64_t runtime, const struct sp_pylayout *at);
void thread_names_free(struct thread_names *n); /* NULL is fine */
DEFINE_OWNS(thread_names);

/*
 * Reads the names as they are now. 0, and what was read before is forgotten; else it stays:
 * -ENOTSUP this build's way to them is not known; -EBADMSG, -EFAULT it is not as it should
 * be, or was changed meanwhile; -ESRCH, -EPERM, -ENOMEM.
 */
int thread_names_read(struct thread_names *n, const struct target_reader *memory);

/* Valid UTF-8, until the next reading; NULL: there is none, or an empty one. */
const char *thread_names_find(const struct thread_names *n, uint64_t ident);

#endif
