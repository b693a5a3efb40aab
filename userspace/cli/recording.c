/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/recording.h"

#include "base/clock.h"
#include "cli/options.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/signalfd.h>

#define WAIT_MS 50

static bool has_running_child(struct recording *r)
{
	return r->child && r->child->is_released && !child_has_ended(r->child);
}

/*
 * Takes the signals that came. The terminal sends Ctrl-C to the child as well; what
 * another process sent to us alone is passed on.
 */
static void take_signals(struct recording *r)
{
	struct signalfd_siginfo s;

	while (read(r->signals, &s, sizeof(s)) == sizeof(s)) {
		r->interrupts++;
		if (has_running_child(r) && s.ssi_code <= 0)
			kill(r->child->pid, s.ssi_signo);
	}
}

/* The first one stopped it, or ended the child, which did. */
static bool is_given_up(struct recording *r)
{
	return r->interrupts > 1 && !has_running_child(r);
}

static int watch_stop(const char *session, void *ctx)
{
	struct recording *r = ctx;

	(void)session;
	take_signals(r);
	return is_given_up(r);
}

/* What became of it is seen in the answer to the recording itself. */
static void stop(struct recording *r, const char *session)
{
	const struct control_watch watch = { .poll = watch_stop, .ctx = r };
	OWNS(control_reply) struct control_reply reply = { 0 };
	OWNS(buffer) struct buffer target = { 0 };

	buffer_print(&target, "/v1/profile/%s/stop", session);
	r->is_stopped = true;
	if (!buffer_error(&target))
		control_call(r->options->socket, "POST", target.data, &watch, &reply);
}

static void show_progress(struct recording *r)
{
	unsigned int elapsed_s = (monotonic_ns() - r->begin_ns) / 1000000000;

	r->has_progress = true;
	if (r->options->seconds > 0)
		fprintf(stderr, "\rrecording: %u of %g s ", elapsed_s, r->options->seconds);
	else
		fprintf(stderr, "\rrecording: %u s, Ctrl-C ends it ", elapsed_s);
}

static void clear_progress(const struct recording *r)
{
	if (r->has_progress)
		fprintf(stderr, "\r%50s\r", "");
}

/* Non-zero gives the request up. */
static int watch_recording(const char *session, void *ctx)
{
	struct recording *r = ctx;
	bool has_ended;

	take_signals(r);
	if (!session)
		return r->interrupts > 0;
	if (!r->begin_ns)
		r->begin_ns = monotonic_ns();
	if (r->child && !r->child->is_released)
		r->exec_err = child_release(r->child);
	if (r->exec_err)
		return -ECANCELED;
	has_ended = r->child ? child_has_ended(r->child) : r->interrupts > 0;
	if (has_ended && !r->is_stopped)
		stop(r, session);
	if (isatty(STDERR_FILENO))
		show_progress(r);
	return is_given_up(r);
}

static void add_target(const struct recording *r, struct buffer *target)
{
	const struct cli_options *o = r->options;

	buffer_print(target, "/v1/profile?%s", r->query);
	if (o->last > 0)
		return buffer_print(target, "&last=%.9f", o->last);
	if (o->recent > 0)
		return buffer_print(target, "&recent=%.9f", o->recent);
	buffer_print(target, "&hz=%u", o->hz);
	if (o->seconds > 0)
		buffer_print(target, "&seconds=%.9f", o->seconds);
	if (r->child)
		buffer_add_text(target, "&wait=1");
	if (o->format && o->format->shows_order)
		buffer_add_text(target, "&order=1");
}

int recording_run(struct recording *r, struct control_reply *reply)
{
	const struct control_watch watch = { .poll = watch_recording, .ctx = r };
	OWNS(buffer) struct buffer target = { 0 };
	int err;

	add_target(r, &target);
	err = buffer_error(&target);
	if (!err)
		err = control_call(r->options->socket, "GET", target.data, &watch, reply);
	clear_progress(r);
	return err;
}

void recording_wait_child(struct recording *r)
{
	struct pollfd signals = { .fd = r->signals, .events = POLLIN };

	while (has_running_child(r)) {
		poll(&signals, 1, WAIT_MS);
		take_signals(r);
	}
}
