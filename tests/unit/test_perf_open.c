/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/perf_open.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* What goes over the wire, as a second opinion. */
struct wire {
	uint32_t kind;
	int32_t cpu;
	uint64_t period_ns;
	char more[4096];
};
#define REQUEST_BYTES 16
#define MS 1000000ull
#define SOMEBODY 12345

/* An opener in a thread, which has no right to open anything; none of these comes that far. */
struct opener {
	int client, end;
	int result;
	pthread_t thread;
};

static void *serve(void *ctx)
{
	struct opener *o = ctx;

	o->result = perf_open_serve(o->end);
	close(o->end);
	return NULL;
}

static void start(struct opener *o)
{
	int pair[2];

	cr_assert(zero(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)));
	*o = (struct opener){ .client = pair[0], .end = pair[1], .result = 1 };
	cr_assert(zero(pthread_create(&o->thread, NULL, serve, o)));
}

static int finish(struct opener *o)
{
	if (o->client >= 0)
		close(o->client);
	pthread_join(o->thread, NULL);
	return o->result;
}

/* The answer's errno; it must come without a descriptor. */
static int ask(const struct opener *o, const struct wire *request, size_t bytes)
{
	char control[64];
	int32_t err = 0;
	struct iovec to = { &err, sizeof(err) };
	struct msghdr message = { .msg_iov = &to,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };

	cr_assert(eq(sz, send(o->client, request, bytes, 0), bytes));
	cr_assert(eq(sz, recvmsg(o->client, &message, 0), sizeof(err)));
	cr_assert(zero(sz, message.msg_controllen));
	return err;
}

static const struct {
	const char *what;
	struct wire request;
	size_t bytes;
} wrong[] = {
	{ "no kind", { 0, 0, 10 * MS, "" }, REQUEST_BYTES },
	{ "another kind", { 2, 0, 10 * MS, "" }, REQUEST_BYTES },
	{ "no processor", { 1, -1, 10 * MS, "" }, REQUEST_BYTES },
	{ "the lowest number", { 1, INT32_MIN, 10 * MS, "" }, REQUEST_BYTES },
	{ "no period", { 1, 0, 0, "" }, REQUEST_BYTES },
	{ "a period too short", { 1, 0, 89999, "" }, REQUEST_BYTES },
	{ "a period too long", { 1, 0, 10000 * MS + 1, "" }, REQUEST_BYTES },
	{ "an endless period", { 1, 0, UINT64_MAX, "" }, REQUEST_BYTES },
	{ "one byte", { 1, 0, 10 * MS, "" }, 1 },
	{ "a byte less", { 1, 0, 10 * MS, "" }, REQUEST_BYTES - 1 },
	{ "a byte more", { 1, 0, 10 * MS, "" }, REQUEST_BYTES + 1 },
	{ "far too long", { 1, 0, 10 * MS, "" }, sizeof(struct wire) },
};

Test(perf_open, what_is_no_request_is_refused_and_the_next_is_answered, .timeout = 20)
{
	struct opener o;

	start(&o);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert(eq(int, ask(&o, &wrong[i].request, wrong[i].bytes), -EINVAL), "%s",
			  wrong[i].what);
	cr_assert(zero(finish(&o)));
}

/* A uprobe's, as a second opinion. */
struct uprobe_wire {
	uint32_t kind;
	int32_t pid;
	uint64_t offset;
	uint32_t ref_ctr_offset;
	uint32_t is_return;
};

static const struct {
	const char *what;
	const char *path; /* whose descriptor goes with it; NULL: none */
	struct uprobe_wire request;
} wrong_uprobes[] = {
	{ "no file", NULL, { 2, 1, 0, 0, 0 } },
	{ "a folder", "/", { 2, 1, 0, 0, 0 } },
	{ "a device", "/dev/null", { 2, 1, 0, 0, 0 } },
	{ "all processes", "/proc/self/exe", { 2, -1, 0, 0, 0 } },
	{ "no process", "/proc/self/exe", { 2, 0, 0, 0, 0 } },
	{ "behind the file", "/proc/self/exe", { 2, 1, 1ull << 40, 0, 0 } },
	{ "a negative place", "/proc/self/exe", { 2, 1, 1ull << 63, 0, 0 } },
	{ "half a return", "/proc/self/exe", { 2, 1, 0, 0, 2 } },
};

