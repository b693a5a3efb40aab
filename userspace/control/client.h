/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's end of the control API. */
#ifndef SPPROF_CONTROL_CLIENT_H
#define SPPROF_CONTROL_CLIENT_H

#include "base/buffer.h"

struct control_reply {
	long status; /* HTTP */
	struct buffer body;
	char *session; /* the Spprof-Session header, or NULL */
};

void control_reply_fini(struct control_reply *r);
static inline void control_reply_cleanup(struct control_reply *r)
{
	control_reply_fini(r);
}

/*
 * Calls while an answer is awaited, about ten times a second and after the header
 * arrived; @session is NULL until it did. Non-zero gives the request up (-ECANCELED).
 */
struct control_watch {
	int (*poll)(const char *session, void *ctx);
	void *ctx;
};

/*
 * @target is path and query. @watch may be NULL. 0 and *@out, whatever the status;
 * -ECONNREFUSED or -ENOENT: nobody listens on @socket; -EACCES; -ENAMETOOLONG;
 * -ECONNRESET: the daemon went away in the middle; -ECANCELED; -EPROTO: what answers there
 * does not speak HTTP.
 */
int control_call(const char *socket, const char *method, const char *target,
		 const struct control_watch *watch, struct control_reply *out);

#endif
