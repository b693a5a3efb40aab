/* SPDX-License-Identifier: Apache-2.0 */
/* What may follow a verb: one table of options, each with the verbs that take it. */
#ifndef SPPROF_CLI_OPTIONS_H
#define SPPROF_CLI_OPTIONS_H

#include "base/buffer.h"
#include "export/exporter.h"

#include <stdbool.h>
#include <sys/types.h>

enum cli_verb_bit {
	FOR_STATUS = 1 << 0,
	FOR_LIST = 1 << 1,
	FOR_DUMP = 1 << 2,
	FOR_RECORD = 1 << 3,
	FOR_ALL = FOR_STATUS | FOR_LIST | FOR_DUMP | FOR_RECORD,
};

struct cli_options {
	const char *socket;
	bool wants_help; /* then nothing else was checked */
	bool as_json;
	pid_t pid; /* 0: none */
	bool all_processes;
	char **command; /* a program to start, with its arguments, or NULL */
	double seconds; /* 0: until stopped */
	unsigned int hz;
	const struct exporter *format;
	const char *output; /* NULL: a name of our own; "-": standard output */
	struct export_options shape;
};

/*
 * @argv[0] is the verb's name. Returns 0, or SPPROF_EXIT_USAGE and what is wrong in
 * @message, in one line. Texts in *@out point into @argv or the environment.
 */
int options_parse(enum cli_verb_bit verb, int argc, char **argv, struct cli_options *out,
		  struct buffer *message);

/* Appends a line for each option that the verb takes. */
void options_help(enum cli_verb_bit verb, struct buffer *out);

#endif
