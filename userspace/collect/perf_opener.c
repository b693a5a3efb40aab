/* SPDX-License-Identifier: Apache-2.0 */
/* How an opener comes to be: as a child of the daemon, or with a service's listener. */
#include "collect/perf_open.h"

#include "base/cleanup.h"

#include <cap-ng.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int perf_open_confine(void)
{
	capng_select_t sets = CAPNG_SELECT_CAPS;

	if (capng_get_caps_process())
		return -errno;
	if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
		sets = CAPNG_SELECT_BOTH; /* else the bounding set is as the unit made it */
	capng_clear(CAPNG_SELECT_BOTH);
	if (capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_SYS_ADMIN) ||
	    capng_apply(sets))
		return -EPERM;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

static void run_opener(int socket)
{
	int err;

	prctl(PR_SET_NAME, "spprof-perf");
	signal(SIGHUP, SIG_IGN); /* what ends the terminal's session need not end spprofd */
	signal(SIGINT, SIG_IGN);
	if (dup2(socket, STDERR_FILENO + 1) < 0 || close_range(STDERR_FILENO + 2, ~0u, 0))
		_exit(1);
	err = perf_open_confine();
	if (!err)
		err = perf_open_serve(STDERR_FILENO + 1);
	_exit(err ? 1 : 0);
}

int perf_open_spawn(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	switch (fork()) {
	case -1:
		close(pair[0]);
		close(pair[1]);
		return -EAGAIN;
	case 0:
		run_opener(pair[1]);
	}
	close(pair[1]);
	return pair[0];
}

int perf_open_accept(int listener, int idle_ms, uid_t user, uid_t *caller)
{
	struct pollfd waiting = { .fd = listener, .events = POLLIN };
	struct ucred peer;
	socklen_t length = sizeof(peer);
	int ready = poll(&waiting, 1, idle_ms);
	OWNS_FD int fd = -1;

	if (ready <= 0)
		return ready ? -errno : -ETIMEDOUT;
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length))
		return -errno;
	if (peer.uid == 0 || peer.uid == user)
		return TAKE_FD(fd);
	*caller = peer.uid;
	return -EACCES;
}
