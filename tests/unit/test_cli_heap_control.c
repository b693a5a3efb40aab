/* SPDX-License-Identifier: Apache-2.0 */
/* The command line about who allocates, to the end: what is asked, printed and returned. */
#include "cli/cli.h"

#include "heap_daemon.h"
#include "spprof_api.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

#define ARGS_MAX 16

/* Runs `spprofctl @line` against @d. */
static int run(const struct heap_daemon *d, const char *line)
{
	static char copy[256];
	char program[] = "spprofctl", *argv[ARGS_MAX] = { program };
	int argc = 1;

	setenv(SPPROF_SOCKET_ENV, d->served.path, 1);
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *at = strtok(copy, " "); at && argc < ARGS_MAX - 1; at = strtok(NULL, " "))
		argv[argc++] = at;
	return cli_main(argc, argv);
}

static void read_printed(struct buffer *out)
{
	FILE *printed = cr_get_redirected_stdout();
	char piece[4096];
	size_t got;

	fflush(stdout);
	buffer_add_text(out, "");
	while ((got = fread(piece, 1, sizeof(piece), printed)) > 0)
		buffer_add(out, piece, got);
}

static void redirect(void)
{
	cr_redirect_stdout();
	cr_redirect_stderr();
}

TestSuite(cli_heap_control, .init = redirect);

Test(cli_heap_control, what_is_asked_for)
{
	static const struct {
		const char *line, *asked, *printed;
		int exit;
	} cases[] = {
		{ "heap start -p 1", "start 1 -;", "heap stop --pid 1\n", 0 },
		{ "heap start -p 1,2 --for 90 --tier growth --rate 1M",
		  "start 1 90 growth 1048576;start 2 90 growth 1048576;", "heap stop --pid 2\n",
		  0 },
		{ "heap start -p 1 --for 1.5", "start 1 2;", "Tier     growth, active;", 0 },
		{ "heap start -p 1 --json", "start 1 -;",
		  "{\"pid\": 1, \"tier\": \"growth\", \"state\": \"active\"}\n", 0 },
		{ "heap start -p 3,1", "start 3 -;start 1 -;",
		  "Process 1:", SPPROF_EXIT_UNSUPPORTED },
		{ "heap stop -p 4", "stop 4;", "Process 4:", 0 },
		{ "heap stop --all", "stop 4;stop 5;", "Process 5:", 0 },
		{ "heap status", "", "Process 4: -\n\nTier     growth, active;", 0 },
		{ "heap status -p 5", "", "Tier     growth, stopped;", 0 },
		{ "heap status -p 1", "", "no allocations of it are sampled", 0 },
		{ "heap status -p 5,1 --json", "",
		  "{\"sessions\": [{\"pid\": 5, \"tier\": \"growth\", \"state\": \"stopped\"}]}\n",
		  0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OWNS(buffer) struct buffer printed = { 0 };
		struct heap_daemon d;

		heap_daemon_begin(&d);
		d.refused[3] = SPPROF_EXIT_UNSUPPORTED;
		d.states[4] = "active";
		d.states[5] = "stopped";
		cr_expect(run(&d, cases[i].line) == cases[i].exit, "%s", cases[i].line);
		read_printed(&printed);
		cr_expect(strstr(printed.data, cases[i].printed) != NULL, "%s: %s", cases[i].line,
			  printed.data);
		cr_expect(!strcmp(d.asked.data ? d.asked.data : "", cases[i].asked), "%s: %s",
			  cases[i].line, d.asked.data);
		heap_daemon_end(&d);
	}
}

Test(cli_heap_control, a_profile_is_of_what_was_sampled_or_of_types)
{
	static const struct {
		const char *tiers[2], *line, *asked;
		int exit;
	} cases[] = {
		{ { "trace", "trace" },
		  "snapshot --heap -p 1,2 -f collapsed -o -",
		  "read 1;read 2;",
		  0 },
		{ { "growth", NULL }, "snapshot --heap -p 1 -f collapsed -o -", "read 1;", 0 },
		{ { NULL, NULL }, "snapshot --heap -p 1,2 -f collapsed -o -", "read 1;read 2;", 0 },
		{ { "trace", NULL },
		  "snapshot --heap -p 1,2 -f collapsed -o -",
		  "read 1;read 2;",
		  SPPROF_EXIT_USAGE },
		{ { "trace", "growth" },
		  "snapshot --heap -p 1,2 -f pprof -o /dev/null",
		  "read 1;read 2;",
		  SPPROF_EXIT_USAGE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct heap_daemon d;

		heap_daemon_begin(&d);
		d.tiers[1] = cases[i].tiers[0];
		d.tiers[2] = cases[i].tiers[1];
		cr_expect(run(&d, cases[i].line) == cases[i].exit, "%zu", i);
		cr_expect(!strcmp(d.asked.data, cases[i].asked), "%zu: %s", i, d.asked.data);
		heap_daemon_end(&d);
	}
}
