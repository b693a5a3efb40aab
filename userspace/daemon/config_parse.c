/* SPDX-License-Identifier: Apache-2.0 */
/* One file's text: lines, keys, and what is said of those that are wrong. */
#include "daemon/config.h"

#include "base/utf8.h"
#include "daemon/config_value.h"
#include "spprof_api.h"
#include "spprof_event.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define LINE_BYTES 1000
#define BLANKS " \t"
#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define SECOND_NS 1000000000ull

const struct config config_default = {
	.socket = SPPROF_SOCKET_DEFAULT,
	.sample_hz = SPPROF_HZ_DEFAULT,
	.stack_depth = SP_FRAMES_USUAL,
	.window_ns = 600 * SECOND_NS,
	.window_bytes = 64 * MIB,
	.recording_bytes = 512 * MIB,
	.connections = 128,
	.connections_per_user = 32,
	.recordings_per_user = 16,
};

enum key_kind {
	KEY_PATH,   /* char[] of the socket's size */
	KEY_COUNT,  /* unsigned int */
	KEY_TIME,   /* uint64_t, nanoseconds */
	KEY_AMOUNT, /* uint64_t, bytes */
};

/* Each key of the file: a line here, one in systemd/spprofd.conf and in man/spprofd.conf.5. */
static const struct key {
	const char *name;
	enum key_kind kind;
	size_t at; /* in struct config */
	uint64_t min, max;
	bool may_be_0; /* although it is below @min */
} keys[] = {
#define AT(member) offsetof(struct config, member)
	{ "socket", KEY_PATH, AT(socket), 0, 0, false },
	{ "sample_hz", KEY_COUNT, AT(sample_hz), SPPROF_HZ_MIN, SPPROF_HZ_MAX, true },
	{ "stack_depth", KEY_COUNT, AT(stack_depth), 1, SP_MAX_FRAMES, false },
	{ "window_length", KEY_TIME, AT(window_ns), 10 * SECOND_NS, 3600 * SECOND_NS, false },
	{ "window_memory", KEY_AMOUNT, AT(window_bytes), MIB, 4 * GIB, false },
	{ "recording_memory", KEY_AMOUNT, AT(recording_bytes), MIB, 4 * GIB, false },
	{ "connections", KEY_COUNT, AT(connections), 4, 4096, false },
	{ "connections_per_user", KEY_COUNT, AT(connections_per_user), 1, 4096, false },
	{ "recordings_per_user", KEY_COUNT, AT(recordings_per_user), 1, 1024, false },
#undef AT
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

struct parser {
	const char *name; /* of the file */
	unsigned int line;
	unsigned int set_in[KEYS]; /* the line that sets this key; 0: none so far */
	struct config *config;
	struct buffer *why;
};

/* What the file holds is shown, in part if it is long, but never handed to a terminal. */
static int fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct parser *p, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	utf8_add_visible(p->why, p->name);
	buffer_print(p->why, ":%u: ", p->line);
	utf8_add_visible(p->why, text);
	return -EINVAL;
}

static const struct config_unit *units_of(const struct key *k)
{
	return k->kind == KEY_TIME ? config_times : k->kind == KEY_AMOUNT ? config_sizes : NULL;
}

static void add_range(struct buffer *out, const struct key *k)
{
	buffer_add_text(out, k->may_be_0 ? "0, or " : "");
	config_value_add(out, k->min, units_of(k));
	buffer_add_text(out, " to ");
	config_value_add(out, k->max, units_of(k));
}

static int fail_number(struct parser *p, const struct key *k, const char *value, int err)
{
	OWNS(buffer) struct buffer allowed = { 0 };
	const char *what = err == -ENODATA   ? "lacks its unit: one of"
			   : err == -ENOTSUP ? "has an unknown unit; there are"
			   : err == -ERANGE  ? "is out of range:"
			   : units_of(k)     ? "is not a whole number with its unit:"
					     : "is not a whole number:";

	if (err == -ENODATA || err == -ENOTSUP)
		config_units_add(&allowed, units_of(k));
	else
		add_range(&allowed, k);
	return fail(p, "%s = %.80s %s %s", k->name, value, what, allowed.data ? allowed.data : "");
}

