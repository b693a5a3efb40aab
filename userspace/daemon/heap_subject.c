/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_subject.h"

#include "base/proc_image.h"
#include "daemon/call.h"
#include "daemon/heap_sessions.h"
#include "daemon/heap_tracker.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

void heap_subject_forget_session(struct heap_subject *s)
{
	heap_seen_free(TAKE(s->seen));
	json_decref(TAKE(s->session));
}

void heap_subject_fini(struct heap_subject *s)
{
	fd_cleanup(&s->image);
	heap_subject_forget_session(s);
	*s = (struct heap_subject){ .image = -1 };
}

static void fail_to_open(struct call *c, const struct process *p, int err)
{
	if (err == -ESRCH)
		call_fail(c, SPPROF_EXIT_NO_TARGET, "process %d (%s) has ended", p->pid, p->name);
	else if (err == -EACCES || err == -EPERM)
		call_fail(c, SPPROF_EXIT_DENIED, "spprofd itself may not read process %d", p->pid);
	else
		call_fail(c, SPPROF_EXIT_FAILED, "cannot look at the memory of process %d: %s",
			  p->pid, strerror(-err));
}

static void find_session(struct heap_subject *out, struct heap_sessions *h, const struct process *p)
{
	if (!h)
		return;
	out->seen = heap_sessions_see(h, p);
	out->session = heap_sessions_describe(h, p);
}

/* What is open is of the image that @p is: an exec of before would have come with the drain. */
void heap_subject_find(struct heap_subject *out, struct call *c, struct sampler *s)
{
	struct process *p;
	int image;

	sampler_drain(s);
	p = call_process(c, s, c->pid);
	if (!p)
		return;
	if (p->state != PROCESS_READY)
		return call_fail(c, SPPROF_EXIT_UNSUPPORTED,
				 "process %d (%s) is starting: its Python has no heap yet", p->pid,
				 p->name);
	image = proc_image_open(p->pid);
	if (image < 0)
		return fail_to_open(c, p, image);
	out->pid = p->pid;
	out->uid = p->uid;
	out->epoch = p->epoch;
	out->start_ticks = p->start_ticks;
	out->interpreter = p->interpreter;
	out->image = image;
	memcpy(out->name, p->name, sizeof(out->name));
	find_session(out, sampler_heaps(s), p);
}

bool heap_subject_is_same(const struct heap_subject *a, const struct heap_subject *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks && a->epoch == b->epoch &&
	       a->interpreter.runtime == b->interpreter.runtime;
}
