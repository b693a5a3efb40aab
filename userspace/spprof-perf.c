/* SPDX-License-Identifier: Apache-2.0 */
/* spprof-perf - opens perf events for spprofd, started by its socket. Wiring only. */
#include "base/cleanup.h"
#include "base/log.h"
#include "collect/perf_open.h"

#include <errno.h>
#include <pwd.h>
#include <systemd/sd-daemon.h>

#define USER "spprof"
#define IDLE_MS 5000 /* nobody needs it: the next client's connection starts it again */

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static int serve(int listener, uid_t user)
{
	for (;;) {
		uid_t caller;
		OWNS_FD int client = perf_open_accept(listener, IDLE_MS, user, &caller);

		if (client == -ETIMEDOUT)
			return 0;
		if (client == -EACCES)
			log_warning(
				"turned away a client of uid %u: perf events are for the user " USER
				" and root",
				caller);
		else if (client < 0 && client != -ECONNABORTED && client != -EINTR)
			return log_error(client, "cannot take a client's connection");
		else if (client >= 0 && perf_open_serve(client))
			log_debug("a client left in the middle of an answer");
	}
}

int main(int argc, char **argv)
{
	const struct passwd *user;
	int err;

	log_open("spprof-perf", LVL_INFO);
	if (argc > 1) {
		log_write(LVL_ERROR, 0, "'%s' is not known here: it takes no arguments", argv[1]);
		return EXIT_USAGE;
	}
	if (sd_listen_fds(1) != 1 ||
	    sd_is_socket(SD_LISTEN_FDS_START, AF_UNIX, SOCK_SEQPACKET, 1) <= 0) {
		log_write(LVL_ERROR, 0,
			  "it is started by spprof-perf.socket, and has no such socket");
		return EXIT_USAGE;
	}
	user = getpwnam(USER);
	if (!user)
		return log_error(-ENOENT, "there is no user " USER), EXIT_FAILED;
	err = perf_open_confine();
	if (err)
		return log_error(err, "cannot give up privileges"), EXIT_FAILED;
	return serve(SD_LISTEN_FDS_START, user->pw_uid) ? EXIT_FAILED : EXIT_DONE;
}
