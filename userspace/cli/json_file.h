/* SPDX-License-Identifier: Apache-2.0 */
/* json_file - a file of JSON objects, one a line, that is there when all are. */
#ifndef SPPROF_CLI_JSON_FILE_H
#define SPPROF_CLI_JSON_FILE_H

#include "cli/options.h"
#include "cli/output_file.h"

#include <jansson.h>

struct json_file {
	const struct cli_options *options;
	struct output_file file;
	struct buffer text;
	size_t objects;
	pid_t pid; /* of the first */
};

#define JSON_FILE_NONE                \
	{                             \
		.file = { .fd = -1 }, \
	}

/* Where @o says. 0, or the exit code, and the error has been printed. */
int json_file_open(struct json_file *f, const struct cli_options *o);

/* Adds what is known of process @pid. */
void json_file_add(struct json_file *f, pid_t pid, const json_t *object);

/* As json_file_open(); tells what was written. */
int json_file_commit(struct json_file *f);

void json_file_fini(struct json_file *f);

static inline void json_file_cleanup(struct json_file *f)
{
	json_file_fini(f);
}

#endif
