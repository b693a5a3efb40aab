/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fail.h"

#include "base/utf8.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

static void print_line(const char *text)
{
	OWNS(buffer) struct buffer valid = { 0 };
	OWNS(buffer) struct buffer line = { 0 };

	utf8_repair(&valid, text, strlen(text));
	buffer_add_text(&line, "spprofctl: ");
	if (valid.data)
		utf8_add_visible(&line, valid.data);
	buffer_add_text(&line, "\n");
	if (buffer_error(&valid) || buffer_error(&line))
		fputs("spprofctl: out of memory\n", stderr);
	else
		fwrite(line.data, 1, line.len, stderr);
}

int fail(int exit, const char *format, ...)
{
	OWNS_MEM char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	print_line(text ? text : "out of memory");
	return exit;
}

void fail_lines(const char *name, const struct buffer *lines)
{
	for (const char *at = lines->len ? lines->data : ""; *at;) {
		int len = strcspn(at, "\n");

		fail(0, "%s%s%.*s", name ? name : "", name ? ": " : "", len, at);
		at += len + (at[len] == '\n');
	}
}

static int no_daemon(const char *socket, const char *why)
{
	return fail(SPPROF_EXIT_NO_DAEMON,
		    "cannot reach spprofd on %s: %s; start it with \"systemctl start spprofd\" (or "
		    "\"spprofd --foreground --socket %s\")",
		    socket, why, socket);
}

int fail_call(int err, const char *socket)
{
	switch (err) {
	case -ENOENT:
		return no_daemon(socket, "no such socket");
	case -ECONNREFUSED:
		return no_daemon(socket, "nobody listens there");
	case -EACCES:
		return fail(SPPROF_EXIT_DENIED,
			    "cannot reach spprofd on %s: not allowed; ask for access to the "
			    "socket's folder",
			    socket);
	case -ECONNRESET:
		return fail(SPPROF_EXIT_FAILED,
			    "spprofd on %s went away before it had answered; its log says why",
			    socket);
	case -ECANCELED:
		return fail(SPPROF_EXIT_FAILED, "interrupted before there was an answer");
	case -EPROTO:
		return fail(SPPROF_EXIT_FAILED,
			    "what answers on %s is not spprofd; name its socket with --socket",
			    socket);
	case -ENOMEM:
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	default:
		return no_daemon(socket, strerror(-err));
	}
}

static int fail_json(const json_t *error)
{
	json_int_t exit = json_integer_value(json_object_get(error, "exit"));
	const char *message = json_string_value(json_object_get(error, "message"));

	if (exit < SPPROF_EXIT_FAILED || exit > SPPROF_EXIT_UNSUPPORTED)
		exit = SPPROF_EXIT_FAILED;
	return fail(exit, "%s", message ? message : "spprofd refused and did not say why");
}

int fail_reply(const struct control_reply *r)
{
	bool is_json = r->body.len && r->body.data[0] == '{';
	json_t *json = is_json ? json_loadb(r->body.data, r->body.len, JSON_ALLOW_NUL, NULL) : NULL;
	const json_t *error = json_object_get(json, "error");
	int exit = 0;

	if (json_is_object(error))
		exit = fail_json(error);
	else if (r->status != 200)
		exit = fail(SPPROF_EXIT_FAILED,
			    "spprofd answered with HTTP status %ld and no reason", r->status);
	json_decref(json);
	return exit;
}
