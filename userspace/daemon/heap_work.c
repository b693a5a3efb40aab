/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_work.h"

#include "base/clock.h"
#include "base/proc_image.h"
#include "collect/heap_probes.h"
#include "daemon/heap_look.h"
#include "daemon/sampler.h"
#include "daemon/worker.h"
#include "spprof_api.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void heap_work_fail(struct heap_work *w, int exit, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->message, sizeof(w->message), format, args);
	va_end(args);
	w->exit = exit;
}

static void take_out(struct heap_work *w, uint32_t going)
{
	for (unsigned int i = 0; i < HEAP_SITES_MOST; i++)
		if (going & (1u << i))
			heap_link_free(TAKE(w->links[i]));
}

/* That takes long: at the daemon's end it is done where its manager hears of it. */
static void detach(struct heap_work *w)
{
	if (atomic_load(&w->bench->is_ending))
		w->going = 0;
	take_out(w, w->going);
}

/* Whatever was read is of the subject only if that runs still. */
static void scan(struct heap_work *w)
{
	struct allocator allocator = { 0 };
	const char *why = NULL;
	int err;

	w->begin_ns = monotonic_ns();
	err = heap_look(&w->subject, &w->is_cancelled, &allocator, &w->census, &why);
	w->took_ns = monotonic_ns() - w->begin_ns;
	if (err != -ECANCELED && !proc_image_lives(w->subject.image))
		heap_work_fail(w, SPPROF_EXIT_NO_TARGET, "the process has ended");
	else if (err)
		heap_work_fail(w, SPPROF_EXIT_FAILED, "%s", why ? why : strerror(-err));
}

static void come_back(struct letter *l, void *owner)
{
	struct heap_work *w = (struct heap_work *)l;

	(void)owner;
	w->is_away = false;
	w->done(w);
}

/* In the worker's thread. */
static void do_work(struct letter *l, void *owner)
{
	struct heap_work *w = (struct heap_work *)l;

	(void)owner;
	if (w->kind == HEAP_WORK_ATTACH)
		heap_work_attach(w);
	else if (w->kind == HEAP_WORK_DETACH)
		detach(w);
	else
		scan(w);
	l->deliver = come_back;
	sampler_post(w->bench->sampler, l);
}

void heap_work_post(struct heap_work *w, enum heap_work_kind kind)
{
	w->kind = kind;
	atomic_store(&w->is_cancelled, false);
	w->exit = 0;
	w->message[0] = '\0';
	w->is_away = true;
	w->letter.deliver = do_work;
	worker_post(w->bench->worker, &w->letter);
}

void heap_work_fini(struct heap_work *w)
{
	take_out(w, ~0u);
	heap_census_fini(&w->census);
	heap_subject_fini(&w->subject);
}

void heap_bench_fini(struct heap_bench *b)
{
	for (unsigned int i = 0; i < HEAP_COST_LINKS; i++)
		heap_link_free(TAKE(b->left[i]));
}
