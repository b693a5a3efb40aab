/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection - whose samples somebody wants, and may have: of all processes, of those named,
 * or of those in a control group.
 */
#ifndef SPPROF_SELECTION_H
#define SPPROF_SELECTION_H

#include "daemon/process.h"
#include "spprof_api.h"

#include <stdbool.h>
#include <sys/types.h>

#define SELECTION_TEXT_BYTES 512

enum selection_kind {
	SELECT_PIDS,
	SELECT_ALL,
	SELECT_CGROUP, /* @text: a path below any hierarchy's root, and all below it */
	SELECT_UNIT,   /* @text: a systemd unit; ".service" may be left out */
};

struct selection {
	uid_t uid;     /* who asks */
	bool sees_all; /* may have other users' processes */
	enum selection_kind kind;
	pid_t pids[SPPROF_PIDS_MAX];
	uint64_t starts[SPPROF_PIDS_MAX]; /* their start_ticks; 0: of any process of that pid */
	unsigned int pid_count;
	char text[SELECTION_TEXT_BYTES];
};

/* Whether @p is selected and may be seen. */
bool selection_takes(const struct selection *s, struct process *p);

/*
 * Whether @cgroup, the text of /proc/PID/cgroup with lines joined by newlines, lies in
 * what @s asks for; kind SELECT_CGROUP or SELECT_UNIT. Any hierarchy counts.
 */
bool selection_has_cgroup(const struct selection *s, const char *cgroup);

#endif
