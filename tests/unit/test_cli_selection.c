/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes are meant, out of what the daemon lists. */
#include "cli/match.h"
#include "cli/selection.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const char rows_text[] = "[{\"pid\":10,\"uid\":0,\"state\":\"ready\"},"
				"{\"pid\":11,\"uid\":1000,\"state\":\"starting\"},"
				"{\"pid\":12,\"uid\":1000,\"state\":\"refused\"},"
				"{\"pid\":13,\"uid\":1000,\"state\":\"ready\"},"
				"{\"pid\":14,\"state\":\"ready\"}]";

/* Like proc_cmdline(): a NUL after each argument. */
static ssize_t cmdline(pid_t pid, char *out, size_t room)
{
	static const struct {
		pid_t pid;
		const char *line;
		size_t len;
	} lines[] = {
#define LINE(text) text, sizeof(text)
		{ 10, LINE("python3\0app.py\0--port\0"
			   "80") },
		{ 11, LINE("/usr/bin/python3\0-m\0http.server") },
		{ 12, LINE("python2\0old.py") },
		{ 13, LINE("python3\0\xff\xfe\0app.py") },
#undef LINE
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].pid != pid)
			continue;
		cr_assert(lines[i].len < room);
		memcpy(out, lines[i].line, lines[i].len);
		return lines[i].len;
	}
	return -ESRCH;
}

/* The pids of @rows: "10 11 ". */
static void pids_of(const json_t *rows, struct buffer *out)
{
	const json_t *row;
	size_t i;

	buffer_add_text(out, "");
	json_array_foreach(rows, i, row)
	{
		json_int_t pid = json_integer_value(json_object_get(row, "pid"));

		buffer_print(out, "%lld ", (long long)pid);
	}
}

static const struct matched {
	const char *regex;
	uid_t uid;
	const char *pids;
} matched[] = {
	{ "app\\.py", 0, "10 13 " }, { "app.py", 1000, "13 " },
	{ "app", 1001, "" },	     { "^python3 app.py --port 80$", 0, "10 " },
	{ "nothing", 0, "" },	     { "HTTP", 0, "" },
	{ "(?i)HTTP", 0, "11 " },    { "\\xff", 0, "13 " },
	{ "", 1000, "11 12 13 " },
};

Test(cli_selection, a_command_line_matches_anywhere_and_is_ones_own)
{
	json_t *rows = json_loads(rows_text, 0, NULL);

	for (size_t i = 0; i < sizeof(matched) / sizeof(matched[0]); i++) {
		OWNS(buffer) struct buffer why = { 0 };
		OWNS(buffer) struct buffer pids = { 0 };
		OWNS(match) struct match *m = match_new(matched[i].regex, &why);
		json_t *some = NULL;

		cr_assert(m != NULL, "%s: %s", matched[i].regex, why.data);
		cr_assert(selection_match(rows, m, matched[i].uid, cmdline, &some) == 0);
		pids_of(some, &pids);
		cr_expect(!strcmp(pids.data ? pids.data : "", matched[i].pids), "%s of %u: %s",
			  matched[i].regex, matched[i].uid, pids.data);
		json_decref(some);
	}
	json_decref(rows);
}

static ssize_t many_letters(pid_t pid, char *out, size_t room)
{
	(void)pid;
	cr_assert(room > 40);
	memset(out, 'a', 40);
	return 40;
}

Test(cli_selection, an_expression_that_takes_for_ever_is_given_up)
{
	OWNS(buffer) struct buffer why = { 0 };
	OWNS(match) struct match *m = match_new("(a+)+$(?<!a)", &why);
	json_t *rows = json_loads(rows_text, 0, NULL), *some = NULL;

	cr_assert(m != NULL, "%s", why.data);
	cr_assert(selection_match(rows, m, 0, many_letters, &some) == -E2BIG);
	cr_assert(some == NULL, "outputs are untouched on failure");
	json_decref(rows);
}

Test(cli_selection, what_is_refused_cannot_be_looked_at)
{
	OWNS(buffer) struct buffer pids = { 0 };
	json_t *rows = json_loads(rows_text, 0, NULL), *some = selection_running(rows);

	pids_of(some, &pids);
	cr_assert(!strcmp(pids.data, "10 11 13 14 "), "%s", pids.data);
	json_decref(some);
	json_decref(rows);
}

Test(cli_selection, a_query_holds_any_text)
{
	OWNS(buffer) struct buffer query = { 0 };

	selection_add_escaped(&query, "/a b/c&d=e+f%g#\xc3\xa9-._~Z9");
	cr_assert(!strcmp(query.data, "/a%20b/c%26d%3De%2Bf%25g%23%C3%A9-._~Z9"), "%s", query.data);
}

Test(cli_selection, what_needs_no_look_asks_nobody)
{
	static const struct {
		struct cli_targets targets;
		const char *query;
	} rows[] = {
		{ { .pids = { 12, 34 }, .pid_count = 2 }, "pid=12,34" },
		{ { .all = true }, "all=1" },
		{ { .unit = "web app.service" }, "unit=web%20app.service" },
		{ { .cgroup = "/a/b" }, "cgroup=/a/b" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer query = { 0 };
		struct cli_options o = { .socket = "/nowhere", .targets = rows[i].targets };

		cr_assert(selection_query(&o, &query) == 0);
		cr_assert(!strcmp(query.data, rows[i].query), "%s", query.data);
	}
}
