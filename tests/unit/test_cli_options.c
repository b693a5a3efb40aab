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
	{ FOR_DUMP, "dump -p", "dump: --pid needs a value" },
	{ FOR_DUMP, "dump -p 0", "dump: \"0\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 4194305", "dump: \"4194305\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 99999999999999999999999",
	  "dump: \"99999999999999999999999\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 12x", "dump: \"12x\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p +12", "dump: \"+12\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p -12", "dump: \"-12\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1,2x", "dump: \"2x\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1,,2", "dump: \"\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1,", "dump: \"\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1 --all",
	  "dump: needs only one of --pid, --match, --unit, --cgroup or --all" },
	{ FOR_TOP, "top --unit a --cgroup b",
	  "top: needs only one of --pid, --match, --unit, --cgroup or --all" },
	{ FOR_SNAPSHOT, "snapshot --match a -p 1",
	  "snapshot: needs only one of --pid, --match, --unit, --cgroup or --all" },
	{ FOR_DUMP, "dump --unit a --unit b", "dump: --unit may be given once" },
	{ FOR_DUMP, "dump --match a --match a", "dump: --match may be given once" },
	{ FOR_DUMP, "dump --cgroup=", "dump: --cgroup needs a value that is not empty" },
	{ FOR_DUMP, "dump --match a(b",
	  "dump: cannot read the regular expression of --match: missing closing parenthesis at "
	  "offset 3" },
	{ FOR_DUMP, "dump --match (*UTF)a",
	  "dump: cannot read the regular expression of --match: using UTF is disabled by the "
	  "application at offset 6" },
	{ FOR_DUMP, "dump --pid=", "dump: \"\" is not a process id (1 to 4194304)" },
	{ FOR_DUMP, "dump -p 1 -n", "dump: --native is not supported yet" },
	{ FOR_RECORD, "record --", "record: needs a program after --" },
	{ FOR_RECORD, "record -p 1 --all",
	  "record: needs only one of --pid, --match, --unit, --cgroup, --all or -- PROGRAM" },
	{ FOR_RECORD, "record -p 1 -- true",
	  "record: needs only one of --pid, --match, --unit, --cgroup, --all or -- PROGRAM" },
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
	{ FOR_TOP, "top -n", "top: --native is not supported yet" },
	{ FOR_RECORD, "record --last 1m -d 3",
	  "record: --last takes what was sampled already, without --duration" },
	{ FOR_RECORD, "record --last 1m -r 99",
	  "record: --last takes what was sampled already, without --rate" },
	{ FOR_RECORD, "record --last 1m -- true",
	  "record: --last takes what was sampled already, without -- PROGRAM" },
	{ FOR_RECORD, "record --last 5d",
	  "record: \"5d\" is not a time to look back (60, 60s, 5m or 1h; at most 86400 s)" },
	{ FOR_DUMP, "dump --last 5",
	  "dump: unknown option \"--last\"; see \"spprofctl dump --help\"" },
	{ FOR_SNAPSHOT, "snapshot -r 99",
	  "snapshot: unknown option \"-r\"; see \"spprofctl snapshot --help\"" },
	{ FOR_SNAPSHOT, "snapshot --json -f pprof",
	  "snapshot: --json prints what is shown; it does not go with --format" },
	{ FOR_SNAPSHOT, "snapshot --json -o x",
	  "snapshot: --json prints what is shown; it does not go with --output" },
	{ FOR_SNAPSHOT, "snapshot -t", "snapshot: --threads needs --format or --output" },
	{ FOR_SNAPSHOT, "snapshot --lines", "snapshot: --lines needs --format or --output" },
	{ FOR_SNAPSHOT, "snapshot --samples", "snapshot: --samples needs --format or --output" },
	{ FOR_SNAPSHOT, "snapshot --heap --types",
	  "snapshot: needs only one of --cpu, --heap or --types" },
	{ FOR_SNAPSHOT, "snapshot --cpu --heap --diff x",
	  "snapshot: needs only one of --cpu, --heap or --types" },
	{ FOR_SNAPSHOT, "snapshot --heap --diff x",
	  "snapshot: --diff is about types; it does not go with --heap" },
	{ FOR_SNAPSHOT, "snapshot --cpu --every 5",
	  "snapshot: --every is about types; it does not go with --cpu" },
	{ FOR_SNAPSHOT, "snapshot --diff=", "snapshot: --diff needs a value that is not empty" },
	{ FOR_SNAPSHOT, "snapshot --diff x --diff y", "snapshot: --diff may be given once" },
	{ FOR_SNAPSHOT, "snapshot --count 3", "snapshot: --count needs --every" },
	{ FOR_SNAPSHOT, "snapshot --diff x --count 3", "snapshot: --count needs --every" },
	{ FOR_SNAPSHOT, "snapshot --every 5s --count 0",
	  "snapshot: \"0\" is not a count (1 to 1000000000)" },
	{ FOR_SNAPSHOT, "snapshot --every 5d",
	  "snapshot: \"5d\" is not a time between scans (5, 5s, 2min or 1h; 0.1 to 86400 s)" },
	{ FOR_SNAPSHOT, "snapshot --every 0.05",
	  "snapshot: \"0.05\" is not a time between scans (5, 5s, 2min or 1h; 0.1 to 86400 s)" },
	{ FOR_SNAPSHOT, "snapshot --diff x -f pprof",
	  "snapshot: --diff makes no profile: leave --format out, or say --format json" },
	{ FOR_SNAPSHOT, "snapshot --every 5 -o y",
	  "snapshot: --every makes no profile: leave --format out, or say --format json" },
	{ FOR_SNAPSHOT, "snapshot --types -d 3",
	  "snapshot: --duration is of the processor, or with --heap of who allocates; types are "
	  "counted at once" },
	{ FOR_SNAPSHOT, "snapshot --heap -d 0.5",
	  "snapshot: --duration of a heap is at least 1 s" },
	{ FOR_SNAPSHOT, "snapshot --heap --tier growth",
	  "snapshot: --tier needs --heap with --duration" },
	{ FOR_SNAPSHOT, "snapshot -d 5 --rate 1K",
	  "snapshot: --rate needs --heap with --duration" },
	{ FOR_SNAPSHOT, "snapshot --cpu -d 5 --max-overhead 5",
	  "snapshot: --max-overhead needs --heap with --duration" },
	{ FOR_SNAPSHOT, "snapshot --every 5 -d 5 --heap",
	  "snapshot: --every is about types; it does not go with --heap" },
	{ FOR_RECORD, "record --tier growth",
	  "record: unknown option \"--tier\"; see \"spprofctl record --help\"" },
	{ FOR_HEAP, "heap", "heap: needs start, stop or status, before its options" },
	{ FOR_HEAP, "heap -p 1", "heap: needs start, stop or status, before its options" },
	{ FOR_HEAP, "heap -p 1 start", "heap: unexpected argument \"start\"" },
	{ FOR_HEAP, "heap begin", "heap: cannot \"begin\"; there are start, stop, status" },
	{ FOR_HEAP, "heap start now", "heap: unexpected argument \"now\"" },
	{ FOR_HEAP, "heap start --tier", "heap: --tier needs a value" },
	{ FOR_HEAP, "heap start --tier scan",
	  "heap: unknown tier \"scan\"; there are growth, trace, auto" },
	{ FOR_HEAP, "heap start --rate 0",
	  "heap: \"0\" is not a rate in bytes (65536, 64KiB or 1MiB; 1 B to 1 GiB)" },
	{ FOR_HEAP, "heap start --rate 64k",
	  "heap: \"64k\" is not a rate in bytes (65536, 64KiB or 1MiB; 1 B to 1 GiB)" },
	{ FOR_HEAP, "heap start --max-overhead 0",
	  "heap: \"0\" is not an overhead in percent (1 to 100000)" },
	{ FOR_HEAP, "heap start --max-overhead 100001",
	  "heap: \"100001\" is not an overhead in percent (1 to 100000)" },
	{ FOR_HEAP, "heap start --max-overhead 5%",
	  "heap: \"5%\" is not an overhead in percent (1 to 100000)" },
	{ FOR_HEAP, "heap start --for 0.5",
	  "heap: \"0.5\" is not a time to sample for (60, 60s, 5m or 1h; 1 to 86400 s)" },
	{ FOR_HEAP, "heap start --for 25h",
	  "heap: \"25h\" is not a time to sample for (60, 60s, 5m or 1h; 1 to 86400 s)" },
	{ FOR_HEAP, "heap start -d 5",
	  "heap: unknown option \"-d\"; see \"spprofctl heap --help\"" },
	{ FOR_HEAP, "heap stop --tier auto", "heap: --tier is for start" },
	{ FOR_HEAP, "heap status --for 5", "heap: --for is for start" },
	{ FOR_HEAP, "heap start -p 1 --all",
	  "heap: needs only one of --pid, --match, --unit, --cgroup or --all" },
	{ FOR_SNAPSHOT, "snapshot --json -f json",
	  "snapshot: --json prints what is shown; it does not go with --format" },
	{ FOR_SNAPSHOT, "snapshot -f json -t",
	  "snapshot: --threads needs a profile, which JSON is not" },
	{ FOR_TREE, "tree --input x -f json",
	  "tree: unknown format \"json\"; there are speedscope, collapsed, pprof, html, svg" },
	{ FOR_TOP, "top --heap", "top: unknown option \"--heap\"; see \"spprofctl top --help\"" },
	{ FOR_TOP, "top --count 0", "top: \"0\" is not a count (1 to 1000000000)" },
	{ FOR_TOP, "top --delay 0.05", "top: \"0.05\" is not a delay in seconds (0.1 to 86400)" },
	{ FOR_TREE, "tree", "tree: needs --input, or --pid, --match, --unit, --cgroup or --all" },
	{ FOR_TREE, "tree --input x -p 1",
	  "tree: --input is a file: it does not go with a process or time" },
	{ FOR_TREE, "tree --input x --last 5",
	  "tree: --input is a file: it does not go with a process or time" },
	{ FOR_TREE, "tree -p 1 --last 5 -d 5",
	  "tree: --last looks back, --duration ahead: only one of them" },
	{ FOR_TREE, "tree --input x --input y", "tree: --input may be given once" },
	{ FOR_TREE, "tree --input=", "tree: --input needs a value that is not empty" },
	{ FOR_TREE, "tree -p 1 --event e", "tree: --event needs --input" },
	{ FOR_TREE, "tree -p 1 --symfs /x", "tree: --symfs needs --input" },
	{ FOR_TREE, "tree --input x --order caller",
	  "tree: unknown option \"--order\"; see \"spprofctl tree --help\"" },
	{ FOR_TREE, "tree --input x --by age",
	  "tree: cannot split by \"age\"; there are thread, process, none" },
	{ FOR_TREE, "tree --input x --min 1e1",
	  "tree: \"1e1\" is not a share in percent (0 to 100)" },
	{ FOR_TREE, "tree --input x --implementation js",
	  "tree: unknown implementation \"js\"; there are python, native, kernel, combined" },
	{ FOR_HIERARCHY, "hierarchy --input x", "hierarchy: needs --targets or --targets-file" },
	{ FOR_HIERARCHY, "hierarchy --targets= --input x",
	  "hierarchy: --targets needs a value that is not empty" },
	{ FOR_HIERARCHY, "hierarchy --targets-file= --input x",
	  "hierarchy: --targets-file needs a value that is not empty" },
	{ FOR_HIERARCHY, "hierarchy --targets", "hierarchy: --targets needs a value" },
	{ FOR_HIERARCHY, "hierarchy --targets a",
	  "hierarchy: needs --input, or --pid, --match, --unit, --cgroup or --all" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x --all",
	  "hierarchy: --input is a file: it does not go with a process or time" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x -d 1",
	  "hierarchy: --input is a file: it does not go with a process or time" },
	{ FOR_HIERARCHY, "hierarchy --targets a --all --last 1 -d 1",
	  "hierarchy: --last looks back, --duration ahead: only one of them" },
	{ FOR_HIERARCHY, "hierarchy --targets a --all -p 1",
	  "hierarchy: needs only one of --pid, --match, --unit, --cgroup or --all" },
	{ FOR_HIERARCHY, "hierarchy --targets a --all --order caller",
	  "hierarchy: --order needs --input" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x --order up",
	  "hierarchy: unknown order \"up\"; there are caller, callee" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x --event e --event f",
	  "hierarchy: --event may be given once" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x --json --explain",
	  "hierarchy: --explain prints text; it does not go with --json" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x a",
	  "hierarchy: unexpected argument \"a\"" },
	{ FOR_HIERARCHY, "hierarchy --targets a --input x -o y",
	  "hierarchy: unknown option \"-o\"; see \"spprofctl hierarchy --help\"" },
	{ FOR_TOP, "top --sort self",
	  "top: cannot sort by \"self\"; there are own, total, own-time, total-time" },
};

