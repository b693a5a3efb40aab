/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/lookback.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "daemon/sampler.h"
#include "daemon/windows.h"
#include "export/exporter.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

/*
 * Whether nothing else has the pid of @p, which has ended: it may still be on its way out, wait
 * for its parent, or have become something else than a Python.
 */
static bool has_pid_still(const struct process *p)
{
	struct proc_stat now;
	int err = proc_stat_read(p->pid, 0, &now);

	return err ? err == -ESRCH : now.start_ticks == p->start_ticks;
}

static struct process *find_ended(struct sampler *s, pid_t pid)
{
	struct process *p = process_table_newest(sampler_processes(s), pid);

	if (!p)
		p = windows_find(sampler_windows(s), pid);
	return p && p->ended_ns && has_pid_still(p) ? p : NULL;
}

struct process *lookback_find(struct call *c, struct sampler *s, pid_t pid)
{
	struct process *p = call_process(c, s, pid);

	if (p || c->exit == SPPROF_EXIT_DENIED)
		return p;
	p = find_ended(s, pid);
	if (!p)
		return NULL;
	if (!c->sees_all && p->uid != c->uid) {
		call_fail(c, SPPROF_EXIT_DENIED,
			  "process %d was another user's: ask as root or as a member of the group "
			  "spprof",
			  pid);
		return NULL;
	}
	c->exit = SPPROF_EXIT_DONE;
	return p;
}

/* Sets which processes the pids of the selection mean. */
static bool name_processes(struct call *c, struct sampler *s)
{
	struct selection *whose = &c->selection;

	for (unsigned int i = 0; whose->kind == SELECT_PIDS && i < whose->pid_count; i++) {
		struct process *p = lookback_find(c, s, whose->pids[i]);

		if (!p)
			return false;
		whose->starts[i] = p->start_ticks;
	}
	return true;
}

static bool is_kept(struct call *c, struct sampler *s, uint64_t now)
{
	uint64_t span = windows_span_ns(sampler_windows(s), now);

	if (!sampler_load(s).sample_hz)
		call_fail(c, SPPROF_EXIT_USAGE,
			  "there is no past to look back on: spprofd samples on demand only "
			  "(sample_hz = 0)");
	else if (c->is_strict && c->last_ns > span)
		call_fail(c, SPPROF_EXIT_USAGE,
			  "the last %llu s are asked for, but only the last %llu s are kept",
			  (unsigned long long)((c->last_ns + 999999999) / 1000000000),
			  (unsigned long long)(span / 1000000000));
	else
		return true;
	return false;
}

int lookback_profile(struct call *c, struct sampler *s, uint64_t length_ns, struct profile **out,
		     struct process **newest)
{
	uint64_t now;
	int err;

	sampler_drain(s);
	if (!name_processes(c, s))
		return -1;
	now = monotonic_ns();
	err = windows_profile(sampler_windows(s), &c->selection, now, length_ns, out, newest);
	if (err)
		call_fail(c, SPPROF_EXIT_FAILED, "cannot make the profile: %s", strerror(-err));
	return err ? -1 : 0;
}

void lookback_answer(struct call *c, struct sampler *s)
{
	static const struct export_options plain;
	OWNS(profile) struct profile *p = NULL;
	int err;

	if (!is_kept(c, s, monotonic_ns()) || lookback_profile(c, s, c->last_ns, &p, NULL))
		return call_return(c);
	err = export_pprof.write(p, &plain, &c->bytes);
	if (err)
		call_fail(c, SPPROF_EXIT_FAILED, "cannot write the profile: %s", strerror(-err));
	call_return(c);
}
