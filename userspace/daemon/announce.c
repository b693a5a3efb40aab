/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/announce.h"

#include "base/log.h"
#include "daemon/config.h"
#include "spprof_api.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sys/utsname.h>

#define FIELDS_MAX 12
#define FIELD_BYTES 160

struct fields {
	char text[FIELDS_MAX][FIELD_BYTES];
	const char *list[FIELDS_MAX + 1];
	unsigned int count;
};

static void add(struct fields *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct fields *f, const char *format, ...)
{
	va_list args;

	if (f->count == FIELDS_MAX)
		return;
	va_start(args, format);
	vsnprintf(f->text[f->count], FIELD_BYTES, format, args);
	va_end(args);
	f->list[f->count] = f->text[f->count];
	f->count++;
}

static void add_config(struct fields *f, const struct config *c)
{
	add(f, "SPPROF_SOCKET=%s", c->socket);
	add(f, "SPPROF_SAMPLE_HZ=%u", c->sample_hz);
	add(f, "SPPROF_WINDOW_LENGTH_S=%" PRIu64, c->window_ns / 1000000000);
	add(f, "SPPROF_WINDOW_BYTES=%" PRIu64, c->window_bytes);
	add(f, "SPPROF_RECORDING_BYTES=%" PRIu64, c->recording_bytes);
	add(f, "SPPROF_CONNECTIONS=%u", c->connections);
	add(f, "SPPROF_CONNECTIONS_PER_USER=%u", c->connections_per_user);
	add(f, "SPPROF_RECORDINGS_PER_USER=%u", c->recordings_per_user);
}

void announce_start(const struct config *config)
{
	OWNS(buffer) struct buffer says = { 0 };
	struct fields f = { .count = 0 };
	struct utsname kernel = { 0 };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	(void)uname(&kernel);
	add(&f, "SPPROF_VERSION=%s", SPPROF_VERSION);
	add(&f, "SPPROF_KERNEL=%s", kernel.release);
	add(&f, "SPPROF_PROCESSORS=%ld", processors);
	add_config(&f, config);
	config_describe(config, &says);
	log_event(LVL_INFO, f.list, "version %s on Linux %s with %ld processor%s: %s",
		  SPPROF_VERSION, kernel.release, processors, processors == 1 ? "" : "s",
		  says.data ? says.data : "");
}

void announce_reload(const struct config *config)
{
	OWNS(buffer) struct buffer says = { 0 };
	struct fields f = { .count = 0 };

	add_config(&f, config);
	config_describe(config, &says);
	log_event(LVL_INFO, f.list, "configuration read again: %s", says.data ? says.data : "");
}