Test(cli_options, what_is_wrong_is_said_in_one_line)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o = { .count = 77 };
		char copy[512];
		int exit = parse(refused[i].verb, refused[i].line, copy, &o, &message);

		cr_assert(exit == SPPROF_EXIT_USAGE, "%s: %d", refused[i].line, exit);
		cr_assert(!strcmp(message.data, refused[i].message), "%s: %s", refused[i].line,
			  message.data);
		cr_assert(o.count == 77, "outputs are untouched on failure");
	}
}

Test(cli_options, unknown_formats_are_told_which_there_are)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_RECORD, "record -p 1 -f gif", copy, &o, &message) == 2);
	cr_assert(strstr(message.data, "unknown format \"gif\"") != NULL, "%s", message.data);
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
		cr_assert(o.targets.pid_count == 1 && o.targets.pids[0] == 12);
		cr_assert(o.hz == 499 && o.format == &export_collapsed);
		cr_assert(fabs(o.seconds - 1.5) < 1e-12);
		cr_assert(!strcmp(o.output, "-") && !strcmp(o.socket, "/s"), "%s %s", o.output,
			  o.socket);
		cr_assert(o.shape.with_threads && !o.shape.with_lines && !o.shape.as_samples);
		cr_assert(!o.command && !o.targets.all && !o.wants_help && !o.as_json);
	}
}

