/* SPDX-License-Identifier: Apache-2.0 */
/* What a process holds of memory; source of the names: proc_pid_smaps(5), proc_pid_status(5). */
#include "base/procfs.h"

#include "base/cleanup.h"
#include "base/procfs_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both files have "NAME:  N kB" lines; no name is in both. */
static const struct {
	const char *name;
	size_t offset; /* in struct proc_memory */
} fields[] = {
#define FIELD(name, member)                                    \
	{                                                      \
		name ":", offsetof(struct proc_memory, member) \
	}
	FIELD("Rss", rss_bytes),
	FIELD("Pss", pss_bytes),
	FIELD("Pss_Anon", pss_anon_bytes),
	FIELD("Pss_File", pss_file_bytes),
	FIELD("Pss_Shmem", pss_shmem_bytes),
	FIELD("Swap", swap_bytes),
	FIELD("RssAnon", rss_anon_bytes),
	FIELD("RssFile", rss_file_bytes),
	FIELD("RssShmem", rss_shmem_bytes),
	FIELD("VmRSS", rss_bytes),
	FIELD("VmSwap", swap_bytes),
	FIELD("VmPTE", page_tables_bytes),
#undef FIELD
};

bool proc_memory_take_line(struct proc_memory *m, const char *line)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t len = strlen(fields[i].name);
		unsigned long long kib;

		if (strncmp(line, fields[i].name, len))
			continue;
		if (sscanf(line + len, "%llu kB", &kib) != 1)
			return false;
		*(uint64_t *)((char *)m + fields[i].offset) = kib * 1024;
		return true;
	}
	return false;
}

static int take_file(pid_t pid, const char *name, struct proc_memory *m)
{
	char path[PROCFS_PATH_ROOM];
	OWNS_FILE FILE *file = NULL;
	OWNS_MEM char *line = NULL;
	size_t room = 0;
	bool has_any = false;

	procfs_path(path, pid, 0, name);
	file = fopen(path, "re");
	if (!file)
		return procfs_gone_or(errno);
	errno = 0;
	while (getline(&line, &room, file) > 0)
		has_any |= proc_memory_take_line(m, line);
	if (has_any)
		return 0;
	/* A process that has ended, but was not waited for, has a status without memory. */
	return errno ? procfs_gone_or(errno) : -ESRCH;
}

int proc_memory(pid_t pid, struct proc_memory *out)
{
	struct proc_memory m = { 0 };
	int err = take_file(pid, "status", &m);

	if (!err)
		*out = m;
	return err;
}

int proc_memory_walk(pid_t pid, struct proc_memory *out)
{
	struct proc_memory m = *out;
	int err = take_file(pid, "smaps_rollup", &m);

	if (!err)
		*out = m;
	return err;
}
