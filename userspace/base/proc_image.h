/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_image - what a process runs from its birth or exec to its next exec or end, as a thing to
 * hold on to: it tells for certain whether memory that was read all belonged to one program.
 */
#ifndef SPPROF_PROC_IMAGE_H
#define SPPROF_PROC_IMAGE_H

#include <stdbool.h>
#include <sys/types.h>

/* A descriptor of what @pid runs now; -ESRCH also for what has no memory; -EACCES: we may not. */
int proc_image_open(pid_t pid);

/*
 * Whether it runs still. The kernel ties the descriptor to the memory as it was when it was
 * opened, and neither an exec nor another process with the same pid brings that back. While a
 * vfork()ed child shares the memory of its parent, the parent's counts.
 */
bool proc_image_lives(int image_fd);

#endif
