/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/process.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/procfs.h"
#include "base/utf8.h"

#include <string.h>

#define CGROUP_BYTES 8192	/* a path may have 4096; cgroup v1 has a dozen hierarchies */
#define CGROUP_NS 1000000000ull /* for which one is believed: a process may be moved */

struct process *process_new(pid_t pid)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->refs = 1;
	p->pid = pid;
	p->uid = (uid_t)-1;
	return p;
}

struct process *process_ref(struct process *p)
{
	p->refs++;
	return p;
}

void process_unref(struct process *p)
{
	if (!p || --p->refs)
		return;
	code_table_free(p->codes);
	thread_names_free(p->names);
	free(p->cgroup);
	free(p);
}

int process_identify(struct process *p)
{
	struct proc_stat stat;
	__attribute__((cleanup(buffer_cleanup))) struct buffer name = { 0 };
	int err = proc_stat_read(p->pid, 0, &stat);

	if (!err)
		err = proc_uid(p->pid, &p->uid);
	if (err)
		return err;
	p->start_ticks = stat.start_ticks;
	utf8_repair(&name, stat.comm, strlen(stat.comm));
	if (!buffer_error(&name) && name.len && name.len < sizeof(p->name))
		memcpy(p->name, name.data, name.len + 1);
	return 0;
}

const char *process_cgroup(struct process *p)
{
	uint64_t now = p->ended_ns ? 0 : monotonic_ns();
	char text[CGROUP_BYTES];

	if (now >= p->cgroup_due_ns && !p->ended_ns &&
	    proc_cgroup(p->pid, text, sizeof(text)) > 0) {
		free(p->cgroup);
		p->cgroup = strdup(text);
		p->cgroup_due_ns = now + CGROUP_NS;
	}
	return p->cgroup ? p->cgroup : "";
}

const char *process_state_name(enum process_state state)
{
	static const char *const names[] = {
		[PROCESS_UNKNOWN] = "unknown",
		[PROCESS_STARTING] = "starting",
		[PROCESS_READY] = "ready",
		[PROCESS_REFUSED] = "refused",
	};

	return names[state];
}
