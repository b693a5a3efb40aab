/* SPDX-License-Identifier: Apache-2.0 */
/* Argument vectors, and what comes of them: values, or one line that says what is wrong. */
#include "cli/options.h"
#include "cli/values.h"

#include "spprof_api.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define ARGS_MAX 24

/* Cuts @line at blanks into an argument vector; @copy holds the pieces. */
static int cut(const char *line, char *copy, size_t room, char **argv)
{
	int argc = 0;

	snprintf(copy, room, "%s", line);
	for (char *at = strtok(copy, " "); at && argc < ARGS_MAX - 1; at = strtok(NULL, " "))
		argv[argc++] = at;
	argv[argc] = NULL;
	return argc;
}

static int parse(enum cli_verb_bit verb, const char *line, char *copy, struct cli_options *o,
		 struct buffer *message)
{
	char *argv[ARGS_MAX];
	int argc = cut(line, copy, 512, argv);

	/* The command points into argv, whose end would be gone. */
	static char *kept[ARGS_MAX];

	memcpy(kept, argv, sizeof(argv));
	return options_parse(verb, argc, kept, o, message);
}

static const struct refused {
	enum cli_verb_bit verb;
	const char *line, *message;
} refused[] = {
	{ FOR_STATUS, "status -p 1",
	  "status: unknown option \"-p\"; see \"spprofctl status --help\"" },
	{ FOR_STATUS, "status -xp 1",
	  "status: unknown option \"-x\"; see \"spprofctl status --help\"" },
	{ FOR_STATUS, "status --bogus",
	  "status: unknown option \"--bogus\"; see \"spprofctl status --help\"" },
	{ FOR_STATUS, "status --native",
	  "status: unknown option \"--native\"; see \"spprofctl status --help\"" },
	{ FOR_STATUS, "status --json=1", "status: --json takes no value" },
	{ FOR_STATUS, "status now", "status: unexpected argument \"now\"" },
	{ FOR_STATUS, "status -- now", "status: unexpected argument \"now\"" },
	{ FOR_STATUS, "status -S", "status: --socket needs a value" },
	{ FOR_LIST, "list --socket", "list: --socket needs a value" },
	{ FOR_LIST, "list --socket=", "list: --socket needs a path" },
	{ FOR_DUMP, "dump", "dump: needs --pid PID; \"spprofctl list\" shows them" },
	{ FOR_DUMP, "dump -p", "dump: --pid needs a value" },
	{ FOR_DUMP, "dump -p 0", "dump: \"0\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 4194305", "dump: \"4194305\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 99999999999999999999999",
	  "dump: \"99999999999999999999999\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 12x", "dump: \"12x\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p +12", "dump: \"+12\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p -12", "dump: \"-12\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1,2", "dump: \"1,2\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump --pid=", "dump: \"\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1 --pid 2", "dump: --pid may be given once" },
	{ FOR_DUMP, "dump -p 1 -n", "dump: --native is not supported yet" },
	{ FOR_RECORD, "record", "record: needs --pid PID, --all or -- PROGRAM" },
	{ FOR_RECORD, "record --", "record: needs --pid PID, --all or -- PROGRAM" },
	{ FOR_RECORD, "record -p 1 --all",
	  "record: needs only one of --pid PID, --all or -- PROGRAM" },
	{ FOR_RECORD, "record -p 1 -- true",
	  "record: needs only one of --pid PID, --all or -- PROGRAM" },
	{ FOR_RECORD, "record 12",
	  "record: unexpected argument \"12\"; a program to start follows --" },
	{ FOR_RECORD, "record -p 1 -r 0", "record: \"0\" is not a rate in Hz (1 to 10000)" },
	{ FOR_RECORD, "record -p 1 -r 20000",
	  "record: \"20000\" is not a rate in Hz (1 to 10000)" },
	{ FOR_RECORD, "record -p 1 -r 99.5", "record: \"99.5\" is not a rate in Hz (1 to 10000)" },
	{ FOR_RECORD, "record -p 1 -d 0",
	  "record: \"0\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 -d 0.0",
	  "record: \"0.0\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 -d 86400.1",
	  "record: \"86400.1\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 -d nan",
	  "record: \"nan\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 -d 1e3",
	  "record: \"1e3\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 -d 1.2.3",
	  "record: \"1.2.3\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 -d .",
	  "record: \".\" is not a duration in seconds (above 0, at most 86400)" },
	{ FOR_RECORD, "record -p 1 --output=", "record: --output needs a file's name" },
	{ FOR_RECORD, "record -p 1 --json",
	  "record: unknown option \"--json\"; see \"spprofctl record --help\"" },
	{ FOR_RECORD, "record -p 1 --gil", "record: --gil is not supported yet" },
	{ FOR_RECORD, "record -p 1 -tg", "record: --gil is not supported yet" },
	{ FOR_RECORD, "record -p 1 -n", "record: --native is not supported yet" },
	{ FOR_RECORD, "record -i", "record: --idle is not supported yet" },
	{ FOR_RECORD, "record -s -p 1", "record: --subprocesses is not supported yet" },
};

