/* SPDX-License-Identifier: Apache-2.0 */
/* tree_source - the profile that a call tree is made of: from a file, or from the daemon. */
#ifndef SPPROF_CLI_TREE_SOURCE_H
#define SPPROF_CLI_TREE_SOURCE_H

#include "cli/options.h"
#include "profile/profile.h"

struct tree_source {
	struct profile *profile;
	const char *format; /* "collapsed", …, or "live" */
};

/* 0 and *@out, whose profile is the caller's; or the exit code, and the error was printed. */
int tree_source_read(const struct cli_options *o, struct tree_source *out);

#endif
