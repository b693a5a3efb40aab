/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/query.h"

#include "control/server.h"
#include "spprof_api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PID_MOST 4194304 /* PID_MAX_LIMIT of include/linux/threads.h */

int query_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
	unsigned long long number;

	if (!text || !*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 19)
		return -EINVAL;
	number = strtoull(text, NULL, 10);
	if (number < least || number > most)
		return -EINVAL;
	*out = number;
	return 0;
}

int query_pid(const char *text, pid_t *pid)
{
	uint64_t number;

	if (query_number(text, 1, PID_MOST, &number))
		return -EINVAL;
	*pid = number;
	return 0;
}

/* "12" or "12,34": the processes to record. */
static int take_pids(const char *text, struct session_request *out)
{
	char list[SESSION_MAX_PIDS * 8], *rest = NULL;

	if (strlen(text) >= sizeof(list))
		return -EINVAL;
	strcpy(list, text);
	for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		if (out->pid_count == SESSION_MAX_PIDS)
			return -EINVAL;
		if (query_pid(one, &out->pids[out->pid_count++]))
			return -EINVAL;
	}
	return out->pid_count ? 0 : -EINVAL;
}

static int take_seconds(const char *text, uint64_t *length_ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0 && seconds <= SPPROF_SECONDS_MAX))
		return -EINVAL;
	*length_ns = seconds * 1e9;
	return *length_ns ? 0 : -EINVAL;
}

static bool is_set(const struct control_request *r, const char *name)
{
	const char *value = control_query(r, name);

	return value && !strcmp(value, "1");
}

int query_session(const struct control_request *r, struct session_request *out, char *why,
		  size_t room)
{
	const char *pids = control_query(r, "pid"), *hz = control_query(r, "hz");
	const char *seconds = control_query(r, "seconds");
	uint64_t rate = SPPROF_HZ_DEFAULT;

	out->is_for_all = is_set(r, "all");
	out->awaits = is_set(r, "wait");
	out->mode = is_set(r, "order") ? TALLY_ORDER : TALLY_SUMS;
	if (!pids == !out->is_for_all)
		snprintf(why, room, "a profile is of pid=N[,N] or of all=1");
	else if (pids && take_pids(pids, out))
		snprintf(why, room, "pid= takes up to %d process ids", SESSION_MAX_PIDS);
	else if (hz && query_number(hz, SPPROF_HZ_MIN, SPPROF_HZ_MAX, &rate))
		snprintf(why, room, "hz= is from %d to %d", SPPROF_HZ_MIN, SPPROF_HZ_MAX);
	else if (seconds && take_seconds(seconds, &out->length_ns))
		snprintf(why, room, "seconds= is above 0 and at most %d", SPPROF_SECONDS_MAX);
	else if (out->awaits && (out->is_for_all || out->pid_count != 1))
		snprintf(why, room, "wait=1 goes with one pid");
	else
		return out->hz = rate, 0;
	return -EINVAL;
}