Test(cli_options, what_is_wrong_is_said_in_one_line)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o = { .pid = 77 };
		char copy[512];
		int exit = parse(refused[i].verb, refused[i].line, copy, &o, &message);

		cr_assert(exit == SPPROF_EXIT_USAGE, "%s: %d", refused[i].line, exit);
		cr_assert(!strcmp(message.data, refused[i].message), "%s: %s", refused[i].line,
			  message.data);
		cr_assert(o.pid == 77, "outputs are untouched on failure");
	}
}

Test(cli_options, unknown_formats_are_told_which_there_are)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_RECORD, "record -p 1 -f svg", copy, &o, &message) == 2);
	cr_assert(strstr(message.data, "unknown format \"svg\"") != NULL, "%s", message.data);
	for (unsigned int i = 0; exporter_at(i); i++)
		cr_assert(strstr(message.data, exporter_at(i)->name) != NULL);
}

Test(cli_options, letters_and_names_mean_the_same)
{
	static const char *const lines[] = {
		"record -p 12 -d 1.5 -r 499 -f collapsed -o - -t -S /s",
		("record --pid 12 --duration 1.5 --rate 499 --format collapsed --output - "
		 "--threads --socket /s"),
		"record --pid=12 -d1.5 -r499 -fcollapsed -o- -tS/s",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o;
		char copy[512];

		cr_assert(parse(FOR_RECORD, lines[i], copy, &o, &message) == 0, "%s", message.data);
		cr_assert(o.pid == 12 && o.hz == 499 && o.format == &export_collapsed);
		cr_assert(fabs(o.seconds - 1.5) < 1e-12);
		cr_assert(!strcmp(o.output, "-") && !strcmp(o.socket, "/s"), "%s %s", o.output,
			  o.socket);
		cr_assert(o.shape.with_threads && !o.shape.with_lines && !o.shape.as_samples);
		cr_assert(!o.command && !o.all_processes && !o.wants_help && !o.as_json);
	}
}

Test(cli_options, what_is_not_said_has_a_default)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	unsetenv(SPPROF_SOCKET_ENV);
	cr_assert(parse(FOR_RECORD, "record --all --lines --samples", copy, &o, &message) == 0);
	cr_assert(o.all_processes && o.pid == 0 && o.hz == SPPROF_HZ_DEFAULT);
	cr_assert(o.seconds <= 0 && o.format == &export_speedscope && !o.output);
	cr_assert(o.shape.with_lines && o.shape.as_samples && !o.shape.with_threads);
	cr_assert(!strcmp(o.socket, SPPROF_SOCKET_DEFAULT), "%s", o.socket);
}

Test(cli_options, a_program_keeps_its_own_options)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_RECORD, "record -d 3 -- python -d app.py --all -- -x", copy, &o,
			&message) == 0);
	cr_assert(!strcmp(o.command[0], "python") && !strcmp(o.command[1], "-d"));
	cr_assert(!strcmp(o.command[4], "--") && !strcmp(o.command[5], "-x") && !o.command[6]);
	cr_assert(!o.all_processes && fabs(o.seconds - 3) < 1e-12);
}

Test(cli_options, the_socket_comes_from_the_option_then_the_environment)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512], line[512], path[200];

	setenv(SPPROF_SOCKET_ENV, "/from/env", 1);
	cr_assert(parse(FOR_STATUS, "status", copy, &o, &message) == 0);
	cr_assert(!strcmp(o.socket, "/from/env"));
	cr_assert(parse(FOR_STATUS, "status -S /x --json", copy, &o, &message) == 0);
	cr_assert(!strcmp(o.socket, "/x") && o.as_json);
	setenv(SPPROF_SOCKET_ENV, "", 1);
	cr_assert(parse(FOR_STATUS, "status", copy, &o, &message) == 0);
	cr_assert(!strcmp(o.socket, SPPROF_SOCKET_DEFAULT));

	memset(path, 'x', 107);
	path[107] = '\0';
	snprintf(line, sizeof(line), "status -S %s", path);
	cr_assert(parse(FOR_STATUS, line, copy, &o, &message) == 0);
	snprintf(line, sizeof(line), "status -S %sx", path);
	cr_assert(parse(FOR_STATUS, line, copy, &o, &message) == SPPROF_EXIT_USAGE);
	cr_assert(strstr(message.data, "longer than 107 bytes") != NULL, "%s", message.data);
}

Test(cli_options, help_needs_nothing_else)
{
	OWNS(buffer) struct buffer message = { 0 };
	OWNS(buffer) struct buffer help = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_RECORD, "record --help", copy, &o, &message) == 0);
	cr_assert(o.wants_help);
	options_help(FOR_RECORD, &help);
	cr_assert(strstr(help.data, "-p, --pid PID") != NULL);
	cr_assert(strstr(help.data, "    --samples") != NULL);
	cr_assert(strstr(help.data, "--json") == NULL, "record prints no table");
	cr_assert(strstr(help.data, "--gil") == NULL, "what is not there yet is not offered");
}

Test(cli_options, durations_have_decimals)
{
	static const struct {
		const char *text;
		double seconds;
	} rows[] = { { "1", 1 },    { "0.25", 0.25 },	{ ".5", 0.5 },
		     { "20.", 20 }, { "86400", 86400 }, { "0.000000001", 1e-9 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double seconds = -1;

		cr_assert(value_seconds(rows[i].text, &seconds) == 0, "%s", rows[i].text);
		cr_assert(fabs(seconds - rows[i].seconds) < 1e-12, "%s", rows[i].text);
	}
}
