/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears whole or not at all: it is written beside its place under another
 * name and renamed. What is there already stays until then. Devices and pipes are written
 * to as they are.
 */
#ifndef SPPROF_CLI_OUTPUT_FILE_H
#define SPPROF_CLI_OUTPUT_FILE_H

#include "base/buffer.h"

#include <stdbool.h>

struct output_file {
	int fd;		 /* -1: not open */
	char *place;	 /* where it goes; NULL: said later, or it is there already */
	char *unplaced;	 /* its name until then, or NULL */
	bool is_emptied; /* at the commit: an old file that can only be written as it is */
};

/*
 * @path: "-" is standard output; NULL: a file of the current folder whose name
 * output_file_commit() is told. 0 or -errno, and nothing is there that was not before.
 */
int output_file_open(struct output_file *f, const char *path);

/* Writes @data and puts the file in its place, or under @name if it has none. 0 or -errno. */
int output_file_commit(struct output_file *f, const char *name, const struct buffer *data);

/* Removes what was not committed. */
void output_file_fini(struct output_file *f);

static inline void output_file_cleanup(struct output_file *f)
{
	output_file_fini(f);
}

#endif
