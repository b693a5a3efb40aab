/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/perf_open.h"

#include "base/cleanup.h"
#include "collect/perf_request.h"

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

union descriptor_message {
	struct cmsghdr header; /* aligns the buffer */
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int open_cpu_clock(const struct perf_clock_request *r)
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

/* Sends @length bytes at @data and, unless it is negative, the descriptor @fd with them. */
static int send_with(int socket, void *data, size_t length, int fd)
{
	union descriptor_message control = { 0 };
	struct iovec bytes = { .iov_base = data, .iov_len = length };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int send_answer(int socket, int32_t err, int fd)
{
	return send_with(socket, &err, sizeof(err), fd);
}

/* The one descriptor that came with @message; -1 if none did. */
static int descriptor_in(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd;

	if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* A request of at most sizeof(*r) bytes, and what descriptor came with it: -1 if none. */
static ssize_t receive_request(int socket, union perf_request *r, int *file)
{
	union descriptor_message control;
	struct iovec bytes = { .iov_base = r, .iov_len = sizeof(*r) };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t got = recvmsg(socket, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC);

	*file = got < 0 ? -1 : descriptor_in(&message);
	return got;
}

static int answer_request(const union perf_request *r, size_t size, int file)
{
	if (size == sizeof(r->clock) && r->kind == OPEN_CPU_CLOCK)
		return open_cpu_clock(&r->clock);
	if (size == sizeof(r->uprobe) && r->kind == OPEN_UPROBE)
		return perf_uprobe_open(&r->uprobe, file);
	return -EINVAL;
}

int perf_open_serve(int socket)
{
	for (;;) {
		union perf_request r = { 0 };
		OWNS_FD int file = -1;
		ssize_t got = receive_request(socket, &r, &file); /* how long it was */
		OWNS_FD int fd = -1;
		int err;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		fd = answer_request(&r, got, file);
		err = send_answer(socket, fd < 0 ? fd : 0, fd);
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
	int fd;

	if (got < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (got != sizeof(err))
		return -ECONNRESET; /* the opener is gone */
	if (err < 0)
		return err;
	fd = descriptor_in(&message);
	return fd < 0 ? -EPROTO : fd;
}

int perf_open_cpu_clock(int socket, int cpu, uint64_t period_ns)
{
	struct perf_clock_request r = { OPEN_CPU_CLOCK, cpu, period_ns };
	int err = send_with(socket, &r, sizeof(r), -1);

	return err ? err : receive_answer(socket);
}

int perf_open_uprobe(int socket, int file, const struct perf_uprobe *at)
{
	struct perf_uprobe_request r = { .kind = OPEN_UPROBE,
					 .pid = at->pid,
					 .offset = at->offset,
					 .ref_ctr_offset = at->ref_ctr_offset,
					 .is_return = at->is_return };
	int err = send_with(socket, &r, sizeof(r), file);

	return err ? err : receive_answer(socket);
}
