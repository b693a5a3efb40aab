/* SPDX-License-Identifier: Apache-2.0 */
/* Parses what the kernel prints in /proc; source of the formats: proc(5). */
#include "base/procfs.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 64	/* "/proc/PID/task/TID/status" */
#define STAT_BYTES 2048 /* 52 fields of at most 20 digits, and comm */

/* What is gone is gone, however the kernel words it. */
static int gone_or(int err)
{
	return err == ENOENT ? -ESRCH : -err;
}

/* The whole of a small file, with a NUL behind it. Its length or -errno. */
static ssize_t read_small(const char *path, char *text, size_t room)
{
	OWNS_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0)
		return gone_or(errno);
	while (used + 1 < room) {
		ssize_t got = read(fd, text + used, room - 1 - used);

		if (got < 0)
			return gone_or(errno);
		if (!got)
			break;
		used += got;
	}
	text[used] = 0;
	return used;
}

static void task_path(char path[PATH_ROOM], pid_t pid, pid_t tid, const char *file)
{
	if (tid)
		snprintf(path, PATH_ROOM, "/proc/%d/task/%d/%s", pid, tid, file);
	else
		snprintf(path, PATH_ROOM, "/proc/%d/%s", pid, file);
}

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
		if (field == 14)
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
	char path[PATH_ROOM], text[STAT_BYTES];
	const char *comm, *close;
	ssize_t len;
	size_t bytes;
	int err;

	task_path(path, pid, tid, "stat");
	len = read_small(path, text, sizeof(text));
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
	char path[PATH_ROOM];
	OWNS_FILE FILE *file = NULL;
	OWNS_MEM char *line = NULL;
	size_t room = 0, len = strlen(name);

	task_path(path, pid, tid, "status");
	file = fopen(path, "re");
	if (!file) {
		*err = gone_or(errno);
		return NULL;
	}
	errno = 0;
	while (getline(&line, &room, file) > 0) {
		if (strncmp(line, name, len))
			continue;
		memmove(line, line + len, strlen(line + len) + 1);
		return TAKE(line);
	}
	*err = errno ? gone_or(errno) : -ESRCH;
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
	return errno ? gone_or(errno) : 0;
}

ssize_t proc_threads(pid_t pid, pid_t *tids, size_t room)
{
	char path[PATH_ROOM];
	OWNS(dir) DIR *dir = NULL;
	size_t count = 0;

	task_path(path, pid, 0, "task");
	dir = opendir(path);
	if (!dir)
		return gone_or(errno);
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

/* "START-END PERMS OFFSET MAJOR:MINOR INODE   PATH": the path is the rest, blanks and all. */
static int parse_mapping(char *line, struct proc_mapping *m)
{
	char perms[5];
	int path_at = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
		   &m->end, perms, &m->offset, &m->major, &m->minor, &m->inode, &path_at) < 7)
		return -EBADMSG;
	m->is_executable = perms[2] == 'x';
	m->path = path_at ? line + path_at : "";
	return 0;
}

int proc_each_mapping(pid_t pid, int (*each)(const struct proc_mapping *m, void *ctx), void *ctx)
{
	char path[PATH_ROOM];
	OWNS_FILE FILE *file = NULL;
	OWNS_MEM char *line = NULL;
	size_t room = 0;

	task_path(path, pid, 0, "maps");
	file = fopen(path, "re");
	if (!file)
		return gone_or(errno);
	errno = 0;
	while (getline(&line, &room, file) > 0) {
		struct proc_mapping m;
		int result = parse_mapping(line, &m);

		if (!result)
			result = each(&m, ctx);
		if (result)
			return result;
		errno = 0;
	}
	return errno ? gone_or(errno) : 0;
}