/* As ask(), with a descriptor of the file at @path. */
static int ask_uprobe(const struct opener *o, const struct uprobe_wire *request, const char *path)
{
	OWNS_FD int file = path ? open(path, O_PATH | O_CLOEXEC) : -1;
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec bytes = { (void *)request, sizeof(*request) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	int32_t err = 0;

	if (path) {
		struct cmsghdr *header = (struct cmsghdr *)control;

		*header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
					    .cmsg_level = SOL_SOCKET,
					    .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(header), &file, sizeof(file));
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
	}
	cr_assert(eq(sz, sendmsg(o->client, &message, 0), sizeof(*request)));
	cr_assert(eq(sz, recv(o->client, &err, sizeof(err), 0), sizeof(err)));
	return err;
}

Test(perf_open, a_uprobe_that_has_no_place_is_refused, .timeout = 20)
{
	struct opener o;

	start(&o);
	for (size_t i = 0; i < sizeof(wrong_uprobes) / sizeof(wrong_uprobes[0]); i++)
		cr_assert(eq(int, ask_uprobe(&o, &wrong_uprobes[i].request, wrong_uprobes[i].path),
			     -EINVAL),
			  "%s", wrong_uprobes[i].what);
	cr_assert(zero(finish(&o)));
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

Test(perf_open, descriptors_that_came_are_closed, .timeout = 20)
{
	struct uprobe_wire request = { 2, 0, 0, 0, 0 };
	struct opener o;

	start(&o);
	int before = count_descriptors();

	for (int i = 0; i < 5; i++)
		cr_assert(eq(int, ask_uprobe(&o, &request, "/proc/self/exe"), -EINVAL));
	request.kind = 1; /* with one that is none of its business */
	cr_assert(eq(int, ask_uprobe(&o, &request, "/proc/self/exe"), -EINVAL));
	cr_assert(zero(finish(&o)));
	cr_assert(eq(int, count_descriptors(), before - 2));
}

Test(perf_open, a_client_that_does_not_wait_ends_it_without_a_signal, .timeout = 20)
{
	struct opener o;

	start(&o);
	for (int i = 0; i < 10; i++)
		cr_assert(
			eq(sz, send(o.client, &wrong[0].request, REQUEST_BYTES, 0), REQUEST_BYTES));
	cr_assert(le(finish(&o), 0));
}

/* A listener on a name of its own that no file has; *@name is what to connect to. */
static int listen_unnamed(struct sockaddr_un *name, socklen_t *length)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	*length = sizeof(*name);
	cr_assert(zero(bind(fd, (struct sockaddr *)name, sizeof(sa_family_t))));
	cr_assert(zero(getsockname(fd, (struct sockaddr *)name, length)));
	cr_assert(zero(listen(fd, 1)));
	return fd;
}

Test(perf_open, the_service_takes_its_user_and_ends_when_idle, .timeout = 20)
{
	struct sockaddr_un name;
	socklen_t length;
	uid_t caller = 0;
	OWNS_FD int listener = listen_unnamed(&name, &length);
	OWNS_FD int client = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	cr_assert(eq(int, perf_open_accept(listener, 1, getuid(), &caller), -ETIMEDOUT));
	cr_assert(zero(connect(client, (struct sockaddr *)&name, length)));
	OWNS_FD int taken = perf_open_accept(listener, 1000, getuid(), &caller);
	cr_assert(ge(taken, 0));
}

Test(perf_open, the_service_turns_another_user_away, .timeout = 20)
{
	struct sockaddr_un name;
	socklen_t length;
	uid_t caller = 0;
	char byte;
	OWNS_FD int listener = listen_unnamed(&name, &length);
	OWNS_FD int client = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (!getuid()) /* who is never turned away */
		cr_assert(zero(setresuid(SOMEBODY, SOMEBODY, SOMEBODY)));
	cr_assert(zero(connect(client, (struct sockaddr *)&name, length)));
	cr_assert(eq(int, perf_open_accept(listener, 1000, getuid() + 1, &caller), -EACCES));
	cr_assert(eq(uint, caller, getuid()));
	cr_assert(zero(recv(client, &byte, 1, 0)));
}

Test(perf_open, a_path_that_is_none_is_an_error)
{
	char path[200];

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	cr_assert(eq(int, perf_open_connect(path), -ENAMETOOLONG));
	cr_assert(eq(int, perf_open_connect("/nonexistent/opener"), -ENOENT));
}
