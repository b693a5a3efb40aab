/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/signals.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>

int signals_open(int also, sigset_t *before)
{
	sigset_t ours;
	int fd;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	if (also)
		sigaddset(&ours, also);
	fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &ours, before);
	return fd;
}

bool signals_came(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

bool signals_wait(int fd, uint64_t time_ns)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	for (uint64_t now = monotonic_ns(); now < time_ns; now = monotonic_ns())
		if (poll(&ready, 1, (time_ns - now) / 1000000 + 1) > 0)
			return false;
	return true;
}