Test(cli_options, what_is_not_said_has_a_default)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	unsetenv(SPPROF_SOCKET_ENV);
	cr_assert(parse(FOR_RECORD, "record --all --lines --samples", copy, &o, &message) == 0);
	cr_assert(o.targets.all && o.targets.pid_count == 0 && o.hz == SPPROF_HZ_DEFAULT);
	cr_assert(o.seconds <= 0 && o.last <= 0 && o.format == &export_speedscope && !o.output);
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
	cr_assert(!o.targets.all && fabs(o.seconds - 3) < 1e-12);
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
	cr_assert(strstr(help.data, "-p, --pid PID[,PID]") != NULL);
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

Test(cli_options, pids_add_up_and_each_counts_once)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_DUMP, "dump -p 3,1 --pid=2,3 -p1", copy, &o, &message) == 0);
	cr_assert(o.targets.pid_count == 3);
	cr_assert(o.targets.pids[0] == 3 && o.targets.pids[1] == 1 && o.targets.pids[2] == 2);
}

Test(cli_options, pids_are_limited)
{
	OWNS(buffer) struct buffer message = { 0 };
	OWNS(buffer) struct buffer line = { 0 };
	struct cli_options o;
	char copy[512];

	buffer_add_text(&line, "dump -p 1");
	for (int pid = 2; pid <= SPPROF_PIDS_MAX; pid++)
		buffer_print(&line, ",%d", pid);
	cr_assert(parse(FOR_DUMP, line.data, copy, &o, &message) == 0);
	cr_assert(o.targets.pid_count == SPPROF_PIDS_MAX);
	buffer_print(&line, ",%d", SPPROF_PIDS_MAX + 1);
	cr_assert(parse(FOR_DUMP, line.data, copy, &o, &message) == SPPROF_EXIT_USAGE);
	cr_assert(!strcmp(message.data, "dump: --pid takes at most 64 processes"));
}

