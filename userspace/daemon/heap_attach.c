/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the probes of a session go, and that all of them are there or none is. Nothing is counted
 * before the process is followed, so their order does not matter.
 */
#include "daemon/heap_work.h"

#include "base/proc_image.h"
#include "collect/heap_probes.h"
#include "daemon/worker.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

static const char *const tier_names[] = {
	[HEAP_TIER_GROWTH] = "growth",
	[HEAP_TIER_TRACE] = "trace",
};

static void fail_to_find(struct heap_work *w, int err, const char *why)
{
	const struct heap_subject *s = &w->subject;

	switch (err) {
	case -ENOTSUP:
		return heap_work_fail(w, SPPROF_EXIT_UNSUPPORTED,
				      "tier %s cannot be had for process %d (%s): %s",
				      tier_names[w->tier], s->pid, s->name,
				      why ? why : "its allocator was not found");
	case -EAGAIN:
		return heap_work_fail(w, SPPROF_EXIT_UNSUPPORTED,
				      "process %d (%s) is starting: ask again in a moment", s->pid,
				      s->name);
	case -EPERM:
	case -EACCES:
		return heap_work_fail(w, SPPROF_EXIT_DENIED,
				      "spprofd itself may not read process %d: start it as root, "
				      "or with CAP_SYS_PTRACE",
				      s->pid);
	case -ESRCH:
		return heap_work_fail(w, SPPROF_EXIT_NO_TARGET,
				      "process %d (%s) has ended, or executed another program",
				      s->pid, s->name);
	default:
		return heap_work_fail(w, SPPROF_EXIT_FAILED,
				      "cannot look at the allocator of process %d: %s", s->pid,
				      strerror(-err));
	}
}

/* @where: what the probe was to sit on. */
static void fail_to_probe(struct heap_work *w, const char *where, int err)
{
	const struct heap_subject *s = &w->subject;

	switch (err) {
	case -ESRCH:
		return heap_work_fail(w, SPPROF_EXIT_NO_TARGET, "process %d (%s) has ended", s->pid,
				      s->name);
	case -ENOTSUP:
	case -EINVAL:
	case -EIO:
		return heap_work_fail(w, SPPROF_EXIT_UNSUPPORTED,
				      "the kernel refuses a probe on %s: %s", where,
				      strerror(-err));
	case -ENOSPC:
		return heap_work_fail(w, SPPROF_EXIT_FAILED,
				      "there are %d probes already, and no more can be put in: "
				      "`spprofctl heap stop` takes those of a process out",
				      SP_MAX_PROBES);
	case -EPIPE:
	case -ECONNRESET:
	case -ETIMEDOUT:
		return heap_work_fail(w, SPPROF_EXIT_FAILED,
				      "the opener of perf events does not answer: no probe can be "
				      "put in; `journalctl -u spprof-perf` may tell why");
	default:
		return heap_work_fail(w, SPPROF_EXIT_FAILED, "cannot put a probe on %s: %s", where,
				      strerror(-err));
	}
}

static int find(struct heap_work *w, enum heap_tier tier, const char **why)
{
	int err;

	w->tier = tier;
	err = heap_sites_find(w->subject.pid, &w->subject.interpreter, tier, &w->sites, why);
	if (err || tier == HEAP_TIER_TRACE || w->sites.has_refill)
		return err;
	heap_sites_fini(&w->sites);
	return -ENOTSUP;
}

/* Growth where it can be had: it costs less. */
static int find_sites(struct heap_work *w)
{
	const char *why = NULL;
	int err;

	w->fallback = NULL;
	if (atomic_load(&w->is_cancelled)) {
		fail_to_find(w, -ESRCH, NULL);
		return -ECANCELED;
	}
	err = find(w, w->asked == HEAP_ASK_TRACE ? HEAP_TIER_TRACE : HEAP_TIER_GROWTH, &why);
	if (err == -ENOTSUP && w->asked == HEAP_ASK_AUTO) {
		w->fallback = why ? why : "it cannot be had there";
		err = find(w, HEAP_TIER_TRACE, &why);
	}
	if (err)
		fail_to_find(w, err, why);
	return err;
}

static void sweep(struct letter *l, void *owner)
{
	(void)owner;
	heap_bench_fini((struct heap_bench *)l);
}

/* Measured once, for the first who needs them. */
static int know_costs(struct heap_work *w)
{
	struct heap_bench *b = w->bench;
	int err = 0;

	if (!b->has_costs)
		err = heap_cost_measure(b->collector, b->opener, w->session, &b->costs, b->left);
	if (err) {
		heap_bench_fini(b);
		fail_to_probe(w, "spprofd itself, to measure what one costs", err);
		return err;
	}
	if (!b->has_costs) {
		b->sweep.deliver = sweep;
		worker_post(b->worker, &b->sweep);
	}
	b->has_costs = true;
	w->costs = b->costs;
	return 0;
}

static int put_one_in(struct heap_work *w, size_t i)
{
	const struct heap_subject *s = &w->subject;
	const struct heap_site *site = &w->sites.site[i];
	const struct heap_probe probe = { .pid = s->pid,
					  .ip = site->ip,
					  .offset = site->offset,
					  .file = w->sites.files[site->file],
					  .has_return = site->has_return,
					  .what = site->what };
	char where[192];
	int err = 0;

	w->links[i] = heap_link_new(w->bench->collector, w->bench->opener, &probe, &err);
	if (w->links[i])
		return 0;
	snprintf(where, sizeof(where), "%s of process %d (%s)", site->function, s->pid, s->name);
	fail_to_probe(w, where, err);
	return err;
}

static int put_in(struct heap_work *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->sites.count; i++)
		err = atomic_load(&w->is_cancelled) ? -ECANCELED : put_one_in(w, i);
	return err;
}

static void close_files(struct heap_sites *sites)
{
	struct heap_sites kept = *sites;

	heap_sites_fini(sites);
	kept.file_count = 0;
	*sites = kept;
}

void heap_work_attach(struct heap_work *w)
{
	int err = find_sites(w);

	if (err)
		return;
	err = know_costs(w);
	if (!err)
		err = put_in(w);
	close_files(&w->sites);
	if (!err && !proc_image_lives(w->subject.image))
		err = -ESRCH;
	if (err == -ESRCH || err == -ECANCELED)
		fail_to_find(w, -ESRCH, NULL);
	for (unsigned int i = 0; err && i < HEAP_SITES_MOST; i++)
		heap_link_free(TAKE(w->links[i]));
}
