/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metrics.h"

#include "base/clock.h"
#include "daemon/call.h"
#include "daemon/metrics_text.h"
#include "spprof_api.h"

#include <dirent.h>
#include <string.h>

#define TYPE "text/plain; version=0.0.4; charset=utf-8"

static void count_process(struct process *p, void *ctx)
{
	struct metrics *m = ctx;

	m->processes[p->state]++;
	m->names_refused += p->codes ? code_table_refused(p->codes) : 0;
}

static unsigned int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	unsigned int count = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count - 1; /* the one that was read */
}

static void look_at_self(struct metrics *m)
{
	struct proc_stat stat;

	(void)proc_memory(getpid(), &m->memory);
	m->descriptors = count_descriptors();
	m->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (!proc_stat_read(getpid(), 0, &stat))
		m->start_ns =
			unix_ns() - proc_uptime_ns(stat.start_ticks, clock_ns(CLOCK_BOOTTIME));
}

/* One consistent reading of the samples: taken = delivered + lost in every answer. */
static int gather(struct sampler *s, struct metrics *m)
{
	int err;

	sampler_drain(s);
	err = sampler_read_counts(s, &m->counts);
	if (err)
		return err;
	m->counts.count[SP_COUNT_TAKEN] = m->counts.taken;
	m->load = sampler_load(s);
	m->windows = windows_load(sampler_windows(s), monotonic_ns());
	heap_sessions_load(sampler_heaps(s), &m->sessions);
	process_table_each(sampler_processes(s), count_process, m);
	look_at_self(m);
	return 0;
}

void metrics_report(struct call *c, struct sampler *s)
{
	struct metrics m = { .heap = c->heap_load };
	int err;

	if (!c->sees_all) {
		call_fail(c, SPPROF_EXIT_DENIED,
			  "the metrics are of all users' processes: ask as root or as a member of "
			  "the group spprof");
		return call_return(c);
	}
	err = gather(s, &m);
	if (err)
		call_fail(c, SPPROF_EXIT_FAILED, "cannot read the counters: %s", strerror(-err));
	else
		metrics_write(&m, &c->bytes);
	c->type = TYPE;
	call_return(c);
}