Test(cli_options, nothing_needs_to_be_selected)
{
	static const enum cli_verb_bit verbs[] = { FOR_DUMP, FOR_RECORD, FOR_SNAPSHOT, FOR_TOP };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o;
		char copy[512];

		cr_assert(parse(verbs[i], "verb", copy, &o, &message) == 0, "%s", message.data);
		cr_assert(!o.targets.pid_count && !o.targets.match && !o.targets.all);
	}
}

Test(cli_options, a_snapshot_is_a_page_or_a_profile)
{
	static const struct {
		const char *line;
		const struct exporter *format;
	} lines[] = { { "snapshot", NULL },
		      { "snapshot -d 3 --json", NULL },
		      { "snapshot -o -", &export_speedscope },
		      { "snapshot -f pprof", &export_pprof },
		      { "snapshot -f collapsed -t --lines --samples", &export_collapsed } };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o;
		char copy[512];

		cr_assert(parse(FOR_SNAPSHOT, lines[i].line, copy, &o, &message) == 0, "%s",
			  message.data);
		cr_assert(o.format == lines[i].format, "%s", lines[i].line);
	}
}

Test(cli_options, a_snapshot_has_parts)
{
	static const struct {
		const char *line;
		unsigned int parts;
		const struct exporter *format;
		bool to_json;
	} lines[] = {
		{ "snapshot", 0, NULL, false },
		{ "snapshot --cpu -d 3", PART_CPU, NULL, false },
		{ "snapshot --heap --json", PART_HEAP, NULL, false },
		{ "snapshot --heap -o x", PART_HEAP, &export_speedscope, false },
		{ "snapshot --types -f pprof", PART_TYPES, &export_pprof, false },
		{ "snapshot --types -f json -o x", PART_TYPES, NULL, true },
		{ "snapshot -f json", 0, NULL, true },
		{ "snapshot -f json -f svg", 0, &export_svg, false },
		{ "snapshot --diff x", PART_TYPES, NULL, false },
		{ "snapshot --diff x -f json", PART_TYPES, NULL, true },
		{ "snapshot --types --every 5", PART_TYPES, NULL, false },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o;
		char copy[512];

		cr_assert(parse(FOR_SNAPSHOT, lines[i].line, copy, &o, &message) == 0, "%s",
			  message.data);
		cr_assert(o.page.parts == lines[i].parts, "%s", lines[i].line);
		cr_assert(o.format == lines[i].format, "%s", lines[i].line);
		cr_assert(o.page.to_json == lines[i].to_json, "%s", lines[i].line);
	}
}

