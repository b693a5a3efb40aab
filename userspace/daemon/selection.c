/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/selection.h"

#include <string.h>

/* Whether @path (up to @len) is @wanted or below it. Both begin with a slash. */
static bool is_below(const char *path, size_t len, const char *wanted)
{
	size_t most = strlen(wanted);

	while (most > 1 && wanted[most - 1] == '/')
		most--;
	if (most == 1 && *wanted == '/')
		return true;
	return len >= most && !memcmp(path, wanted, most) && (len == most || path[most] == '/');
}

/* Whether a component of @path is the unit @name, which may lack its ".service". */
static bool has_unit(const char *path, size_t len, const char *name)
{
	const char *end = path + len;
	size_t most = strlen(name);

	while (path < end) {
		const char *slash = memchr(path, '/', end - path);
		size_t part = (slash ? slash : end) - path;

		if (part == most && !memcmp(path, name, most))
			return true;
		if (part == most + strlen(".service") && !memcmp(path, name, most) &&
		    !memcmp(path + most, ".service", strlen(".service")))
			return true;
		path += part + 1;
	}
	return false;
}

/* Lines are "ID:CONTROLLERS:PATH" (cgroups(7)); a path may hold colons. */
static bool line_matches(const struct selection *s, const char *line, size_t len)
{
	const char *path = memchr(line, ':', len), *end = line + len;

	if (path)
		path = memchr(path + 1, ':', end - path - 1);
	if (!path++ || !s->text[0])
		return false;
	if (s->kind == SELECT_UNIT)
		return has_unit(path, end - path, s->text);
	return is_below(path, end - path, s->text);
}

bool selection_has_cgroup(const struct selection *s, const char *cgroup)
{
	while (*cgroup) {
		size_t len = strcspn(cgroup, "\n");

		if (line_matches(s, cgroup, len))
			return true;
		cgroup += len + (cgroup[len] == '\n');
	}
	return false;
}

static bool has_pid(const struct selection *s, const struct process *p)
{
	for (unsigned int i = 0; i < s->pid_count; i++)
		if (s->pids[i] == p->pid && (!s->starts[i] || s->starts[i] == p->start_ticks))
			return true;
	return false;
}

bool selection_takes(const struct selection *s, struct process *p)
{
	if (!s->sees_all && p->uid != s->uid)
		return false;
	switch (s->kind) {
	case SELECT_PIDS:
		return has_pid(s, p);
	case SELECT_ALL:
		return true;
	default:
		return selection_has_cgroup(s, process_cgroup(p));
	}
}
