/* SPDX-License-Identifier: Apache-2.0 */
/* From method and path to an endpoint. */
#include "control/request.h"

#include <string.h>

/* Cuts "/a/b" into "a" and "b" in place. Their number, or -1 if they are too many. */
static int split(char *path, char **segments)
{
	int count = 0;

	while (*path == '/') {
		if (count == REQUEST_SEGMENTS)
			return -1;
		*path++ = '\0';
		segments[count++] = path;
		path += strcspn(path, "/");
	}
	return *path ? -1 : count;
}

/* Whether @pattern fits; those that matched a "*" then stand in @matched. */
static bool path_fits(const char *pattern, char *const *segments, int count, char **matched)
{
	char *found[REQUEST_SEGMENTS] = { NULL };
	unsigned int stars = 0;
	int i;

	for (i = 0; *pattern == '/' && i < count; i++) {
		size_t len = strcspn(++pattern, "/");

		if (len == 1 && *pattern == '*' && *segments[i])
			found[stars++] = segments[i];
		else if (strlen(segments[i]) != len || memcmp(segments[i], pattern, len))
			return false;
		pattern += len;
	}
	if (*pattern || i != count)
		return false;
	memcpy(matched, found, sizeof(found));
	return true;
}

void route_request(struct control_request *r, const char *method, const char *url)
{
	const char *allow = NULL;
	char *segments[REQUEST_SEGMENTS];
	int count;

	r->path = strdup(url);
	count = r->path ? split(r->path, segments) : -1;
	for (const struct control_endpoint *e = r->server->endpoints; e->method; e++) {
		if (!path_fits(e->path, segments, count, r->matched))
			continue;
		if (!strcmp(e->method, method)) {
			e->handle(r, r->server->ctx);
			return;
		}
		allow = e->method;
	}
	if (allow)
		request_refuse(r, MHD_HTTP_METHOD_NOT_ALLOWED, allow,
			       "the control API does not offer this method here");
	else
		request_refuse(r, MHD_HTTP_NOT_FOUND, NULL, "the control API has no such path");
}
