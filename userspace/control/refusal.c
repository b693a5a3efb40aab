/* SPDX-License-Identifier: Apache-2.0 */
#include "control/refusal.h"

#include "base/clock.h"
#include "spprof_api.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* A new socket has room for it. */
static void tell(int fd, const char *why)
{
	char answer[512], body[256];
	int len = snprintf(body, sizeof(body), "{\"error\":{\"exit\":%d,\"message\":\"%s\"}}\n",
			   SPPROF_EXIT_FAILED, why);

	len = snprintf(answer, sizeof(answer),
		       "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
		       "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		       len, body);
	(void)!send(fd, answer, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
}

void refusals_tell(struct refusals *r, int fd, const char *why)
{
	unsigned int at = r->next++ % REFUSALS;

	tell(fd, why);
	if (r->told[at].since_ns)
		close(r->told[at].fd);
	r->told[at].fd = fd;
	r->told[at].since_ns = monotonic_ns();
}

bool refusals_close(struct refusals *r, uint64_t before_ns)
{
	bool has_more = false;

	for (unsigned int i = 0; i < REFUSALS; i++) {
		if (r->told[i].since_ns >= before_ns) {
			has_more = true;
		} else if (r->told[i].since_ns) {
			close(r->told[i].fd);
			r->told[i].since_ns = 0;
		}
	}
	return has_more;
}
