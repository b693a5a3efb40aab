/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of the control API: a server in a thread of its own, the client in the test. */
#include "control/client.h"
#include "control/peer.h"
#include "control/server.h"

#include "served.h"
#include "spprof_api.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define LATER_US 20000
#define BIG (3u << 20)

struct fixture {
	struct served served;
	atomic_int gone;
};

/* A kept request and how it ends. */
struct pending {
	struct fixture *f;
	struct control_request *request;
	void (*answer)(struct control_request *r);
};

static void answer_text(struct control_request *r)
{
	struct buffer body = { 0 };

	buffer_add_text(&body, "late");
	control_answer_bytes(r, "text/plain", &body);
}

static void answer_big(struct control_request *r)
{
	struct buffer body = { 0 };

	for (unsigned int i = 0; i < BIG / 4; i++)
		buffer_add(&body, &i, sizeof(i));
	control_answer_bytes(r, "application/octet-stream", &body);
}

static void answer_failure(struct control_request *r)
{
	control_answer_error(r, SPPROF_EXIT_UNSUPPORTED, "pid %d is not Python", 7);
}

static int on_later(sd_event_source *source, uint64_t now, void *ctx)
{
	struct pending *p = ctx;

	(void)now;
	p->answer(p->request);
	free(p);
	sd_event_source_unref(source);
	return 0;
}

static void on_gone(void *ctx)
{
	struct fixture *f = ctx;

	atomic_fetch_add(&f->gone, 1);
}

static void answer_later(struct control_request *r, struct fixture *f,
			 void (*answer)(struct control_request *r))
{
	struct pending *p = malloc(sizeof(*p));
	sd_event_source *source;

	*p = (struct pending){ .f = f, .request = r, .answer = answer };
	sd_event_add_time_relative(f->served.loop, &source, CLOCK_MONOTONIC, LATER_US, 1, on_later,
				   p);
}

static void begin(struct control_request *r, struct fixture *f)
{
	control_keep(r, on_gone, f);
	control_begin(r, "application/octet-stream", SPPROF_SESSION_HEADER, "s42");
}

static void handle_now(struct control_request *r, void *ctx)
{
	(void)ctx;
	control_answer_json(r, json_pack("{s:b}", "ok", 1));
}

static void handle_later(struct control_request *r, void *ctx)
{
	control_keep(r, on_gone, ctx);
	answer_later(r, ctx, answer_text);
}

static void handle_kept_then_now(struct control_request *r, void *ctx)
{
	control_keep(r, on_gone, ctx);
	control_answer_json(r, json_pack("{s:b}", "ok", 1));
}

static void handle_begun(struct control_request *r, void *ctx)
{
	begin(r, ctx);
	answer_later(r, ctx, answer_text);
}

static void handle_begun_then_now(struct control_request *r, void *ctx)
{
	begin(r, ctx);
	answer_text(r);
}

static void handle_big(struct control_request *r, void *ctx)
{
	begin(r, ctx);
	answer_later(r, ctx, answer_big);
}

static void handle_begun_failure(struct control_request *r, void *ctx)
{
	begin(r, ctx);
	answer_later(r, ctx, answer_failure);
}

static void handle_failure(struct control_request *r, void *ctx)
{
	const char *code = control_query(r, "exit");

	(void)ctx;
	control_answer_error(r, code ? atoi(code) : 1, "no %s \"here\"", "thing");
}

static void handle_forever(struct control_request *r, void *ctx)
{
	control_keep(r, on_gone, ctx);
}

static void handle_begun_forever(struct control_request *r, void *ctx)
{
	begin(r, ctx);
}

static void handle_who(struct control_request *r, void *ctx)
{
	(void)ctx;
	control_answer_json(r, json_pack("{s:I,s:b}", "uid", (json_int_t)control_uid(r), "all",
					 control_sees_all(r)));
}

static void handle_item(struct control_request *r, void *ctx)
{
	const char *q = control_query(r, "q");

	(void)ctx;
	control_answer_json(r, json_pack("[s,s,s?,s?]", control_segment(r, 0),
					 control_segment(r, 1), control_segment(r, 2), q));
}

