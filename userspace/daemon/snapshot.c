/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/snapshot.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "daemon/lookback.h"
#include "daemon/sampler.h"
#include "daemon/snapshot_page.h"
#include "daemon/stack_json.h"
#include "daemon/stacks.h"
#include "daemon/windows.h"
#include "python/pylayout.h"
#include "spprof_api.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>

#define WALK_MOST_BYTES (4u << 20) /* page tables: the sampler's thread waits for the walk */
#define USER_ENTRY_BYTES 4096	   /* one that has no room in it is told by its number */

/* --- what it is --- */

static json_t *json_user(uid_t uid)
{
	char text[USER_ENTRY_BYTES], number[16];
	struct passwd entry, *found = NULL;

	if (!getpwuid_r(uid, &entry, text, sizeof(text), &found) && found)
		return stack_json_text(found->pw_name, strlen(found->pw_name));
	snprintf(number, sizeof(number), "%u", uid);
	return json_string(number);
}

struct build {
	uint64_t runtime; /* an address in the interpreter's data */
	json_t *path;	  /* of the newest mapping with a file; its zeroed data has none */
};

static int find_build(const struct proc_mapping *m, void *ctx)
{
	struct build *b = ctx;

	if (m->inode) {
		json_decref(b->path);
		b->path = stack_json_text(m->path, strlen(m->path));
	}
	return b->runtime >= m->start && b->runtime < m->end;
}

/* The file that holds the interpreter, or null. */
static json_t *json_build(const struct process *p)
{
	struct build b = { .runtime = p->interpreter.runtime };

	if (p->has_interpreter && !p->ended_ns && proc_each_mapping(p->pid, find_build, &b) == 1 &&
	    b.path)
		return b.path;
	json_decref(b.path);
	return json_null();
}

/* Until now, or until its end. */
static uint64_t age_ns(const struct process *p)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);
	uint64_t over = p->ended_ns ? monotonic_ns() - p->ended_ns : 0;

	return proc_uptime_ns(p->start_ticks, now > over ? now - over : 0);
}

static json_t *json_memory(const struct process *p)
{
	struct proc_memory m;
	bool is_walked;

	if (proc_memory(p->pid, &m))
		return json_null();
	is_walked = m.page_tables_bytes <= WALK_MOST_BYTES && !proc_memory_walk(p->pid, &m);
	return json_pack("{sI sI sI sI so sI}", "rss_bytes", (json_int_t)m.rss_bytes,
			 "rss_anon_bytes", (json_int_t)m.rss_anon_bytes, "rss_file_bytes",
			 (json_int_t)m.rss_file_bytes, "rss_shmem_bytes",
			 (json_int_t)m.rss_shmem_bytes, "pss_bytes",
			 is_walked ? json_integer(m.pss_bytes) : json_null(), "swap_bytes",
			 (json_int_t)m.swap_bytes);
}

/* --- the page --- */

/* Of a process younger than the time that @profile is of, the window is its life. */
static uint64_t window_ns(const struct process *p, const struct profile *profile)
{
	uint64_t length = profile_about_get(profile)->duration_ns, age = age_ns(p);

	return age && age < length ? age : length;
}

/* Everything but what changes while it is read: "threads" and "memory" are null. */
static json_t *json_page(const struct process *p, const struct profile *profile,
			 const struct summary *sum)
{
	char version[16] = "";

	if (p->has_interpreter)
		pylayout_version_text(&p->interpreter.layout, version);
	return json_pack("{si ss ss? so so sI sf sb sn so sn so so}", "pid", p->pid, "name",
			 p->name, "python", p->has_interpreter ? version : NULL, "build",
			 json_build(p), "user", json_user(p->uid), "uid", (json_int_t)p->uid,
			 "uptime_s", age_ns(p) / 1e9, "ended", p->ended_ns != 0, "threads", "cpu",
			 snapshot_page_cpu(profile, sum, window_ns(p, profile)), "memory", "lost",
			 snapshot_page_lost(profile), "unknown_share",
			 snapshot_page_unknown(profile, sum));
}

static void finish(struct call *c, struct sampler *s, struct process *p, json_t *threads)
{
	(void)s;
	/* It ended just now: the page is of what it did until then. */
	if (!threads && c->exit == SPPROF_EXIT_NO_TARGET) {
		c->exit = SPPROF_EXIT_DONE;
		json_object_set_new(c->json, "ended", json_true());
		threads = json_array();
	}
	if (threads) {
		json_object_set_new(c->json, "threads", threads);
		json_object_set_new(c->json, "memory", json_memory(p));
	}
	call_return(c);
}

static void answer(struct call *c, struct sampler *s, struct process *p,
		   const struct profile *profile)
{
	OWNS(summary) struct summary sum = { 0 };

	if (!summary_make(profile, &sum))
		c->json = json_page(p, profile, &sum);
	if (!c->json) {
		call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
		return call_return(c);
	}
	if (p->ended_ns) {
		json_object_set_new(c->json, "threads", json_array());
		return call_return(c);
	}
	stacks_begin(c, s, p, finish);
}

void snapshot_now(struct call *c, struct sampler *s)
{
	struct selection whose = {
		.uid = c->uid, .sees_all = c->sees_all, .kind = SELECT_PIDS, .pid_count = 1
	};
	OWNS(profile) struct profile *profile = NULL;
	struct process *p;
	int err;

	sampler_drain(s);
	p = lookback_find(c, s, c->pid);
	if (!p)
		return call_return(c);
	whose.pids[0] = p->pid;
	whose.starts[0] = p->start_ticks;
	err = windows_profile(sampler_windows(s), &whose,
			      p->ended_ns ? p->ended_ns : monotonic_ns(), SNAPSHOT_WINDOW_NS,
			      &profile, NULL);
	if (err) {
		call_fail(c, SPPROF_EXIT_FAILED, "cannot make the profile: %s", strerror(-err));
		return call_return(c);
	}
	answer(c, s, p, profile);
}

void snapshot_with(struct call *c, struct sampler *s, struct profile *recorded)
{
	OWNS(profile) struct profile *profile = recorded;
	struct process *p = lookback_find(c, s, c->pid);

	if (!p)
		return call_return(c);
	answer(c, s, p, profile);
}
