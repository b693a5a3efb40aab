/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: verbs, each in a file of its own. */
#ifndef SPPROF_CLI_H
#define SPPROF_CLI_H

struct cli_options;

/* All of spprofctl; the program's exit code (enum spprof_exit, or a profiled program's). */
int cli_main(int argc, char **argv);

/* The verbs. Each returns the exit code and has printed its one line of error, if any. */
int cli_status(const struct cli_options *o);
int cli_list(const struct cli_options *o);
int cli_dump(const struct cli_options *o);
int cli_record(const struct cli_options *o);
int cli_snapshot(const struct cli_options *o);
int cli_top(const struct cli_options *o);
int cli_tree(const struct cli_options *o);
int cli_hierarchy(const struct cli_options *o);
int cli_heap(const struct cli_options *o);

#endif
