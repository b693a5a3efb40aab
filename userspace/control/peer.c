/* SPDX-License-Identifier: Apache-2.0 */
#include "control/peer.h"

#include "base/cleanup.h"

#include <errno.h>
#include <grp.h>
#include <sys/socket.h>

#define GROUP_ENTRY_MAX (1 << 20) /* a directory's group may list thousands of members */

gid_t peer_group_id(const char *name)
{
	for (size_t room = 1024; room <= GROUP_ENTRY_MAX; room *= 2) {
		OWNS_MEM char *text = malloc(room);
		struct group entry, *found = NULL;
		int err = text ? getgrnam_r(name, &entry, text, room, &found) : ENOMEM;

		if (err != ERANGE)
			return found ? entry.gr_gid : (gid_t)-1;
	}
	return (gid_t)-1;
}

static bool peer_credentials(int fd, struct ucred *who)
{
	socklen_t len = sizeof(*who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, who, &len) && len == sizeof(*who);
}

uid_t peer_uid(int fd)
{
	struct ucred who;

	return peer_credentials(fd, &who) ? who.uid : PEER_NOBODY;
}

bool peer_in_group(int fd, gid_t group)
{
	OWNS_MEM gid_t *groups = NULL;
	struct ucred who;
	socklen_t len = 0;

	if (group == (gid_t)-1 || !peer_credentials(fd, &who))
		return false;
	if (who.gid == group)
		return true;
	/* With no room the kernel says how much it needs; 0 and no error: no groups. */
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) || errno != ERANGE)
		return false;
	groups = malloc(len);
	if (!groups || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		return false;
	for (size_t i = 0; i < len / sizeof(*groups); i++)
		if (groups[i] == group)
			return true;
	return false;
}