static int set_number(struct parser *p, const struct key *k, const char *value)
{
	char *field = (char *)p->config + k->at;
	uint64_t number;
	int err = config_value(value, units_of(k), &number);

	if (!err && !(number >= k->min && number <= k->max) && !(number == 0 && k->may_be_0))
		err = -ERANGE;
	if (err)
		return fail_number(p, k, value, err);
	if (k->kind == KEY_COUNT)
		*(unsigned int *)field = number;
	else
		*(uint64_t *)field = number;
	return 0;
}

static int set_path(struct parser *p, const struct key *k, const char *value)
{
	size_t len = strlen(value);

	if (*value != '/')
		return fail(p, "%s = %.80s is not an absolute path", k->name, value);
	if (len >= sizeof(p->config->socket))
		return fail(p, "%s = %.80s… has %zu bytes: a socket's path has at most %zu",
			    k->name, value, len, sizeof(p->config->socket) - 1);
	memcpy((char *)p->config + k->at, value, len + 1);
	return 0;
}

static int fail_unknown(struct parser *p, const char *name)
{
	OWNS(buffer) struct buffer names = { 0 };

	for (size_t i = 0; i < KEYS; i++)
		buffer_print(&names, "%s%s", i ? ", " : "", keys[i].name);
	return fail(p, "unknown key \"%.80s\"; there are %s", name, names.data ? names.data : "");
}

static int set(struct parser *p, const char *name, const char *value)
{
	size_t i = 0;

	while (i < KEYS && strcmp(keys[i].name, name))
		i++;
	if (i == KEYS)
		return fail_unknown(p, name);
	if (p->set_in[i])
		return fail(p, "%s is set a second time; line %u has it already", name,
			    p->set_in[i]);
	p->set_in[i] = p->line;
	if (!*value)
		return fail(p, "%s has no value", name);
	return keys[i].kind == KEY_PATH ? set_path(p, &keys[i], value)
					: set_number(p, &keys[i], value);
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

/* A "#" inside a word, as a path may have it, begins no comment. */
static void cut_comment(char *line)
{
	for (char *at = line; (at = strchr(at, '#')); at++)
		if (at == line || strchr(BLANKS, at[-1])) {
			*at = '\0';
			return;
		}
}

/* The line without its comment and the blanks around it. */
static int apply(struct parser *p, char *line)
{
	char *value = strchr(line, '=');

	if (!*line)
		return 0;
	if (*line == '[')
		return fail(p, "\"%.80s\" is a section: there are none, only \"key = value\" lines",
			    line);
	if (!value)
		return fail(p, "\"%.80s\" is not \"key = value\"", line);
	*value++ = '\0';
	return set(p, trim(line), trim(value));
}

static int parse_line(struct parser *p, const char *text, size_t len)
{
	char line[LINE_BYTES + 1];

	if (len && text[len - 1] == '\r') /* written on Windows */
		len--;
	if (len > LINE_BYTES)
		return fail(p, "longer than %d bytes", LINE_BYTES);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if ((c < ' ' && c != '\t') || c == 0x7F)
			return fail(p, "has a control character (0x%02x)", c);
	}
	memcpy(line, text, len);
	line[len] = '\0';
	cut_comment(line);
	return apply(p, trim(line));
}

int config_parse(const char *name, const char *text, size_t len, struct config *config,
		 struct buffer *why)
{
	struct parser p = { .name = name, .config = config, .why = why };
	int err = 0;

	for (size_t at = 0, used; at < len && !err; at += used + 1) {
		const char *end = memchr(text + at, '\n', len - at);

		used = end ? (size_t)(end - text) - at : len - at;
		p.line++;
		err = parse_line(&p, text + at, used);
	}
	return err;
}
