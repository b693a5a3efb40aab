/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/perf_open.h"

#include "base/cleanup.h"

#include <cap-ng.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum request_kind { OPEN_CPU_CLOCK = 1 };

struct request {
	uint32_t kind;
	int32_t cpu;
	uint64_t period_ns;
};

union descriptor_message {
	struct cmsghdr header; /* aligns the buffer */
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int open_cpu_clock(const struct request *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = r->period_ns,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, r->cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Sends @err and, unless it is negative, the descriptor @fd with it. */
static int send_answer(int socket, int32_t err, int fd)
{
	union descriptor_message control = { 0 };
	struct iovec bytes = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (err >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int perf_open_serve(int socket)
{
	struct request r;

	for (;;) {
		ssize_t got = recv(socket, &r, sizeof(r), 0);
		OWNS_FD int fd = -1;
		int err = -EINVAL;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		if (got == sizeof(r) && r.kind == OPEN_CPU_CLOCK)
			err = fd = open_cpu_clock(&r);
		err = send_answer(socket, err < 0 ? err : 0, fd);
		if (err)
			return err;
	}
}

/* The child keeps what opens an event on every processor, and no way back. */
static int keep_only_sys_admin(void)
{
	capng_clear(CAPNG_SELECT_BOTH);
	if (capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_SYS_ADMIN) ||
	    capng_apply(CAPNG_SELECT_BOTH))
		return -EPERM;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

static void run_opener(int socket)
{
	int err;

	prctl(PR_SET_NAME, "spprof-perf");
	if (dup2(socket, STDERR_FILENO + 1) < 0 || close_range(STDERR_FILENO + 2, ~0u, 0))
		_exit(1);
	err = keep_only_sys_admin();
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

static int receive_answer(int socket)
{
	union descriptor_message control;
	int32_t err;
	struct iovec bytes = { .iov_base = &err, .iov_len = sizeof(err) };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int fd;

	if (got < 0)
		return -errno;
	if (got != sizeof(err))
		return -ECONNRESET; /* the opener is gone */
	if (err < 0)
		return err;
	if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -EPROTO;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

int perf_open_cpu_clock(int socket, int cpu, uint64_t period_ns)
{
	struct request r = { .kind = OPEN_CPU_CLOCK, .cpu = cpu, .period_ns = period_ns };

	if (send(socket, &r, sizeof(r), MSG_NOSIGNAL) < 0)
		return -errno;
	return receive_answer(socket);
}
