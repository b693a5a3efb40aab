/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon may do, cut down before it reads the first byte of a target. */
#ifndef SPPROF_PRIVILEGES_H
#define SPPROF_PRIVILEGES_H

/*
 * Keeps the capabilities that the work needs, of those that the process has, gives up
 * every way to get others back, and filters the system calls that could change a target:
 * ptrace, process_vm_writev, pidfd_getfd. For this thread and those it starts later.
 * 0 or -errno.
 */
int privileges_drop(void);

#endif