Test(cli_options, scans_have_a_time_between_and_maybe_an_end)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_SNAPSHOT, "snapshot --diff f --every 2min --count 12", copy, &o,
			&message) == 0,
		  "%s", message.data);
	cr_assert(!strcmp(o.page.before, "f") && fabs(o.page.every - 120) < 1e-12);
	cr_assert(o.count == 12);
	cr_assert(parse(FOR_SNAPSHOT, "snapshot --every 0.1", copy, &o, &message) == 0);
	cr_assert(o.count == 0 && !o.page.before && fabs(o.page.every - 0.1) < 1e-12);
}

Test(cli_options, heap_begins_ends_and_tells)
{
	static const struct {
		const char *line;
		enum cli_action action;
		const char *tier;
		uint64_t rate;
		unsigned int max_overhead;
		double seconds;
	} lines[] = {
		{ "heap status", ACTION_STATUS, NULL, 0, 0, 0 },
		{ "heap stop -p 12 --json", ACTION_STOP, NULL, 0, 0, 0 },
		{ "heap start -p 12", ACTION_START, NULL, 0, 0, 0 },
		{ "heap start -p 12 --tier growth --for 5m", ACTION_START, "growth", 0, 0, 300 },
		{ "heap start --tier trace --rate 64KiB --max-overhead 100000 --for 1.5",
		  ACTION_START, "trace", 65536, 100000, 1.5 },
		{ "heap start --tier auto --rate 1G --max-overhead 1", ACTION_START, "auto",
		  1 << 30, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o;
		char copy[512];

		cr_assert(parse(FOR_HEAP, lines[i].line, copy, &o, &message) == 0, "%s",
			  message.data);
		cr_expect(o.action == lines[i].action, "%s", lines[i].line);
		cr_expect(!o.probes.tier == !lines[i].tier, "%s", lines[i].line);
		cr_expect(!lines[i].tier || !strcmp(o.probes.tier, lines[i].tier));
		cr_expect(o.probes.rate == lines[i].rate, "%s", lines[i].line);
		cr_expect(o.probes.max_overhead == lines[i].max_overhead, "%s", lines[i].line);
		cr_expect(fabs(o.seconds - lines[i].seconds) < 1e-12, "%s", lines[i].line);
	}
}

Test(cli_options, heap_has_help_before_and_after_what_it_does)
{
	static const char *const lines[] = { "heap --help", "heap -h", "heap start --help" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		OWNS(buffer) struct buffer message = { 0 };
		struct cli_options o;
		char copy[512];

		cr_assert(parse(FOR_HEAP, lines[i], copy, &o, &message) == 0, "%s", message.data);
		cr_assert(o.wants_help, "%s", lines[i]);
	}
}

Test(cli_options, a_heap_is_looked_at_for_a_while)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_SNAPSHOT, "snapshot --heap -d 60 --tier trace --rate 1MiB -f svg", copy,
			&o, &message) == 0,
		  "%s", message.data);
	cr_assert(o.page.parts == PART_HEAP && fabs(o.seconds - 60) < 1e-12);
	cr_assert(!strcmp(o.probes.tier, "trace") && o.probes.rate == 1 << 20);
	cr_assert(parse(FOR_SNAPSHOT, "snapshot --heap -d 1 --json", copy, &o, &message) == 0);
	cr_assert(!o.probes.tier && !o.probes.rate && !o.probes.max_overhead);
}

