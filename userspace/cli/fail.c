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

/* Evaluates to @exit; the text is put into @why. */
#define reason(why, exit, ...)                    \
	({                                        \
		(why)->len = 0;                   \
		buffer_print((why), __VA_ARGS__); \
		(exit);                           \
	})

int fail_reason(int exit, const struct buffer *why)
{
	return exit ? fail(exit, "%s", why->data ? why->data : "out of memory") : 0;
}

static int no_daemon(const char *socket, const char *cause, struct buffer *why)
{
	return reason(
		why, SPPROF_EXIT_NO_DAEMON,
		"cannot reach spprofd on %s: %s; start it with \"systemctl start spprofd\" (or "
		"\"spprofd --foreground --socket %s\")",
		socket, cause, socket);
}

int fail_call_reason(int err, const char *socket, struct buffer *why)
{
	switch (err) {
	case -ENOENT:
		return no_daemon(socket, "no such socket", why);
	case -ECONNREFUSED:
		return no_daemon(socket, "nobody listens there", why);
	case -EACCES:
		return reason(why, SPPROF_EXIT_DENIED,
			      "cannot reach spprofd on %s: not allowed; ask for access to the "
			      "socket's folder",
			      socket);
	case -ECONNRESET:
		return reason(why, SPPROF_EXIT_FAILED,
			      "spprofd on %s went away before it had answered; its log says why",
			      socket);
	case -ECANCELED:
		return reason(why, SPPROF_EXIT_FAILED, "interrupted before there was an answer");
	case -EPROTO:
		return reason(why, SPPROF_EXIT_FAILED,
			      "what answers on %s is not spprofd; name its socket with --socket",
			      socket);
	case -ENOMEM:
		return reason(why, SPPROF_EXIT_FAILED, "out of memory");
	default:
		return no_daemon(socket, strerror(-err), why);
	}
}

int fail_call(int err, const char *socket)
{
	OWNS(buffer) struct buffer why = { 0 };

	return fail_reason(fail_call_reason(err, socket, &why), &why);
}

static int json_reason(const json_t *error, struct buffer *why)
{
	json_int_t exit = json_integer_value(json_object_get(error, "exit"));
	const char *message = json_string_value(json_object_get(error, "message"));

	if (exit < SPPROF_EXIT_FAILED || exit > SPPROF_EXIT_UNSUPPORTED)
		exit = SPPROF_EXIT_FAILED;
	return reason(why, exit, "%s", message ? message : "spprofd refused and did not say why");
}

int fail_reply_reason(const struct control_reply *r, struct buffer *why)
{
	bool is_json = r->body.len && r->body.data[0] == '{';
	json_t *json = is_json ? json_loadb(r->body.data, r->body.len, JSON_ALLOW_NUL, NULL) : NULL;
	const json_t *error = json_object_get(json, "error");
	int exit = 0;

	if (json_is_object(error))
		exit = json_reason(error, why);
	else if (r->status != 200)
		exit = reason(why, SPPROF_EXIT_FAILED,
			      "spprofd answered with HTTP status %ld and no reason", r->status);
	json_decref(json);
	return exit;
}

int fail_reply(const struct control_reply *r)
{
	OWNS(buffer) struct buffer why = { 0 };

	return fail_reason(fail_reply_reason(r, &why), &why);
}
