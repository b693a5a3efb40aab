/* SPDX-License-Identifier: Apache-2.0 */
/* Parses what the kernel prints in /proc; source of the formats: proc(5). */
#include "base/procfs.h"

#include "base/cleanup.h"
#include "base/procfs_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_BYTES 2048 /* 52 fields of at most 20 digits, and comm */
#define PF_EXITING 0x4	/* of flags: include/linux/sched.h of Linux */
#define SECOND_NS 1000000000ull

/* @fields: what follows comm, from field 3 (state) on. */
static int parse_stat_fields(const char *fields, struct proc_stat *out)
{
	uint64_t user = 0, system = 0;
	const char *at = fields;

	while (*at == ' ')
		at++;
	if (!*at)
		return -EBADMSG;
	out->state = *at++;
	for (int field = 4; field <= 26; field++) {
		char *end;
		uint64_t value = strtoull(at, &end, 10);

		if (end == at)
			return -EBADMSG;
		at = end;
		if (field == 9)
			out->is_ending = value & PF_EXITING;
		else if (field == 14)
			user = value;
		else if (field == 15)
			system = value;
		else if (field == 22)
			out->start_ticks = value;
		else if (field == 26)
			out->start_code = value;
	}
	out->cpu_ticks = user + system;
	return 0;
}

int proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *out)
{
	struct proc_stat stat = { 0 };
	char path[PROCFS_PATH_ROOM], text[STAT_BYTES];
	const char *comm, *close;
	ssize_t len;
	size_t bytes;
	int err;

	procfs_path(path, pid, tid, "stat");
	len = procfs_read_small(path, text, sizeof(text));
	if (len < 0)
		return len;
	/* comm may hold parentheses, blanks and newlines; no field after it does. */
	comm = memchr(text, '(', len);
	close = memrchr(text, ')', len);
	if (!comm || !close || close < comm)
		return -EBADMSG;
	bytes = close - comm - 1;
	if (bytes >= sizeof(stat.comm))
		bytes = sizeof(stat.comm) - 1;
	memcpy(stat.comm, comm + 1, bytes);
	err = parse_stat_fields(close + 1, &stat);
	if (!err)
		*out = stat;
	return err;
}

/* The rest of the line of status that starts with @name, owned by the caller; NULL and *@err. */
static char *status_line(pid_t pid, pid_t tid, const char *name, int *err)
{
	char path[PROCFS_PATH_ROOM];
	OWNS_FILE FILE *file = NULL;
	OWNS_MEM char *line = NULL;
	size_t room = 0, len = strlen(name);

	procfs_path(path, pid, tid, "status");
	file = fopen(path, "re");
	if (!file) {
		*err = procfs_gone_or(errno);
		return NULL;
	}
	errno = 0;
	while (getline(&line, &room, file) > 0) {
		if (strncmp(line, name, len))
			continue;
		memmove(line, line + len, strlen(line + len) + 1);
		return TAKE(line);
	}
	*err = errno ? procfs_gone_or(errno) : -ESRCH;
	return NULL;
}

int proc_uid(pid_t pid, uid_t *uid)
{
	int err = 0;
	OWNS_MEM char *line = status_line(pid, 0, "Uid:", &err);

	if (!line)
		return err;
	*uid = strtoul(line, NULL, 10);
	return 0;
}

int proc_inner_tid(pid_t pid, pid_t tid, pid_t *inner)
{
	int err = 0;
	OWNS_MEM char *line = status_line(pid, tid, "NSpid:", &err);
	char *at = line, *end;
	pid_t last = 0;

	if (!line)
		return err;
	for (;;) {
		long value = strtol(at, &end, 10);

		if (end == at)
			break;
		last = value;
		at = end;
	}
	if (!last)
		return -EBADMSG;
	*inner = last;
	return 0;
}

static void dir_cleanup(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The next entry that is a number; 0 at the end; -errno. */
static pid_t next_id(DIR *dir)
{
	const struct dirent *entry;

	errno = 0;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return strtol(entry->d_name, NULL, 10);
	return errno ? procfs_gone_or(errno) : 0;
}

ssize_t proc_threads(pid_t pid, pid_t *tids, size_t room)
{
	char path[PROCFS_PATH_ROOM];
	OWNS(dir) DIR *dir = NULL;
	size_t count = 0;

	procfs_path(path, pid, 0, "task");
	dir = opendir(path);
	if (!dir)
		return procfs_gone_or(errno);
	while (count < room) {
		pid_t tid = next_id(dir);

		if (tid < 0)
			return tid;
		if (!tid)
			break;
		tids[count++] = tid;
	}
	return count ? (ssize_t)count : -ESRCH;
}

int proc_each_process(int (*each)(pid_t pid, void *ctx), void *ctx)
{
	OWNS(dir) DIR *dir = opendir("/proc");

	if (!dir)
		return -errno;
	for (;;) {
		pid_t pid = next_id(dir);
		int result;

		if (pid <= 0)
			return pid;
		result = each(pid, ctx);
		if (result)
			return result;
	}
}

/* Each half keeps the product of its multiplication within 64 bits. */
uint64_t proc_uptime_ns(uint64_t start_ticks, uint64_t boottime_ns)
{
	uint64_t hz = sysconf(_SC_CLK_TCK);
	uint64_t start_ns = start_ticks / hz * SECOND_NS + start_ticks % hz * SECOND_NS / hz;

	return boottime_ns > start_ns ? boottime_ns - start_ns : 0;
}

ssize_t proc_cmdline(pid_t pid, char *out, size_t room)
{
	char path[PROCFS_PATH_ROOM];

	procfs_path(path, pid, 0, "cmdline");
	return procfs_read_small(path, out, room);
}

ssize_t proc_cgroup(pid_t pid, char *out, size_t room)
{
	char path[PROCFS_PATH_ROOM];

	procfs_path(path, pid, 0, "cgroup");
	return procfs_read_small(path, out, room);
}
