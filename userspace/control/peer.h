/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a Unix socket, as the kernel noted it at connect(). */
#ifndef SPPROF_CONTROL_PEER_H
#define SPPROF_CONTROL_PEER_H

#include <stdbool.h>
#include <sys/types.h>

#define PEER_GROUP "spprof" /* whose members see every process */
#define PEER_NOBODY ((uid_t)-1)

/* The group's id, or (gid_t)-1 where there is no such group. */
gid_t peer_group_id(const char *name);

/* PEER_NOBODY when the kernel does not say. */
uid_t peer_uid(int fd);

/* Whether the peer's group or one of its supplementary groups is @group. */
bool peer_in_group(int fd, gid_t group);

#endif
