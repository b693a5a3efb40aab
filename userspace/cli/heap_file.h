/* SPDX-License-Identifier: Apache-2.0 */
/* heap_file - the heaps of what is selected, scanned now and written as a profile in bytes. */
#ifndef SPPROF_CLI_HEAP_FILE_H
#define SPPROF_CLI_HEAP_FILE_H

struct cli_options;

/* 0, or the exit code, and the error has been printed: of the first process that has one. */
int heap_file_write(const struct cli_options *o);

#endif
