/* SPDX-License-Identifier: Apache-2.0 */
/* The pure parts: which rows, and how they are asked for. */
#include "cli/selection.h"

#include "cli/match.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define CMDLINE_ROOM (1 << 17) /* MAX_ARG_STRLEN: the longest that one argument can be */

void selection_add_escaped(struct buffer *query, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-._~/", *text))
			buffer_add(query, text, 1);
		else
			buffer_print(query, "%%%02X", (unsigned char)*text);
	}
}

static bool is_running(const json_t *row)
{
	const char *state = json_string_value(json_object_get(row, "state"));

	return state && (!strcmp(state, "ready") || !strcmp(state, "starting"));
}

json_t *selection_running(const json_t *rows)
{
	json_t *some = json_array(), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (is_running(row) && json_array_append(some, row)) {
			json_decref(some);
			return NULL;
		}
	}
	return some;
}

static bool is_of_user(const json_t *row, uid_t uid)
{
	const json_t *owner = json_object_get(row, "uid");

	return !uid || (json_is_integer(owner) && json_integer_value(owner) == uid);
}

/* The command line as one types it. Its length, or -errno. */
static ssize_t read_line(pid_t pid, selection_cmdline cmdline, char *line, size_t room)
{
	ssize_t len = cmdline(pid, line, room);

	while (len > 0 && !line[len - 1])
		len--;
	for (ssize_t i = 0; i < len; i++)
		if (!line[i])
			line[i] = ' ';
	return len;
}

int selection_match(const json_t *rows, struct match *m, uid_t uid, selection_cmdline cmdline,
		    json_t **out)
{
	OWNS_MEM char *line = malloc(CMDLINE_ROOM);
	json_t *some = json_array(), *row;
	int found = line && some ? 0 : -ENOMEM;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		ssize_t len = found < 0 || !is_of_user(row, uid)
				      ? -ESRCH
				      : read_line(selection_pid(row), cmdline, line, CMDLINE_ROOM);

		if (len < 0)
			continue;
		found = match_search(m, line, len);
		if (found > 0 && json_array_append(some, row))
			found = -ENOMEM;
	}
	if (found < 0)
		json_decref(some);
	else
		*out = some;
	return found < 0 ? found : 0;
}
