/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *name;
	enum log_level most;
	bool has_journal;
} sink = { .name = "spprof", .most = LVL_INFO };

void log_open(const char *name, enum log_level most)
{
	sink.name = name;
	sink.most = most;
	sink.has_journal = getenv("JOURNAL_STREAM") != NULL;
}

void log_write(enum log_level level, int err, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (level > sink.most)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (sink.has_journal)
		fprintf(stderr, "<%d>", level);
	if (err)
		fprintf(stderr, "%s: %s: %s\n", sink.name, text, strerror(-err));
	else
		fprintf(stderr, "%s: %s\n", sink.name, text);
}
