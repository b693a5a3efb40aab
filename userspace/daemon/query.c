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

/* "12" or "12,34" */
static int take_pids(const char *text, struct selection *out)
{
	char list[SPPROF_PIDS_MAX * 8], *rest = NULL;

	if (strlen(text) >= sizeof(list))
		return -EINVAL;
	strcpy(list, text);
	for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		if (out->pid_count == SPPROF_PIDS_MAX)
			return -EINVAL;
		if (query_pid(one, &out->pids[out->pid_count++]))
			return -EINVAL;
	}
	return out->pid_count ? 0 : -EINVAL;
}

static int take_text(const char *text, struct selection *out)
{
	if (!*text || strlen(text) >= sizeof(out->text))
		return -EINVAL;
	strcpy(out->text, text);
	return 0;
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

int query_selection(const struct control_request *r, struct selection *out, char *why, size_t room)
{
	const char *pids = control_query(r, "pid"), *unit = control_query(r, "unit");
	const char *cgroup = control_query(r, "cgroup");
	bool all = is_set(r, "all");
	int given = !!pids + !!unit + !!cgroup + all;

	if (!given)
		return -ENOENT;
	out->kind = pids ? SELECT_PIDS : unit ? SELECT_UNIT : cgroup ? SELECT_CGROUP : SELECT_ALL;
	if (given > 1)
		snprintf(why, room, "only one of pid=, unit=, cgroup= and all=1 may be given");
	else if (pids && take_pids(pids, out))
		snprintf(why, room, "pid= takes up to %d process ids", SPPROF_PIDS_MAX);
	else if (unit && (take_text(unit, out) || strchr(unit, '/')))
		snprintf(why, room, "unit= takes the name of a systemd unit");
	else if (cgroup && (take_text(cgroup, out) || *cgroup != '/'))
		snprintf(why, room, "cgroup= takes a path that begins with / (up to %d bytes)",
			 SELECTION_TEXT_BYTES - 1);
	else
		return 0;
	return -EINVAL;
}

int query_session(const struct control_request *r, struct session_request *out, char *why,
		  size_t room)
{
	const char *hz = control_query(r, "hz"), *seconds = control_query(r, "seconds");
	const struct selection *whose = &out->selection;
	uint64_t rate = SPPROF_HZ_DEFAULT;

	out->awaits = is_set(r, "wait");
	out->mode = is_set(r, "order") ? TALLY_ORDER : TALLY_SUMS;
	if (hz && query_number(hz, SPPROF_HZ_MIN, SPPROF_HZ_MAX, &rate))
		snprintf(why, room, "hz= is from %d to %d", SPPROF_HZ_MIN, SPPROF_HZ_MAX);
	else if (seconds && take_seconds(seconds, &out->length_ns))
		snprintf(why, room, "seconds= is above 0 and at most %d", SPPROF_SECONDS_MAX);
	else if (out->awaits && (whose->kind != SELECT_PIDS || whose->pid_count != 1))
		snprintf(why, room, "wait=1 goes with one pid");
	else
		return out->hz = rate, 0;
	return -EINVAL;
}

int query_last(const struct control_request *r, uint64_t *last_ns, bool *is_strict, char *why,
	       size_t room)
{
	static const char *const others[] = { "hz", "seconds", "order", "wait" };
	const char *last = control_query(r, "last"), *recent = control_query(r, "recent");

	*last_ns = 0;
	*is_strict = last != NULL;
	if (!last && !recent)
		return 0;
	if (last && recent)
		return snprintf(why, room, "last= and recent= do not go together"), -EINVAL;
	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (control_query(r, others[i])) {
			snprintf(why, room, "%s= is for what is yet to come, %s= for what was",
				 others[i], last ? "last" : "recent");
			return -EINVAL;
		}
	if (!take_seconds(last ? last : recent, last_ns))
		return 0;
	snprintf(why, room, "%s= is above 0 and at most %d seconds", last ? "last" : "recent",
		 SPPROF_SECONDS_MAX);
	return -EINVAL;
}
