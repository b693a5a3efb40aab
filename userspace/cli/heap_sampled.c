/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_sampled.h"

#include "base/clock.h"
#include "cli/fail.h"
#include "cli/heap_ask.h"
#include "cli/heap_probes_call.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/signals.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * Should this program be killed, what is begun here ends by itself after so many seconds more,
 * and one more for each process that is begun. Not later: the daemon scans by that time.
 */
#define BEYOND_S 10
#define TURN_NS 1000000000ull

struct look {
	const struct cli_options *options;
	int signals; /* signalfd */
	sigset_t before;
	double most_s; /* that each is sampled for */
	json_t *pids;  /* of the processes that are looked at */
	json_t *begun; /* of these, those whose sampling was begun here */
	bool has_progress;
};

static void look_cleanup(struct look *l)
{
	bool shows_progress = json_array_size(l->begun) && isatty(STDERR_FILENO);
	json_t *pid;
	size_t i;

	if (shows_progress)
		fputs("taking the probes out ", stderr);
	json_array_foreach(l->begun, i, pid)
	{
		OWNS(buffer) struct buffer why = { 0 };

		heap_probes_discard(l->options, json_integer_value(pid), &why);
	}
	if (shows_progress)
		fprintf(stderr, "\r%50s\r", "");
	json_decref(l->begun);
	json_decref(l->pids);
	if (l->signals >= 0)
		close(l->signals);
}

static int is_interrupted(const char *session, void *ctx)
{
	const struct look *l = ctx;

	(void)session;
	return signals_came(l->signals);
}

static bool is_sampling(const char *state)
{
	return !strcmp(state, "active") || !strcmp(state, "attaching");
}

/* @what: its tier and state. */
static void tell_running(pid_t pid, const char *state, const char *what)
{
	if (is_sampling(state))
		fail(0,
		     "the allocations of process %d are sampled already (%s): that is read, and "
		     "goes on",
		     pid, what);
	else
		fail(0,
		     "process %d has samples of before (%s): these are read, and nothing is begun; "
		     "\"spprofctl heap stop --pid %d\" forgets them",
		     pid, what, pid);
}

/* What is there already of @pid: 1, and it was told; or 0. */
static int find_running(struct look *l, pid_t pid)
{
	OWNS(buffer) struct buffer why = { 0 }, text = { 0 };
	json_t *json = NULL, *session;
	const char *state;
	bool is_there;

	if (heap_probes_status(l->options, pid, &json, &why))
		return 0;
	session = json_array_get(json_object_get(json, "sessions"), 0);
	state = json_string_value(json_object_get(session, "state"));
	is_there = state && strcmp(state, "ended") != 0;
	if (is_there) {
		output_add_scalar(&text, json_object_get(session, "tier"));
		buffer_add_text(&text, ", ");
		output_add_scalar(&text, json_object_get(session, "state"));
		tell_running(pid, state, text.data ? text.data : "-");
	}
	json_decref(json);
	return is_there;
}

static int begin(struct look *l, pid_t pid)
{
	const struct control_watch watch = { .poll = is_interrupted, .ctx = l };
	OWNS(buffer) struct buffer why = { 0 };
	json_t *session = NULL;
	int err;

	if (!find_running(l, pid)) {
		err = heap_probes_start(l->options, pid, l->most_s, &watch, &session, &why);
		json_decref(session);
		/* Who interrupts it does not know whether it had begun. */
		if (!err || signals_came(l->signals))
			json_array_append_new(l->begun, json_integer(pid));
		if (err)
			return fail_reason(err, &why);
	}
	return json_array_append_new(l->pids, json_integer(pid))
		       ? fail(SPPROF_EXIT_FAILED, "out of memory")
		       : 0;
}

static int begin_all(struct look *l, const json_t *rows)
{
	const json_t *row;
	int first_err = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		int err = begin(l, selection_pid(row));

		first_err = first_err ? first_err : err;
		if (err == SPPROF_EXIT_NO_DAEMON || signals_came(l->signals))
			break;
	}
	return first_err;
}