static const struct control_endpoint endpoints[] = {
	{ "GET", "/now", handle_now },
	{ "POST", "/now/stop", handle_now },
	{ "GET", "/later", handle_later },
	{ "GET", "/kept-then-now", handle_kept_then_now },
	{ "GET", "/begun", handle_begun },
	{ "GET", "/begun-then-now", handle_begun_then_now },
	{ "GET", "/big", handle_big },
	{ "GET", "/begun-failure", handle_begun_failure },
	{ "GET", "/failure", handle_failure },
	{ "GET", "/forever", handle_forever },
	{ "GET", "/begun-forever", handle_begun_forever },
	{ "GET", "/who", handle_who },
	{ "GET", "/item/*/of/*", handle_item },
	{ NULL, NULL, NULL },
};

static void start(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	served_begin(&f->served, endpoints, f);
}

static void stop(struct fixture *f)
{
	served_end(&f->served);
}

struct row {
	const char *method, *target;
	int status;
	const char *body, *session;
};

Test(control, answers_are_what_the_endpoint_says)
{
	static const struct row rows[] = {
		{ "GET", "/now", 200, "{\"ok\":true}\n", NULL },
		{ "POST", "/now/stop", 200, "{\"ok\":true}\n", NULL },
		{ "GET", "/later", 200, "late", NULL },
		{ "GET", "/kept-then-now", 200, "{\"ok\":true}\n", NULL },
		{ "GET", "/begun", 200, "late", "s42" },
		{ "GET", "/begun-then-now", 200, "late", "s42" },
		{ "GET", "/begun-failure", 200,
		  "{\"error\":{\"exit\":6,\"message\":\"pid 7 is not Python\"}}\n", "s42" },
		{ "GET", "/failure?exit=1", 500,
		  "{\"error\":{\"exit\":1,\"message\":\"no thing \\\"here\\\"\"}}\n", NULL },
		{ "GET", "/failure?exit=2", 400, NULL, NULL },
		{ "GET", "/failure?exit=3", 404, NULL, NULL },
		{ "GET", "/failure?exit=4", 403, NULL, NULL },
		{ "GET", "/failure?exit=6", 422, NULL, NULL },
		{ "GET", "/item/12/of/ab?q=x%20y", 200, "[\"12\",\"ab\",null,\"x y\"]\n", NULL },
		{ "GET", "/item/12/of/ab", 200, "[\"12\",\"ab\",null,null]\n", NULL },
		{ "GET", "/item//of/ab", 404, NULL, NULL },
		{ "GET", "/item/12/of", 404, NULL, NULL },
		{ "GET", "/item/12/of/ab/", 404, NULL, NULL },
		{ "GET", "/", 404,
		  "{\"error\":{\"exit\":2,\"message\":\"the control API has no such path\"}}\n",
		  NULL },
		{ "GET", "/nowhere", 404, NULL, NULL },
		{ "GET", "/no", 404, NULL, NULL },
		{ "GET", "/a/b/c/d/e/f/g/h/i/j/k", 404, NULL, NULL },
		{ "POST", "/now", 405, NULL, NULL },
		{ "DELETE", "/now", 405, NULL, NULL },
	};
	struct fixture f;

	start(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		OWNS(control_reply) struct control_reply r = { 0 };
		int err = control_call(f.served.path, row->method, row->target, NULL, &r);

		cr_assert(err == 0, "%s: %s", row->target, strerror(-err));
		cr_assert(r.status == row->status, "%s: %ld", row->target, r.status);
		cr_assert(!row->body || !strcmp(r.body.data, row->body), "%s: %s", row->target,
			  r.body.data);
		cr_assert(!row->session == !r.session, "%s: session", row->target);
		cr_assert(!row->session || !strcmp(r.session, row->session));
	}
	cr_assert(atomic_load(&f.gone) == 0, "an answered request is not gone");
	stop(&f);
}