Test(cli_options, bytes_have_units)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = { { "1", 1 },	   { "65536", 65536 },	  { "7B", 7 },
		     { "64K", 65536 },	   { "64KiB", 65536 },	  { "1M", 1 << 20 },
		     { "3MiB", 3 << 20 },  { "1G", 1 << 30 },	  { "1GiB", 1 << 30 },
		     { "0001K", 1 << 10 }, { "4GiB", 1ull << 32 } };
	static const char *const wrong[] = { "",
					     "K",
					     "-1",
					     "1.5K",
					     "1k",
					     "1KB",
					     "1 KiB",
					     "1Kib",
					     "0x10",
					     "1KK",
					     "nan",
					     "0",
					     "5GiB",
					     "99999999999999999999",
					     "18446744073709551615G" };
	uint64_t bytes = 77;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert(value_bytes(rows[i].text, 1, 1ull << 32, &bytes) == 0, "%s",
			  rows[i].text);
		cr_assert(bytes == rows[i].bytes, "%s", rows[i].text);
	}
	bytes = 77;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert(value_bytes(wrong[i], 1, 1ull << 32, &bytes) && bytes == 77, "%s",
			  wrong[i]);
}

Test(cli_options, top_has_an_order_a_delay_and_maybe_an_end)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_TOP, "top", copy, &o, &message) == 0);
	cr_assert(o.count == 0 && fabs(o.delay - 1) < 1e-12 && o.order == TOP_BY_OWN);
	cr_assert(parse(FOR_TOP, "top --count 3 --delay 0.5 --sort total-time", copy, &o,
			&message) == 0);
	cr_assert(o.count == 3 && fabs(o.delay - 0.5) < 1e-12 && o.order == TOP_BY_TOTAL_TIME);
}

