/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control API: HTTP/1.1 over a Unix socket. What both ends must agree on;
 * ARCHITECTURE.md describes the endpoints.
 */
#ifndef SPPROF_API_H
#define SPPROF_API_H

#define SPPROF_VERSION "0.1.0"
#define SPPROF_API 1 /* raised when an answer changes in a way that breaks a reader */

#define SPPROF_SOCKET_DEFAULT "/run/spprof/spprofd.sock"
#define SPPROF_SOCKET_ENV "SPPROF_SOCKET"

#define SPPROF_HZ_MIN 1
#define SPPROF_HZ_MAX 10000
#define SPPROF_HZ_DEFAULT 99
#define SPPROF_SECONDS_MAX 86400
#define SPPROF_PIDS_MAX 64 /* named in one request */

/* Response header of /v1/profile: the session's id, to stop it by. */
#define SPPROF_SESSION_HEADER "Spprof-Session"

/* Exit codes of spprofctl; an error answer carries one, so that both ends agree. */
enum spprof_exit {
	SPPROF_EXIT_DONE = 0,
	SPPROF_EXIT_FAILED = 1,
	SPPROF_EXIT_USAGE = 2,
	SPPROF_EXIT_NO_TARGET = 3,
	SPPROF_EXIT_DENIED = 4,
	SPPROF_EXIT_NO_DAEMON = 5,
	SPPROF_EXIT_UNSUPPORTED = 6,
};

#endif
