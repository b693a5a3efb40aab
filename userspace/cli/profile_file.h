/* SPDX-License-Identifier: Apache-2.0 */
/* profile_file - a profile that the daemon sent, into a file of the format asked for. */
#ifndef SPPROF_CLI_PROFILE_FILE_H
#define SPPROF_CLI_PROFILE_FILE_H

#include "base/buffer.h"
#include "cli/options.h"
#include "cli/output_file.h"

/* Where @o says. 0, or the exit code, and the error has been printed. */
int profile_file_open(struct output_file *file, const struct cli_options *o);

/* What goes into a file. */
struct made_file {
	const char *ending; /* of a name of our own, with its dots */
	const char *target; /* what it is of, for that name */
	const struct buffer *bytes;
	const struct buffer *about; /* what to tell of it; may be empty */
};

/* Puts @made where @o says, or under a name of our own, and tells. As profile_file_open(). */
int profile_file_place(const struct cli_options *o, struct output_file *file,
		       const struct made_file *made);

/*
 * Writes @p, which came as @pprof (used up), and tells what it holds. @target: what was
 * profiled, for a name of our own. 0, or the exit code, and the error has been printed.
 */
int profile_file_write(const struct cli_options *o, const struct profile *p, struct buffer *pprof,
		       const char *target, struct output_file *file);

/* Appends "99, 4999 Hz": the rates that really ran; nothing if they are not known. */
void profile_file_add_rates(struct buffer *out, const struct profile *p);

/* Appends what is told of a profile: its samples, their rates, what was lost, its length. */
void profile_file_add_about(struct buffer *out, const struct profile *p);

#endif
