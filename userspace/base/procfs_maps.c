/* SPDX-License-Identifier: Apache-2.0 */
/* What a process maps; source of the format: proc_pid_maps(5). */
#include "base/procfs.h"

#include "base/cleanup.h"
#include "base/procfs_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	m->is_writable = perms[1] == 'w';
	m->path = path_at ? line + path_at : "";
	return 0;
}

int proc_each_mapping(pid_t pid, int (*each)(const struct proc_mapping *m, void *ctx), void *ctx)
{
	char path[PROCFS_PATH_ROOM];
	OWNS_FILE FILE *file = NULL;
	OWNS_MEM char *line = NULL;
	size_t room = 0;

	procfs_path(path, pid, 0, "maps");
	file = fopen(path, "re");
	if (!file)
		return procfs_gone_or(errno);
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
	return errno ? procfs_gone_or(errno) : 0;
}
