/* SPDX-License-Identifier: Apache-2.0 */
/* types_watch - scans a process once or repeatedly, and tells what grew. */
#ifndef SPPROF_CLI_TYPES_WATCH_H
#define SPPROF_CLI_TYPES_WATCH_H

struct cli_options;

/*
 * `snapshot --diff` and `--every`: until there were enough scans, a signal comes, or the process
 * cannot be scanned any more; then what is known is printed. 0, or the exit code, and the error
 * has been printed.
 */
int types_watch(const struct cli_options *o);

#endif