Test(control, a_big_body_arrives_whole)
{
	OWNS(control_reply) struct control_reply r = { 0 };
	struct fixture f;

	start(&f);
	cr_assert(control_call(f.served.path, "GET", "/big", NULL, &r) == 0);
	cr_assert(r.body.len == BIG);
	for (unsigned int i = 0; i < BIG / 4; i++)
		cr_assert(!memcmp(r.body.data + 4 * i, &i, 4), "at %u", i);
	stop(&f);
}

Test(control, the_peer_is_who_it_is)
{
	OWNS(control_reply) struct control_reply r = { 0 };
	struct fixture f;
	char expected[64];

	start(&f);
	snprintf(expected, sizeof(expected), "{\"uid\":%u,\"all\":true}\n", getuid());
	cr_assert(control_call(f.served.path, "GET", "/who", NULL, &r) == 0);
	cr_assert(!strcmp(r.body.data, expected), "%s", r.body.data);
	stop(&f);
}

Test(control, groups_are_the_peers)
{
	gid_t groups[256];
	int count = getgroups(256, groups);
	int ends[2];

	cr_assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
	cr_assert(peer_uid(ends[0]) == geteuid());
	cr_assert(peer_in_group(ends[0], getegid()));
	for (int i = 0; i < count; i++)
		cr_assert(peer_in_group(ends[0], groups[i]), "%u", groups[i]);
	cr_assert(!peer_in_group(ends[0], 4000000001u));
	cr_assert(!peer_in_group(ends[0], (gid_t)-1), "there is no such group");
	close(ends[0]);
	close(ends[1]);
	cr_assert(peer_uid(-1) == PEER_NOBODY);
	cr_assert(peer_group_id("root") == 0);
	cr_assert(peer_group_id("no such group") == (gid_t)-1);
}

/* What a watch saw, and when it gives up. */
struct seen {
	int polls, give_up_at;
	bool has_session;
};

static int watch(const char *session, void *ctx)
{
	struct seen *s = ctx;

	s->has_session |= session && !strcmp(session, "s42");
	return ++s->polls >= s->give_up_at;
}

/* Waits, at most two seconds, until @f counts @expected clients gone. */
static int wait_for_gone(struct fixture *f, int expected)
{
	for (int i = 0; i < 200 && atomic_load(&f->gone) < expected; i++)
		usleep(10000);
	return atomic_load(&f->gone);
}

Test(control, a_client_that_leaves_is_gone_once)
{
	static const char *const targets[] = { "/forever", "/begun-forever" };
	struct fixture f;

	start(&f);
	for (int i = 0; i < 2; i++) {
		OWNS(control_reply) struct control_reply r = { 0 };
		struct seen s = { .give_up_at = 4 };
		struct control_watch w = { .poll = watch, .ctx = &s };

		cr_assert(control_call(f.served.path, "GET", targets[i], &w, &r) == -ECANCELED);
		cr_assert(s.has_session == (i == 1), "%s", targets[i]);
		cr_assert(r.body.data == NULL, "outputs are untouched on failure");
		cr_assert(wait_for_gone(&f, i + 1) == i + 1);
	}
	usleep(20000);
	cr_assert(atomic_load(&f.gone) == 2);
	stop(&f);
	cr_assert(atomic_load(&f.gone) == 2);
}

Test(control, the_session_is_told_before_the_body_comes)
{
	OWNS(control_reply) struct control_reply r = { 0 };
	struct seen s = { .give_up_at = 1000 };
	struct control_watch w = { .poll = watch, .ctx = &s };
	struct fixture f;

	start(&f);
	cr_assert(control_call(f.served.path, "GET", "/begun", &w, &r) == 0);
	cr_assert(s.has_session);
	stop(&f);
}

