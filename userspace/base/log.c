/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/utf8.h"

#define SD_JOURNAL_SUPPRESS_LOCATION /* it would be this file's, always */

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-journal.h>

#define FIELDS_MAX 16
#define OWN_FIELDS 4

static struct {
	const char *name;
	enum log_level most;
	bool is_journal;
} sink = { .name = "spprof", .most = LVL_INFO };

/* JOURNAL_STREAM is inherited by whoever sends stderr elsewhere: it must be that file. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == device && st.st_ino == inode;
}

void log_open(const char *name, enum log_level most)
{
	sink.name = name;
	sink.most = most;
	sink.is_journal = stderr_is_journal();
}

static struct iovec field_of(char *text)
{
	return (struct iovec){ .iov_base = text, .iov_len = strlen(text) };
}

/* False if the journal did not take it. */
static bool send_entry(enum log_level level, int err, const char *const *fields, char *message)
{
	char priority[24], name[64], number[24];
	struct iovec all[OWN_FIELDS + FIELDS_MAX] = { field_of(message) };
	int count = 1;

	snprintf(priority, sizeof(priority), "PRIORITY=%d", level);
	snprintf(name, sizeof(name), "SYSLOG_IDENTIFIER=%s", sink.name);
	snprintf(number, sizeof(number), "ERRNO=%d", -err);
	all[count++] = field_of(priority);
	all[count++] = field_of(name);
	if (err)
		all[count++] = field_of(number);
	for (int i = 0; fields && fields[i] && i < FIELDS_MAX; i++)
		all[count++] = field_of((char *)fields[i]);
	return sd_journal_sendv(all, count) >= 0;
}

static void write_message(enum log_level level, int err, const char *const *fields,
			  const char *text)
{
	OWNS(buffer) struct buffer message = { 0 };

	buffer_add_text(&message, "MESSAGE=");
	utf8_add_visible(&message, text);
	if (err)
		buffer_print(&message, ": %s", strerror(-err));
	if (buffer_error(&message))
		fprintf(stderr, "%s: out of memory\n", sink.name);
	else if (!sink.is_journal || !send_entry(level, err, fields, message.data))
		fprintf(stderr, "%s: %s\n", sink.name, message.data + strlen("MESSAGE="));
}

__attribute__((format(printf, 4, 0))) static void write_formatted(enum log_level level, int err,
								  const char *const *fields,
								  const char *format, va_list args)
{
	char text[1024];

	if (level > sink.most)
		return;
	vsnprintf(text, sizeof(text), format, args);
	write_message(level, err, fields, text);
}

void log_write(enum log_level level, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_formatted(level, err, NULL, format, args);
	va_end(args);
}

void log_event(enum log_level level, const char *const *fields, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_formatted(level, 0, fields, format, args);
	va_end(args);
}
