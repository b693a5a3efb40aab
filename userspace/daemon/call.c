/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/call.h"

#include "base/procfs.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#include <stdarg.h>

void call_fail(struct call *c, int exit, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->message, sizeof(c->message), format, args);
	va_end(args);
	c->exit = exit;
}

/* One that ends maps nothing any more, which says nothing of what it was. */
static bool has_ended(pid_t pid)
{
	struct proc_stat now;

	return proc_stat_read(pid, 0, &now) || now.is_ending;
}

struct process *call_process(struct call *c, struct sampler *s, pid_t pid)
{
	struct process *p = process_table_look(sampler_processes(s), pid);

	if (!p) {
		call_fail(c, SPPROF_EXIT_NO_TARGET, "there is no process %d", pid);
	} else if (!c->sees_all && p->uid != c->uid) {
		call_fail(c, SPPROF_EXIT_DENIED,
			  "process %d belongs to another user: ask as root or as a member of "
			  "the group spprof",
			  pid);
	} else if (p->state == PROCESS_REFUSED) {
		call_fail(c, SPPROF_EXIT_UNSUPPORTED,
			  "the Python of process %d (%s) is not followed: %s", pid, p->name,
			  p->reason);
	} else if (p->state == PROCESS_UNKNOWN && p->is_hidden) {
		call_fail(c, SPPROF_EXIT_DENIED,
			  "spprofd itself may not read process %d: start it as root, or with "
			  "CAP_SYS_PTRACE",
			  pid);
	} else if (p->state == PROCESS_UNKNOWN && has_ended(pid)) {
		call_fail(c, SPPROF_EXIT_NO_TARGET, "process %d (%s) has ended", pid, p->name);
	} else if (p->state == PROCESS_UNKNOWN && !c->session.awaits) {
		call_fail(c, SPPROF_EXIT_UNSUPPORTED,
			  "process %d (%s) is not a Python: no file that it maps holds an "
			  "interpreter; "
			  "`spprofctl list` shows those that do",
			  pid, p->name);
	} else {
		return p;
	}
	return NULL;
}

void call_return(struct call *c)
{
	c->letter.deliver = c->answer;
	mailbox_post(c->home, &c->letter);
}
