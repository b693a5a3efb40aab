/* SPDX-License-Identifier: Apache-2.0 */
/* source - the profile whose calls are looked at: from a file, or from the daemon. */
#ifndef SPPROF_CLI_SOURCE_H
#define SPPROF_CLI_SOURCE_H

#include "cli/options.h"
#include "import/import.h"
#include "profile/profile.h"

struct source {
	struct profile *profile;
	const char *format;	   /* "collapsed", …, or "live" */
	struct import_facts facts; /* of a live one: no event, nothing pruned */
	struct buffer warnings;	   /* a line each, without the file's name; no newline at the end */
};

/*
 * Of the file @name as @request says (but for what was passed); of live processes. Each
 * returns 0, and *@out, which is the caller's; or the exit code, and the error was printed.
 */
int source_read_file(const char *name, const struct import_request *request, struct source *out);
int source_read_live(const struct cli_options *o, struct source *out);
void source_fini(struct source *s);

static inline void source_cleanup(struct source *s)
{
	source_fini(s);
}

/* What the options say of how files are read. */
struct import_request source_request(const struct cli_input *in);

/* "standard input" for "-". */
const char *source_name(const char *name);

#endif
