/* SPDX-License-Identifier: Apache-2.0 */
#include "control/client.h"

#include "base/clock.h"
#include "spprof_api.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#define POLL_MS 100

static void easy_cleanup(CURL **easy)
{
	curl_easy_cleanup(*easy);
}

static void multi_cleanup(CURLM **multi)
{
	curl_multi_cleanup(*multi);
}

void control_reply_fini(struct control_reply *r)
{
	buffer_fini(&r->body);
	free(r->session);
	*r = (struct control_reply){ 0 };
}

static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct control_reply *r = ctx;

	buffer_add(&r->body, data, size * count);
	return buffer_error(&r->body) ? 0 : size * count;
}

/* One header line, not NUL-terminated. */
static size_t on_header(char *line, size_t size, size_t count, void *ctx)
{
	static const char name[] = SPPROF_SESSION_HEADER ":";
	struct control_reply *r = ctx;
	size_t len = size * count, at = sizeof(name) - 1;

	if (len < at || strncasecmp(line, name, at) || r->session)
		return len;
	while (at < len && line[at] == ' ')
		at++;
	r->session = strndup(line + at, strcspn(line + at, "\r\n"));
	return r->session ? len : 0;
}

static bool set_method(CURL *easy, const char *method)
{
	if (!strcmp(method, "GET"))
		return true;
	if (!strcmp(method, "POST"))
		return !curl_easy_setopt(easy, CURLOPT_POST, 1L) &&
		       !curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, 0L);
	return !curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static bool set_up(CURL *easy, const char *socket, const char *url, struct control_reply *r)
{
	/* An empty proxy keeps http_proxy and its kin out of it. */
	return !curl_easy_setopt(easy, CURLOPT_PROXY, "") &&
	       !curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket) &&
	       !curl_easy_setopt(easy, CURLOPT_URL, url) &&
	       !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http") &&
	       !curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) &&
	       !curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) &&
	       !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) &&
	       !curl_easy_setopt(easy, CURLOPT_WRITEDATA, r) &&
	       !curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) &&
	       !curl_easy_setopt(easy, CURLOPT_HEADERDATA, r);
}

/* Paces control_watch.poll: at once when the header arrives, else by time. */
struct pace {
	uint64_t next_ns;
	bool has_session;
};

static bool is_due(struct pace *p, const struct control_reply *r)
{
	uint64_t now = monotonic_ns();
	bool is_new = r->session && !p->has_session;

	if (!is_new && now < p->next_ns)
		return false;
	p->has_session = r->session;
	p->next_ns = now + POLL_MS * 1000000ull;
	return true;
}

/* Runs the transfer to its end. 0, -ECANCELED or -EIO: the library itself failed. */
static int transfer(CURLM *multi, const struct control_watch *watch, const struct control_reply *r)
{
	struct pace pace = { .next_ns = monotonic_ns() + POLL_MS * 1000000ull };
	int running = 1;

	while (running) {
		if (curl_multi_perform(multi, &running))
			return -EIO;
		if (watch && is_due(&pace, r) && watch->poll(r->session, watch->ctx))
			return -ECANCELED;
		if (running && curl_multi_poll(multi, NULL, 0, POLL_MS, NULL))
			return -EIO;
	}
	return 0;
}

static int connect_error(CURL *easy)
{
	long reason = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &reason);
	return reason ? -(int)reason : -ECONNREFUSED;
}

static int result_of(CURLM *multi, CURL *easy)
{
	int left;
	const CURLMsg *done = curl_multi_info_read(multi, &left);

	switch (done ? done->data.result : CURLE_FAILED_INIT) {
	case CURLE_OK:
		return 0;
	case CURLE_COULDNT_CONNECT:
		return connect_error(easy);
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		return -ECONNRESET;
	case CURLE_OUT_OF_MEMORY:
	case CURLE_WRITE_ERROR: /* on_body() and on_header() fail for nothing else */
		return -ENOMEM;
	default:
		return -EPROTO;
	}
}

static int perform(CURL *easy, const struct control_watch *watch, const struct control_reply *r)
{
	__attribute__((cleanup(multi_cleanup))) CURLM *multi = curl_multi_init();
	int err;

	if (!multi || curl_multi_add_handle(multi, easy))
		return -ENOMEM;
	err = transfer(multi, watch, r);
	if (!err)
		err = result_of(multi, easy);
	curl_multi_remove_handle(multi, easy);
	return err;
}

int control_call(const char *socket, const char *method, const char *target,
		 const struct control_watch *watch, struct control_reply *out)
{
	__attribute__((cleanup(easy_cleanup))) CURL *easy = NULL;
	OWNS(control_reply) struct control_reply r = { 0 };
	OWNS(buffer) struct buffer url = { 0 };
	int err;

	if (strlen(socket) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return -ENAMETOOLONG;
	easy = curl_easy_init();
	buffer_print(&url, "http://spprofd%s", target);
	if (!easy || buffer_error(&url) || !set_up(easy, socket, url.data, &r) ||
	    !set_method(easy, method))
		return -ENOMEM;
	err = perform(easy, watch, &r);
	if (err)
		return err;
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &r.status);
	*out = r;
	r = (struct control_reply){ 0 };
	return 0;
}
