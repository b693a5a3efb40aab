/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc says of a process. Everything there can change or vanish between two
 * reads: each function returns -ESRCH when the process or thread is gone.
 */
#ifndef SPPROF_PROCFS_H
#define SPPROF_PROCFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char comm[64];	      /* as the kernel has it: any bytes */
	char state;	      /* 'R', 'S', 'D', 'T', 't', 'Z', … */
	uint64_t start_ticks; /* since boot, in 1/sysconf(_SC_CLK_TCK) s */
	uint64_t cpu_ticks;   /* user and system time, same unit */
	uint64_t start_code;  /* mm->start_code; 0 or 1 if there is none or we may not know */
};

/* @tid 0: the process itself. */
int proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *out);

/* Real uid of the process. */
int proc_uid(pid_t pid, uid_t *uid);

/* @tid as its own (innermost) PID namespace numbers it. */
int proc_inner_tid(pid_t pid, pid_t tid, pid_t *inner);

/* Thread ids of @pid, at most @room of them; the number stored is returned, or -errno. */
ssize_t proc_threads(pid_t pid, pid_t *tids, size_t room);

/* Calls @each for each process until it returns non-zero; that value or 0 or -errno. */
int proc_each_process(int (*each)(pid_t pid, void *ctx), void *ctx);

struct proc_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint32_t major, minor;
	uint64_t inode; /* 0: no file */
	int is_executable;
	const char *path; /* as printed, "" if none; valid during the call */
};

/* Calls @each for each line of maps until it returns non-zero; that value or 0 or -errno. */
int proc_each_mapping(pid_t pid, int (*each)(const struct proc_mapping *m, void *ctx), void *ctx);

#endif
