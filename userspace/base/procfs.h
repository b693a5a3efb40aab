/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc says of a process. Everything there can change or vanish between two
 * reads: each function returns -ESRCH when the process or thread is gone.
 */
#ifndef SPPROF_PROCFS_H
#define SPPROF_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char comm[64];	      /* as the kernel has it: any bytes */
	char state;	      /* 'R', 'S', 'D', 'T', 't', 'Z', … */
	bool is_ending;	      /* on its way to 'Z', or there: its memory may be gone already */
	uint64_t start_ticks; /* since boot, in 1/sysconf(_SC_CLK_TCK) s */
	uint64_t cpu_ticks;   /* user and system time, same unit */
	uint64_t start_code;  /* mm->start_code; 0 or 1 if there is none or we may not know */
};

/* @tid 0: the process itself. */
int proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *out);

/* Real uid of the process. */
int proc_uid(pid_t pid, uid_t *uid);

/*
 * How long a process runs that started at @start_ticks of struct proc_stat; @boottime_ns: now
 * on CLOCK_BOOTTIME.
 */
uint64_t proc_uptime_ns(uint64_t start_ticks, uint64_t boottime_ns);

/*
 * The arguments, a NUL after each as the process has them: any bytes; cut to @room - 1 and one
 * more NUL. Their length, 0 for a process without memory of its own, or -errno.
 */
ssize_t proc_cmdline(pid_t pid, char *out, size_t room);

/*
 * The control groups, a line "ID:CONTROLLERS:PATH" each, cut to @room - 1 bytes and
 * NUL-terminated. The length or -errno. Source: cgroups(7).
 */
ssize_t proc_cgroup(pid_t pid, char *out, size_t room);

/* @tid as its own (innermost) PID namespace numbers it. */
int proc_inner_tid(pid_t pid, pid_t tid, pid_t *inner);

/* Thread ids of @pid, at most @room of them; the number stored is returned, or -errno. */
ssize_t proc_threads(pid_t pid, pid_t *tids, size_t room);

/* Calls @each for each process until it returns non-zero; that value or 0 or -errno. */
int proc_each_process(int (*each)(pid_t pid, void *ctx), void *ctx);

struct proc_memory {
	uint64_t rss_bytes, swap_bytes;
	uint64_t rss_anon_bytes, rss_file_bytes, rss_shmem_bytes;
	uint64_t page_tables_bytes;
	uint64_t pss_bytes, pss_anon_bytes, pss_file_bytes, pss_shmem_bytes; /* walked for */
};

/*
 * What @pid holds of memory as the kernel counts it, which may lag behind by some pages a
 * thread. 0; -ESRCH also for a process without memory of its own; -errno.
 */
int proc_memory(pid_t pid, struct proc_memory *out);

/*
 * Adds to @out what the kernel finds out by a walk through the page tables, and makes rss and
 * swap exact. That takes 20 to 40 ms a MiB of page tables (measured; 512 MiB of memory in small
 * pages). As proc_memory(); -EACCES: we may not look.
 */
int proc_memory_walk(pid_t pid, struct proc_memory *out);

/* Takes in a line of smaps_rollup or status; false if it is none of these numbers. */
bool proc_memory_take_line(struct proc_memory *m, const char *line);

struct proc_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint32_t major, minor;
	uint64_t inode; /* 0: no file */
	int is_executable;
	int is_writable;
	const char *path; /* as printed, "" if none; valid during the call */
};

/* Calls @each for each line of maps until it returns non-zero; that value or 0 or -errno. */
int proc_each_mapping(pid_t pid, int (*each)(const struct proc_mapping *m, void *ctx), void *ctx);

#endif
