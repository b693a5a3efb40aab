/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: at once, to a request that was kept, or as the body of one that was begun. */
#include "control/request.h"

#include "spprof_api.h"

#include <stdarg.h>
#include <string.h>

#define BODY_BLOCK 65536 /* bytes asked for at a time; the connection's memory may hold less */
#define JSON_TYPE "application/json"

static ssize_t read_body(void *ctx, uint64_t at, char *out, size_t room)
{
	struct control_request *r = ctx;
	size_t left;

	if (r->state == REQUEST_GONE)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (r->state == REQUEST_BEGUN) {
		request_suspend(r);
		return 0;
	}
	left = r->body.len - at;
	if (!left)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (left > room)
		left = room;
	memcpy(out, r->body.data + at, left);
	return left;
}

/*
 * Queues @response, which is taken over and may be NULL (no memory): the connection is
 * then closed, because route_request() is not asked a second time.
 */
static void queue(struct control_request *r, unsigned int status, struct MHD_Response *response)
{
	if (response) {
		MHD_queue_response(r->connection, status, response);
		MHD_destroy_response(response);
	}
	request_resume(r);
}

static void send_body(struct control_request *r, unsigned int status, const char *type,
		      const char *allow, struct buffer *body)
{
	bool is_begun = r->state == REQUEST_BEGUN;
	struct MHD_Response *response;

	r->state = REQUEST_ANSWERED;
	if (is_begun) {
		r->body = *body;
		*body = (struct buffer){ 0 };
		request_resume(r);
		return;
	}
	response = MHD_create_response_from_buffer(body->len, body->data, MHD_RESPMEM_MUST_FREE);
	if (response) {
		*body = (struct buffer){ 0 };
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
		if (allow)
			MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
	}
	buffer_fini(body);
	queue(r, status, response);
}

static void send_json(struct control_request *r, unsigned int status, const char *allow,
		      json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	struct buffer body = { .data = text, .len = text ? strlen(text) : 0 };

	json_decref(json);
	body.room = text ? body.len + 1 : 0;
	buffer_add(&body, "\n", 1);
	send_body(r, text ? status : MHD_HTTP_INTERNAL_SERVER_ERROR, JSON_TYPE, allow, &body);
}

static void send_error(struct control_request *r, unsigned int status, const char *allow, int exit,
		       const char *message)
{
	send_json(r, status, allow,
		  json_pack("{s:{s:i,s:s}}", "error", "exit", exit, "message", message));
}

void request_refuse(struct control_request *r, unsigned int status, const char *allow,
		    const char *message)
{
	send_error(r, status, allow, SPPROF_EXIT_USAGE, message);
}

void control_begin(struct control_request *r, const char *type, const char *header,
		   const char *value)
{
	struct MHD_Response *response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BODY_BLOCK, read_body, r, NULL);

	if (response) {
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
		MHD_add_response_header(response, header, value);
	}
	r->state = REQUEST_BEGUN;
	queue(r, MHD_HTTP_OK, response);
}

void control_answer_json(struct control_request *r, json_t *json)
{
	send_json(r, MHD_HTTP_OK, NULL, json);
}

void control_answer_bytes(struct control_request *r, const char *type, struct buffer *body)
{
	if (buffer_error(body)) {
		buffer_fini(body);
		control_answer_error(r, SPPROF_EXIT_FAILED, "the daemon is out of memory");
		return;
	}
	send_body(r, MHD_HTTP_OK, type, NULL, body);
}

static unsigned int status_of(int exit)
{
	switch (exit) {
	case SPPROF_EXIT_USAGE:
		return MHD_HTTP_BAD_REQUEST;
	case SPPROF_EXIT_NO_TARGET:
		return MHD_HTTP_NOT_FOUND;
	case SPPROF_EXIT_DENIED:
		return MHD_HTTP_FORBIDDEN;
	case SPPROF_EXIT_UNSUPPORTED:
		return MHD_HTTP_UNPROCESSABLE_CONTENT;
	default:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
}

void control_answer_error(struct control_request *r, int exit, const char *format, ...)
{
	OWNS_MEM char *message = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&message, format, args) < 0)
		message = NULL;
	va_end(args);
	send_error(r, status_of(exit), NULL, exit, message ? message : "out of memory");
}
