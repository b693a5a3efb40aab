/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_job.h"

#include "base/clock.h"
#include "base/proc_image.h"
#include "daemon/heap_json.h"
#include "daemon/heap_look.h"
#include "daemon/heap_tracker.h"
#include "spprof_api.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static void fail(struct heap_job *job, int exit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void fail(struct heap_job *job, int exit, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(job->message, sizeof(job->message), format, args);
	va_end(args);
	job->exit = exit;
}

/* Whether the process is still there, with another program. One that is ending has none. */
static bool runs_another(const struct heap_subject *s)
{
	OWNS_FD int image = proc_image_open(s->pid);
	struct proc_stat now;

	return image >= 0 && !proc_stat_read(s->pid, 0, &now) && now.start_ticks == s->start_ticks;
}

/* The image that was asked for is no more: whatever was read may be of it in part only. */
static void fail_gone(struct heap_job *job)
{
	const struct heap_subject *s = &job->subject;

	if (runs_another(s))
		fail(job, SPPROF_EXIT_NO_TARGET,
		     "process %d (%s) has executed another program before its heap was read: "
		     "ask again",
		     s->pid, s->name);
	else
		fail(job, SPPROF_EXIT_NO_TARGET,
		     "process %d (%s) has ended before its heap was read", s->pid, s->name);
}

static void fail_scan(struct heap_job *job, int err, const char *why)
{
	const struct heap_subject *s = &job->subject;

	switch (err) {
	case -ECANCELED:
		return fail(job, SPPROF_EXIT_FAILED,
			    "spprofd is ending: the scan of process %d was given up", s->pid);
	case -ENOTSUP:
		return fail(job, SPPROF_EXIT_UNSUPPORTED,
			    "the heap of process %d (%s) cannot be read: %s", s->pid, s->name, why);
	case -EAGAIN:
		return fail(job, SPPROF_EXIT_UNSUPPORTED,
			    "process %d (%s) is starting, or its heap grows too fast to be read: "
			    "ask again in a moment",
			    s->pid, s->name);
	case -EPERM:
	case -EACCES:
		return fail(job, SPPROF_EXIT_DENIED,
			    "spprofd itself may not read process %d: start it as root, or with "
			    "CAP_SYS_PTRACE",
			    s->pid);
	case -ENOMEM:
		return fail(job, SPPROF_EXIT_FAILED,
			    "spprofd is out of memory for the heap of process %d", s->pid);
	case -ESRCH:
		return fail(job, SPPROF_EXIT_NO_TARGET, "process %d (%s) has ended", s->pid,
			    s->name);
	default:
		return fail(job, SPPROF_EXIT_FAILED, "cannot read the heap of process %d: %s",
			    s->pid, strerror(-err));
	}
}

/* What the probes saw, if there are any, with this scan as its last. */
static int add_session(json_t *page, struct heap_job *job, const struct heap_facts *facts,
		       uint64_t begin_ns)
{
	const struct heap_subject *s = &job->subject;
	const struct heap_scan_target target = { .pid = s->pid,
						 .in = &s->interpreter,
						 .allocator = facts->allocator,
						 .is_cancelled = &job->is_cancelled };
	json_t *session = s->session ? json_incref(s->session) : json_null();
	int err = json_object_set_new(page, "session", session) ? -ENOMEM : 0;

	if (err || !s->seen)
		return err;
	err = heap_seen_find_freed(s->seen, &target);
	if (!err)
		err = heap_seen_add_scan(s->seen, begin_ns, facts->census);
	return err ? err : heap_seen_tell(s->seen, page);
}

/* As bytes: the main thread has nothing left to do but to send them. */
static int write_page(struct heap_job *job, const struct heap_facts *facts, uint64_t begin_ns)
{
	json_t *page = heap_json(facts);
	char *text = NULL;

	if (page && !add_session(page, job, facts, begin_ns))
		text = json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(page);
	if (!text)
		return -ENOMEM;
	buffer_add(&job->json, text, strlen(text));
	buffer_add_text(&job->json, "\n");
	free(text);
	return buffer_error(&job->json);
}

void heap_job_run(struct heap_job *job)
{
	OWNS(heap_census) struct heap_census census = { 0 };
	uint64_t begin = monotonic_ns();
	struct allocator allocator = { 0 };
	struct heap_facts facts = { .pid = job->subject.pid,
				    .name = job->subject.name,
				    .layout = &job->subject.interpreter.layout,
				    .allocator = &allocator,
				    .census = &census,
				    .time_ns = unix_ns() };
	const char *why = "";
	int err = heap_look(&job->subject, &job->is_cancelled, &allocator, &census, &why);

	if (!err)
		err = proc_memory(job->subject.pid, &facts.memory);
	job->busy_ns = facts.duration_ns = monotonic_ns() - begin;
	job->scanned_bytes = census.scanned_bytes;
	if (err != -ECANCELED && !proc_image_lives(job->subject.image))
		return fail_gone(job);
	if (!err)
		err = write_page(job, &facts, begin);
	if (err)
		fail_scan(job, err, why);
}