Test(cli_options, a_hierarchy_has_lists_of_targets_and_inputs)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	char copy[512];

	cr_assert(parse(FOR_HIERARCHY,
			("hierarchy --targets a,b --targets-file f --targets c --input x --input - "
			 "--event e --symfs /s --order callee --self --explain"),
			copy, &o, &message) == 0,
		  "%s", message.data);
	cr_assert(o.hierarchy.list_count == 3 && o.hierarchy.lists[1].is_file);
	cr_assert(!strcmp(o.hierarchy.lists[0].text, "a,b") && !o.hierarchy.lists[0].is_file);
	cr_assert(!strcmp(o.hierarchy.lists[2].text, "c") && !o.hierarchy.lists[2].is_file);
	cr_assert(o.input.count == 2 && !strcmp(o.input.names[0], "x"));
	cr_assert(!strcmp(o.input.names[1], "-") && !strcmp(o.input.event, "e"));
	cr_assert(!strcmp(o.input.symfs, "/s") && o.input.order == IMPORT_ORDER_CALLEE);
	cr_assert(o.hierarchy.by_self && o.hierarchy.explains && !o.as_json);
}

Test(cli_options, lists_and_inputs_are_limited)
{
	static const char *const names[] = { "--targets", "--input" };

	for (size_t i = 0; i < 2; i++) {
		OWNS(buffer) struct buffer message = { 0 }, line = { 0 };
		char *argv[2 * CLI_INPUTS_MAX + 4] = { "hierarchy" };
		char option[] = "--targets", input[] = "--input", value[] = "a";
		struct cli_options o;
		int argc = 1;

		for (int n = 0; n <= CLI_INPUTS_MAX; n++) {
			argv[argc++] = i ? input : option;
			argv[argc++] = value;
		}
		cr_assert(options_parse(FOR_HIERARCHY, argc, argv, &o, &message) == 2);
		buffer_print(&line, "hierarchy: %s may be given 256 times at most", names[i]);
		cr_assert(!strcmp(message.data, line.data), "%s", message.data);
	}
}

Test(cli_options, times_have_units)
{
	static const struct {
		const char *text;
		double seconds;
	} rows[] = { { "60", 60 },     { "60s", 60 },  { "5m", 300 },	 { "1h", 3600 },
		     { "24h", 86400 }, { "1.5m", 90 }, { "0.5h", 1800 }, { "2min", 120 } };
	static const char *const wrong[] = {
		"",    "s",	 "m",	 "0",	  "0m",
		"25h", "86401",	 "5 m",	 "-1",	  "5M",
		"1d",  "min",	 "1mi",	 "1mins", "1hm",
		"m5",  "1.2.3s", "1e3s", "nan",	  "0000000000000000000000001m"
	};
	double seconds = -1;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert(value_time(rows[i].text, &seconds) == 0, "%s", rows[i].text);
		cr_assert(fabs(seconds - rows[i].seconds) < 1e-9, "%s", rows[i].text);
	}
	seconds = -1;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert(value_time(wrong[i], &seconds) && seconds < 0, "%s", wrong[i]);
}
