/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/perf_open.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define SHORTEST_NS 90000ull	  /* 10 kHz, the highest rate there is, and room for rounding */
#define LONGEST_NS 10000000000ull /* longer than any clock of ours, and far from overflow */
#define PATIENCE_S 10		  /* with a service that has another client */

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
	int fd;

	if (r->cpu < 0 || r->period_ns < SHORTEST_NS || r->period_ns > LONGEST_NS)
		return -EINVAL;
	fd = syscall(SYS_perf_event_open, &attr, -1, r->cpu, -1, PERF_FLAG_FD_CLOEXEC);
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
		ssize_t got = recv(socket, &r, sizeof(r), MSG_TRUNC); /* how long it was */
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

int perf_open_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = PATIENCE_S };
	OWNS_FD int fd = -1;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return TAKE_FD(fd);
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
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
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
