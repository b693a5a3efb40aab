/* SPDX-License-Identifier: Apache-2.0 */
#include "heap_daemon.h"

#include <criterion/criterion.h>
#include <signal.h>

static int pid_of(const struct control_request *r)
{
	const char *text = control_query(r, "pid");

	return text ? atoi(text) : 0;
}

static json_t *session_of(struct heap_daemon *d, int pid)
{
	return json_pack("{si ss ss}", "pid", pid, "tier", "growth", "state", d->states[pid]);
}

/* The client of a start that is not answered has left. */
static void on_gone(void *ctx)
{
	(void)ctx;
}

static void handle_start(struct control_request *r, void *ctx)
{
	struct heap_daemon *d = ctx;
	int pid = pid_of(r);
	const char *tier = control_query(r, "tier"), *rate = control_query(r, "rate");
	const char *seconds = control_query(r, "seconds");

	buffer_print(&d->asked, "start %d %s%s%s%s%s;", pid, seconds ? seconds : "-",
		     tier ? " " : "", tier ? tier : "", rate ? " " : "", rate ? rate : "");
	if (d->interrupts_start) {
		control_keep(r, on_gone, d);
		pthread_kill(d->client, SIGINT);
		return;
	}
	if (d->refused[pid])
		return control_answer_error(r, d->refused[pid], "not this one");
	d->states[pid] = "active";
	control_answer_json(r, session_of(d, pid));
}

static void handle_stop(struct control_request *r, void *ctx)
{
	struct heap_daemon *d = ctx;
	int pid = pid_of(r);

	buffer_print(&d->asked, "%s %d;", control_query(r, "discard") ? "discard" : "stop", pid);
	d->states[pid] = "stopped";
	control_answer_json(r, session_of(d, pid));
	d->states[pid] = NULL;
}

static void handle_status(struct control_request *r, void *ctx)
{
	struct heap_daemon *d = ctx;
	json_t *rows = json_array();
	int pid = pid_of(r);

	if (!pid && d->interrupts)
		pthread_kill(d->client, SIGINT);
	for (int i = 1; i < HEAP_DAEMON_PIDS; i++) {
		if (!pid && d->ends_soon && d->states[i])
			d->states[i] = "ended";
		if (d->states[i] && (!pid || pid == i))
			json_array_append_new(rows, session_of(d, i));
	}
	d->status_calls += !pid;
	control_answer_json(r, json_pack("{so}", "sessions", rows));
}

static void handle_heap(struct control_request *r, void *ctx)
{
	struct heap_daemon *d = ctx;
	int pid = pid_of(r);

	buffer_print(&d->asked, "read %d;", pid);
	control_answer_json(
		r, d->tiers[pid] ? json_pack("{si s{ss} s[] s[]}", "pid", pid, "session", "tier",
					     d->tiers[pid], "stacks", "growth")
				 : json_pack("{si ss s[]}", "pid", pid, "tier", "scan", "types"));
}

static const struct control_endpoint endpoints[] = {
	{ "POST", "/v1/heap/start", handle_start },
	{ "POST", "/v1/heap/stop", handle_stop },
	{ "GET", "/v1/heap/status", handle_status },
	{ "GET", "/v1/heap", handle_heap },
	{ NULL, NULL, NULL },
};

void heap_daemon_begin(struct heap_daemon *d)
{
	*d = (struct heap_daemon){ .client = pthread_self() };
	served_begin(&d->served, endpoints, d);
}

void heap_daemon_end(struct heap_daemon *d)
{
	served_end(&d->served);
	buffer_fini(&d->asked);
}
