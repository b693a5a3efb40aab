/* SPDX-License-Identifier: Apache-2.0 */
/* A Unix socket to listen on, and its removal. */
#ifndef SPPROF_CONTROL_LISTEN_H
#define SPPROF_CONTROL_LISTEN_H

#include "base/cleanup.h"

#include <sys/types.h>

/* A path in the file system and what we put there. */
struct listen_place {
	char *path;
	dev_t device;
	ino_t inode;
};

/*
 * A listening, non-blocking socket at @path, open to everybody (mode 0666). One that
 * nobody answers on is replaced. Returns the descriptor and fills *@place, or
 * -EADDRINUSE: somebody answers there; -EEXIST: something else than a socket is there;
 * -ENAMETOOLONG; or what the kernel said.
 */
int listen_at(const char *path, struct listen_place *place);

/* Removes the socket, if it is still ours, and frees what @place holds. */
void listen_place_fini(struct listen_place *place);

static inline void listen_place_cleanup(struct listen_place *place)
{
	listen_place_fini(place);
}

#endif
