/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/session.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "export/exporter.h"
#include "python/pylayout.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

struct session *session_new(unsigned int id, const struct session_request *r,
			    const struct collector_counts *now)
{
	OWNS(session) struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->id = id;
	s->request = *r;
	s->before = *now;
	s->start_ns = monotonic_ns();
	s->start_unix_ns = unix_ns();
	s->tally = tally_new(r->mode);
	return s->tally ? TAKE(s) : NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->target_count; i++)
		process_unref(s->targets[i].image);
	tally_free(s->tally);
	free(s);
}

void session_add_target(struct session *s, struct process *p)
{
	if (s->target_count < SESSION_MAX_PIDS)
		s->targets[s->target_count++].image = process_ref(p);
}

static struct session_target *find_target(struct session *s, const struct process *p)
{
	for (unsigned int i = 0; i < s->target_count; i++)
		if (s->targets[i].image->pid == p->pid &&
		    s->targets[i].image->start_ticks == p->start_ticks)
			return &s->targets[i];
	return NULL;
}

static bool is_target(struct session *s, const struct process *p)
{
	if (s->request.is_for_all)
		return s->request.sees_all || p->uid == s->request.uid;
	return find_target(s, p) != NULL;
}

void session_take(struct session *s, struct process *p, const struct sp_sample *sample)
{
	uint64_t time = sample->head.time_ns, weight = sample->weight_ns;

	if (time < s->start_ns || (s->end_ns && time > s->end_ns) || !is_target(s, p))
		return;
	if (weight > time - s->start_ns)
		weight = time - s->start_ns; /* the rest was before us */
	if (tally_add(s->tally, p, sample, weight))
		s->refused++;
}

void session_on_exit(struct session *s, const struct process *p)
{
	struct session_target *target = find_target(s, p);

	if (target)
		target->has_ended = true;
}

/* For an end that no record told: the process was not followed, or the ring was full. */
static bool has_ended(const struct session_target *t)
{
	struct proc_stat now;

	return t->has_ended || proc_stat_read(t->image->pid, 0, &now) || now.state == 'Z' ||
	       now.start_ticks != t->image->start_ticks;
}

bool session_is_over(struct session *s)
{
	for (unsigned int i = 0; i < s->target_count; i++)
		if (!has_ended(&s->targets[i]))
			return false;
	return !s->request.is_for_all;
}

static int add_platform(struct profile *p)
{
	__attribute__((cleanup(buffer_cleanup))) struct buffer text = { 0 };
	struct utsname name;

	if (uname(&name))
		return -errno;
	buffer_print(&text, "%s-%s-%s", name.sysname, name.release, name.machine);
	return buffer_error(&text)
		       ? -ENOMEM
		       : profile_add_string(p, text.data, text.len, &profile_about(p)->platform);
}

struct versions {
	struct buffer text;
	uint32_t seen[16];
	unsigned int count;
};

static void add_version(struct process *p, void *ctx)
{
	struct versions *v = ctx;
	uint32_t version = p->interpreter.layout.version;
	char text[16];

	for (unsigned int i = 0; i < v->count; i++)
		if (v->seen[i] == version)
			return;
	if (!p->has_interpreter || v->count == sizeof(v->seen) / sizeof(v->seen[0]))
		return;
	v->seen[v->count++] = version;
	pylayout_version_text(version, text);
	buffer_print(&v->text, "%s%s", v->text.len ? ", " : "", text);
}

static int add_python(struct session *s, struct profile *p)
{
	struct versions v = { 0 };
	int err;

	tally_each_process(s->tally, add_version, &v);
	for (unsigned int i = 0; i < s->target_count; i++)
		add_version(s->targets[i].image, &v);
	err = buffer_error(&v.text);
	if (!err)
		err = profile_add_string(p, v.text.data ? v.text.data : "", v.text.len,
					 &profile_about(p)->python);
	buffer_fini(&v.text);
	return err;
}

/* The kernel cannot tell whose sample found the ring full: losses are of all processes. */
static int add_losses(struct session *s, const struct collector_counts *now, struct profile *p)
{
	static const char *const names[] = {
#define X(name, label, help) [SP_LOST_##name] = label,
		SP_LOSSES(X)
#undef X
	};
	struct profile_about *about = profile_about(p);
	int err = 0;

	for (int i = 0; !err && i < SP_LOST_MAX; i++) {
		uint64_t lost = now->lost[i] - s->before.lost[i];

		about->lost += lost;
		err = lost ? profile_add_loss(p, names[i], lost) : 0;
	}
	if (!err && s->refused)
		err = profile_add_loss(p, "profile_full", s->refused);
	about->lost += s->refused;
	about->taken = tally_count(s->tally) + about->lost;
	return err;
}

int session_finish(struct session *s, const struct collector_counts *now, struct buffer *pprof)
{
	static const struct export_options plain;
	OWNS(profile) struct profile *p = profile_new();
	struct profile_about *about;
	int err;

	if (!p)
		return -ENOMEM;
	about = profile_about(p);
	about->start_ns = s->start_unix_ns;
	about->duration_ns = s->end_ns - s->start_ns;
	about->interval_ns = 1000000000ull / s->request.hz;
	about->keeps_order = s->request.mode == TALLY_ORDER;
	err = add_platform(p);
	if (!err)
		err = add_python(s, p);
	if (!err)
		err = add_losses(s, now, p);
	if (!err)
		err = tally_fill(s->tally, p, (int64_t)(s->start_unix_ns - s->start_ns));
	return err ? err : export_pprof.write(p, &plain, pprof);
}
