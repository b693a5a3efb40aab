/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"
#include "import/collapsed.h"
#include "import/gunzip.h"
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
	int (*read)(const void *bytes, size_t len, struct profile *out, struct buffer *why);
} formats[] = {
	{ IMPORT_SPEEDSCOPE, "speedscope", speedscope_may_be_it, import_speedscope },
	{ IMPORT_PPROF, "pprof", pprof_may_be_it, import_pprof_into },
	{ IMPORT_COLLAPSED, "collapsed", collapsed_is_it, import_collapsed },
	{ IMPORT_PERF_SCRIPT, "perf-script", perf_script_is_it, import_perf_script },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

const char *import_kind_name(enum import_kind kind)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].kind == kind)
			return formats[i].name;
	return NULL;
}

static int read_plain(const char *bytes, size_t len, struct profile *out, enum import_kind *kind,
		      struct buffer *why)
{
	if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		bytes += 3;
		len -= 3;
	}
	if (!len)
		return import_refuse(why, -EBADMSG, "the file is empty");
	for (size_t i = 0; i < FORMATS; i++) {
		int err;

		if (!formats[i].is_it(bytes, len))
			continue;
		err = formats[i].read(bytes, len, out, why);
		if (!err)
			*kind = formats[i].kind;
		return err;
	}
	return import_refuse(why, -EBADMSG,
			     "neither collapsed stacks, nor speedscope, pprof or perf script");
}

static int refuse_gzip(struct buffer *why, int err)
{
	if (err == -E2BIG)
		return import_refuse(why, err, "gzip: it holds more than %llu bytes",
				     IMPORT_MAX_UNPACKED);
	return import_refuse(why, err, "gzip: it is damaged or cut");
}

int import_profile(const void *bytes, size_t len, struct profile *out, enum import_kind *kind,
		   struct buffer *why)
{
	struct buffer plain OWNS(buffer) = { 0 };
	int err = 0;

	if (!gunzip_is_gzip(bytes, len)) {
		err = read_plain(bytes, len, out, kind, why);
	} else {
		err = gunzip(bytes, len, IMPORT_MAX_UNPACKED, &plain);
		if (err && err != -ENOMEM)
			return refuse_gzip(why, err);
		if (!err)
			err = read_plain(plain.data, plain.len, out, kind, why);
	}
	return err == -ENOMEM ? import_refuse(why, err, "out of memory") : err;
}