/* Whether samples are taken of any of them: not after its end, or beyond its cap. */
static bool is_sampled(struct look *l)
{
	OWNS(buffer) struct buffer why = { 0 };
	json_t *json = NULL, *session;
	bool is_active = false;
	size_t i;

	if (heap_probes_status(l->options, 0, &json, &why))
		return true; /* whatever it is, the next question tells */
	json_array_foreach(json_object_get(json, "sessions"), i, session)
	{
		const char *state = json_string_value(json_object_get(session, "state"));
		json_t *pid;
		size_t k;

		if (!state || !is_sampling(state))
			continue;
		json_array_foreach(l->pids, k, pid) is_active |=
			json_equal(pid, json_object_get(session, "pid"));
	}
	json_decref(json);
	return is_active;
}

static void show_progress(struct look *l, uint64_t begin_ns)
{
	unsigned int elapsed_s = (monotonic_ns() - begin_ns) / 1000000000;

	if (!isatty(STDERR_FILENO))
		return;
	l->has_progress = true;
	fprintf(stderr, "\rsampling: %u of %g s, Ctrl-C ends it ", elapsed_s, l->options->seconds);
}

/* Until the time is over, a signal came, or there is nothing to wait for. */
static void wait_out(struct look *l)
{
	uint64_t begin_ns = monotonic_ns();
	uint64_t end_ns = begin_ns + (uint64_t)(l->options->seconds * 1e9);
	struct signalfd_siginfo taken;

	for (uint64_t next = begin_ns; next < end_ns && is_sampled(l);) {
		show_progress(l, begin_ns);
		next = next + TURN_NS < end_ns ? next + TURN_NS : end_ns;
		if (!signals_wait(l->signals, next))
			break;
	}
	if (l->has_progress)
		fprintf(stderr, "\r%50s\r", "");
	/* The first signal only ended the wait; the next one gives up. */
	while (read(l->signals, &taken, sizeof(taken)) == sizeof(taken))
		;
}

static int read_heap(struct look *l, pid_t pid, json_t *heaps)
{
	const struct control_watch watch = { .poll = is_interrupted, .ctx = l };
	OWNS(buffer) struct buffer target = { 0 }, why = { 0 };
	json_t *heap = NULL;
	int err = 0;

	heap_ask_add_target(pid, &target);
	if (!buffer_error(&target))
		err = output_call(l->options->socket, "GET", target.data, &watch, &heap, &why);
	if (err)
		return fail_reason(err, &why);
	return json_array_append_new(heaps, heap) ? fail(SPPROF_EXIT_FAILED, "out of memory") : 0;
}

int heap_sampled_read(const struct cli_options *o, const json_t *rows, json_t *heaps)
{
	OWNS(look) struct look l = { .options = o, .pids = json_array(), .begun = json_array() };
	double most_s = ceil(o->seconds) + BEYOND_S + json_array_size(rows);
	json_t *pid;
	size_t i;
	int first_err;

	l.most_s = most_s < SPPROF_SECONDS_MAX ? most_s : SPPROF_SECONDS_MAX;
	l.signals = signals_open(0, &l.before);
	if (l.signals < 0)
		return fail(SPPROF_EXIT_FAILED, "cannot wait for signals: %s",
			    strerror(-l.signals));
	first_err = begin_all(&l, rows);
	if (signals_came(l.signals))
		return first_err ? first_err : fail_call(-ECANCELED, o->socket);
	if (json_array_size(l.pids))
		wait_out(&l);
	json_array_foreach(l.pids, i, pid)
	{
		int err = read_heap(&l, json_integer_value(pid), heaps);

		first_err = first_err ? first_err : err;
		if (err == SPPROF_EXIT_NO_DAEMON || signals_came(l.signals))
			break;
	}
	return first_err;
}
