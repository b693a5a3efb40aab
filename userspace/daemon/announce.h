/* SPDX-License-Identifier: Apache-2.0 */
/* What the journal is told of a configuration that is in force from now on. */
#ifndef SPPROF_ANNOUNCE_H
#define SPPROF_ANNOUNCE_H

struct config;

/* One line: the version, the kernel, the processors that are online, and @config. */
void announce_start(const struct config *config);
void announce_reload(const struct config *config);

#endif
