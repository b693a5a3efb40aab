/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon from its command line to its end. */
#ifndef SPPROF_DAEMON_H
#define SPPROF_DAEMON_H

/* Returns the exit code: 0 ended by SIGTERM or SIGINT, 1 failed, 2 usage. */
int daemon_main(int argc, char **argv);

#endif