static int connect_to(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	cr_assert(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	return fd;
}

static void send_text(int fd, const char *text)
{
	cr_assert(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

Test(control, a_freed_server_drops_what_it_kept)
{
	struct fixture f;
	char byte;

	start(&f);

	OWNS_FD int one = connect_to(f.served.path);
	OWNS_FD int two = connect_to(f.served.path);
	OWNS_FD int idle = connect_to(f.served.path);

	send_text(one, "GET /forever HTTP/1.1\r\nHost: x\r\n\r\n");
	send_text(two, "GET /begun-forever HTTP/1.1\r\nHost: x\r\n\r\n");
	usleep(50000);
	stop(&f);
	cr_assert(atomic_load(&f.gone) == 2);
	cr_assert(recv(one, &byte, 1, 0) <= 0);
	cr_assert(recv(idle, &byte, 1, 0) <= 0);
}

/* The clients are the daemon's own user: all of them together have one limit. */
Test(control, who_comes_beyond_the_limit_is_told)
{
	OWNS(control_reply) struct control_reply r = { 0 };
	struct fixture f;
	char text[512];
	ssize_t len;

	start(&f);
	control_server_limit(f.served.server, 2, 1);

	OWNS_FD int one = connect_to(f.served.path);
	OWNS_FD int two = connect_to(f.served.path);

	send_text(two, "GET /now HTTP/1.1\r\nHost: x\r\n\r\n");
	cr_assert(recv(two, text, sizeof(text), 0) > 0, "both are in now");

	OWNS_FD int three = connect_to(f.served.path);

	len = recv(three, text, sizeof(text) - 1, 0);
	cr_assert(len > 0);
	text[len] = '\0';
	cr_expect(!strncmp(text, "HTTP/1.1 503 ", 13), "%s", text);
	cr_expect(strstr(text, "\r\n\r\n{\"error\":{\"exit\":1,\"message\":\"spprofd serves ") !=
			  NULL,
		  "%s", text);
	cr_expect(recv(three, text, sizeof(text), 0) == 0, "and sent away");
	close(TAKE_FD(one));
	for (int i = 0; i < 200 && r.status != 200; i++) {
		control_reply_fini(&r);
		usleep(5000);
		(void)control_call(f.served.path, "GET", "/now", NULL, &r);
	}
	cr_expect(r.status == 200, "one that left makes room");
	stop(&f);
}

Test(control, a_connection_serves_one_request_after_another)
{
	struct fixture f;
	char text[512];

	start(&f);

	OWNS_FD int fd = connect_to(f.served.path);

	for (int i = 0; i < 3; i++) {
		ssize_t len;

		send_text(fd, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
		len = recv(fd, text, sizeof(text) - 1, 0);
		cr_assert(len > 0);
		text[len] = '\0';
		cr_assert(!strncmp(text, "HTTP/1.1 200 ", 13), "%s", text);
		cr_assert(!strcmp(text + len - 4, "late"), "%s", text);
	}
	stop(&f);
}

/* The kernel then reports an address longer than the HTTP library has room for. */
Test(control, a_client_with_a_long_name_of_its_own_is_served)
{
	struct sockaddr_un mine = { .sun_family = AF_UNIX }, at = { .sun_family = AF_UNIX };
	OWNS_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct fixture f;
	char text[512] = "";

	start(&f);
	memset(mine.sun_path + 1, 'x', sizeof(mine.sun_path) - 1);
	snprintf(mine.sun_path + 1, 16, "%d", getpid());
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", f.served.path);
	cr_assert(bind(fd, (struct sockaddr *)&mine, sizeof(mine)) == 0);
	cr_assert(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	send_text(fd, "GET /now HTTP/1.1\r\nHost: x\r\n\r\n");
	cr_assert(recv(fd, text, sizeof(text) - 1, 0) > 0);
	cr_assert(!strncmp(text, "HTTP/1.1 200 ", 13), "%s", text);
	stop(&f);
}

Test(control, requests_are_bounded)
{
	static const struct {
		const char *head;
		size_t filler;
		const char *status;
	} rows[] = {
		{ "POST /now/stop HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 0,
		  "413" },
		{ "POST /now/stop HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 0,
		  "413" },
		{ "GET /now?", 60000, "414" },
		{ "GET /now HTTP/1.1\r\nHost: x\r\nX: ", 60000, "431" },
	};
	struct fixture f;

	start(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_FD int fd = connect_to(f.served.path);
		OWNS(buffer) struct buffer out = { 0 };
		char text[512] = "";

		buffer_add_text(&out, rows[i].head);
		for (size_t n = 0; n < rows[i].filler; n++)
			buffer_add(&out, "a", 1);
		if (send(fd, out.data, out.len, MSG_NOSIGNAL) < 0)
			cr_assert(errno == EPIPE);
		cr_assert(recv(fd, text, sizeof(text) - 1, 0) > 0);
		cr_assert(!strncmp(text + 9, rows[i].status, 3), "row %zu: %s", i, text);
	}
	stop(&f);
}

/* What control_server_new() says of @path; the server, if any, is freed again. */
static int try_listen(const char *path)
{
	sd_event *loop = NULL;
	int err = 0;

	cr_assert(sd_event_new(&loop) >= 0);
	control_server_free(control_server_new(loop, path, endpoints, NULL, &err));
	sd_event_unref(loop);
	return err;
}

Test(control, a_live_socket_is_left_alone)
{
	OWNS(control_reply) struct control_reply r = { 0 };
	struct fixture f;

	start(&f);
	cr_assert(try_listen(f.served.path) == -EADDRINUSE);
	cr_assert(control_call(f.served.path, "GET", "/now", NULL, &r) == 0);
	stop(&f);
}

Test(control, a_stale_socket_is_replaced)
{
	char dir[] = "/tmp/spprof-test-XXXXXX";
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert(mkdtemp(dir) != NULL);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/s", dir);
	cr_assert(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	close(fd);
	cr_assert(access(at.sun_path, F_OK) == 0);
	cr_assert(try_listen(at.sun_path) == 0);
	cr_assert(access(at.sun_path, F_OK) == -1);
	rmdir(dir);
}

Test(control, anybody_may_connect)
{
	struct fixture f;
	struct stat st;
	mode_t before = umask(0077);

	start(&f);
	cr_assert(stat(f.served.path, &st) == 0);
	cr_assert((st.st_mode & 07777) == 0666, "%o", st.st_mode);
	cr_assert(umask(before) == 0077, "the umask is given back");
	stop(&f);
}

Test(control, another_file_is_never_removed)
{
	char path[] = "/tmp/spprof-test-XXXXXX";
	OWNS_FD int fd = mkostemp(path, O_CLOEXEC);

	cr_assert(fd >= 0);
	cr_assert(try_listen(path) == -EEXIST);
	cr_assert(access(path, F_OK) == 0);
	unlink(path);
}

Test(control, paths_must_fit_an_address)
{
	struct control_reply r;
	char dir[] = "/tmp/spprof-test-XXXXXX", path[200];

	cr_assert(mkdtemp(dir) != NULL);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	memcpy(path, dir, strlen(dir));
	path[strlen(dir)] = '/';
	cr_assert(try_listen(path) == -ENAMETOOLONG);
	cr_assert(control_call(path, "GET", "/now", NULL, &r) == -ENAMETOOLONG);
	path[108] = '\0';
	cr_assert(try_listen(path) == -ENAMETOOLONG);
	cr_assert(control_call(path, "GET", "/now", NULL, &r) == -ENAMETOOLONG);
	path[107] = '\0';
	cr_assert(control_call(path, "GET", "/now", NULL, &r) == -ENOENT);
	cr_assert(try_listen(path) == 0);
	rmdir(dir);
}

Test(control, nobody_there_is_told_apart)
{
	char path[] = "/tmp/spprof-test-XXXXXX";
	OWNS_FD int fd = mkostemp(path, O_CLOEXEC);
	struct control_reply r;

	cr_assert(fd >= 0);
	cr_assert(control_call("/nowhere/at/all", "GET", "/now", NULL, &r) == -ENOENT);
	cr_assert(control_call(path, "GET", "/now", NULL, &r) == -ECONNREFUSED);
	unlink(path);
}
