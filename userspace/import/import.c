/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"
#include "import/collapsed.h"
#include "import/gunzip.h"
#include "import/import_file.h"
#include "import/perf_data.h"
#include "import/perf_report.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "import/reason.h"
#include "import/speedscope.h"

#include <string.h>

/* To add a format: write import/<name>.c, and list it in the order they are asked. */
static const struct format {
	enum import_kind kind;
	const char *name;
	bool (*is_it)(const void *bytes, size_t len);
	/* One of these: of perf's own, there is more to ask and to tell than a profile. */
	int (*read)(const void *bytes, size_t len, struct profile *out, struct buffer *why);
	int (*read_perf)(const struct import_file *file, struct profile *out,
			 struct import_facts *facts, struct buffer *why);
} formats[] = {
	{ IMPORT_PERF_DATA, "perf-data", perf_data_is_it, .read_perf = import_perf_data },
	{ IMPORT_PERF_REPORT, "perf-report", perf_report_is_it, .read_perf = import_perf_report },
	{ IMPORT_SPEEDSCOPE, "speedscope", speedscope_may_be_it, .read = import_speedscope },
	{ IMPORT_PPROF, "pprof", pprof_may_be_it, .read = import_pprof_into },
	{ IMPORT_COLLAPSED, "collapsed", collapsed_is_it, .read = import_collapsed },
	{ IMPORT_PERF_SCRIPT, "perf-script", perf_script_is_it, .read_perf = import_perf_script },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

const char *import_kind_name(enum import_kind kind)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].kind == kind)
			return formats[i].name;
	return NULL;
}

void import_facts_fini(struct import_facts *f)
{
	buffer_fini(&f->events);
	profile_pruned_free(f->pruned);
}

static int read_as(const struct format *format, const struct import_file *file, struct profile *out,
		   struct import_facts *facts, struct buffer *why)
{
	facts->kind = format->kind;
	facts->event = -1;
	if (format->read_perf)
		return format->read_perf(file, out, facts, why);
	facts->has_chains = true;
	return format->read(file->bytes, file->len, out, why);
}

static int read_plain(struct import_file file, struct profile *out, struct import_facts *facts,
		      struct buffer *why)
{
	if (file.len >= 3 && memcmp(file.bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		file.bytes += 3;
		file.len -= 3;
	}
	if (!file.len)
		return import_refuse(why, -EBADMSG, "the file is empty");
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].is_it(file.bytes, file.len))
			return read_as(&formats[i], &file, out, facts, why);
	return import_refuse(
		why, -EBADMSG,
		"neither collapsed stacks, nor speedscope, pprof or perf's report, script or data");
}

static int refuse_gzip(struct buffer *why, int err)
{
	if (err == -E2BIG)
		return import_refuse(why, err, "gzip: it holds more than %llu bytes",
				     IMPORT_MAX_UNPACKED);
	return import_refuse(why, err, "gzip: it is damaged or cut");
}

int import_profile(const void *bytes, size_t len, const struct import_request *request,
		   struct profile *out, struct import_facts *facts, struct buffer *why)
{
	struct import_request asked = request ? *request : (struct import_request){ 0 };
	struct import_file file = { .bytes = bytes, .len = len, .request = &asked };
	OWNS(buffer) struct buffer plain = { 0 };
	int err = 0;

	if (gunzip_is_gzip(bytes, len)) {
		err = gunzip(bytes, len, IMPORT_MAX_UNPACKED, &plain);
		if (err && err != -ENOMEM)
			return refuse_gzip(why, err);
		file.bytes = plain.data;
		file.len = plain.len;
		asked.passed = NULL; /* that is of the caller's bytes */
	}
	if (!err)
		err = read_plain(file, out, facts, why);
	return err == -ENOMEM ? import_refuse(why, err, "out of memory") : err;
}
