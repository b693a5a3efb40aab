/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "cli/options_parts.h"

#include <getopt.h>
#include <string.h>

#define PROFILED (FOR_RECORD | FOR_SNAPSHOT | FOR_TREE)
#define FOR_CALLS (FOR_TREE | FOR_HIERARCHY)
#define FOR_PROBES (FOR_HEAP | FOR_SNAPSHOT)
#define JSON (FOR_STATUS | FOR_LIST | FOR_DUMP | FOR_PROBES | FOR_CALLS)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct option_row {
	int key; /* the letter, or OPT_… */
	const char *name;
	const char *value; /* what the help calls it; NULL: takes none */
	unsigned int verbs;
	const char *help; /* NULL: reserved, refused with a word */
} rows[] = {
	{ 'p', "pid", "PID[,PID]", FOR_TARGETS, "the process; may be given again" },
	{ OPT_MATCH, "match", "REGEX", FOR_TARGETS, "your processes whose command line matches" },
	{ OPT_UNIT, "unit", "NAME", FOR_TARGETS, "those of a systemd unit" },
	{ OPT_CGROUP, "cgroup", "PATH", FOR_TARGETS, "those of a control group" },
	{ OPT_ALL, "all", NULL, FOR_TARGETS, "every Python process that you may see" },
	{ 'd', "duration", "SECONDS", FOR_RECORD, "how long; else until Ctrl-C" },
	{ OPT_TARGETS, "targets", "NAMES", FOR_HIERARCHY,
	  "the functions to show: NAME,NAME; may be given again" },
	{ OPT_TARGETS_FILE, "targets-file", "FILE", FOR_HIERARCHY, "a file with one a line" },
	{ OPT_INPUT, "input", "FILE", FOR_TREE, "a profile instead; - is standard input" },
	{ OPT_INPUT, "input", "FILE", FOR_HIERARCHY,
	  "a profile instead; - is standard input; may be given again" },
	{ OPT_EVENT, "event", "NAME", FOR_CALLS, "the event of a file of perf's" },
	{ OPT_SYMFS, "symfs", "FOLDER", FOR_CALLS, "where the binaries of a perf.data are" },
	{ OPT_ORDER, "order", "ORDER", FOR_HIERARCHY,
	  "caller or callee, of a perf report that does not tell" },
	{ 'd', "duration", "SECONDS", FOR_CALLS, "look so long first; else back at 10 s" },
	{ 'd', "duration", "SECONDS", FOR_SNAPSHOT,
	  "look so long first; --heap: at who allocates" },
	{ OPT_LAST, "last", "TIME", FOR_RECORD, "the past instead: 60, 60s, 5m or 1h" },
	{ OPT_LAST, "last", "TIME", FOR_CALLS, "so much of the past: 60, 60s, 5m or 1h" },
	{ 'r', "rate", "HZ", FOR_RECORD, "samples a second and processor, 1 to 10000 (99)" },
	{ 'f', "format", "FORMAT", FOR_RECORD, "as `man spprofctl-record` has them (speedscope)" },
	{ 'f', "format", "FORMAT", FOR_SNAPSHOT, "write a profile, as record does; or json" },
	{ 'f', "format", "FORMAT", FOR_TREE, "write a profile in one of record's formats" },
	{ 'o', "output", "FILE", PROFILED, "where to; - is standard output" },
	{ 't', "threads", NULL, PROFILED, "collapsed: the thread comes first" },
	{ OPT_LINES, "lines", NULL, PROFILED, "collapsed: the line that runs" },
	{ OPT_SAMPLES, "samples", NULL, PROFILED, "collapsed: samples, not nanoseconds" },
	{ OPT_CPU, "cpu", NULL, FOR_SNAPSHOT, "all but the heap" },
	{ OPT_HEAP, "heap", NULL, FOR_SNAPSHOT, "what the heap holds, only" },
	{ OPT_TYPES, "types", NULL, FOR_SNAPSHOT, "all types of the heap, only" },
	{ OPT_TIER, "tier", "TIER", FOR_PROBES, "who allocates, by growth, trace or auto (auto)" },
	{ OPT_RATE, "rate", "BYTES", FOR_PROBES, "from sample to sample: 65536, 64KiB" },
	{ OPT_MAX_OVERHEAD, "max-overhead", "PCT", FOR_PROBES,
	  "of its processor time, then it ends" },
	{ OPT_FOR, "for", "TIME", FOR_HEAP, "end by itself: 60, 60s, 5m or 1h" },
	{ OPT_DIFF, "diff", "FILE", FOR_SNAPSHOT, "what grew since --types --json wrote FILE" },
	{ OPT_EVERY, "every", "TIME", FOR_SNAPSHOT, "how types grow, scan by scan: 5s, 2min" },
	{ OPT_COUNT, "count", "N", FOR_SNAPSHOT, "end after N scans; else at Ctrl-C" },
	{ OPT_COUNT, "count", "N", FOR_TOP, "end after N blocks of plain text" },
	{ OPT_DELAY, "delay", "SECONDS", FOR_TOP, "between two looks (1)" },
	{ OPT_SORT, "sort", "COLUMN", FOR_TOP, "own, total, own-time or total-time (own)" },
	{ OPT_TRANSFORM, "transform", "TYPE[@IMPL]:ARG", FOR_TREE, "may be given again; in order" },
	{ OPT_IMPLEMENTATION, "implementation", "IMPL", FOR_TREE,
	  "python, native, kernel, combined" },
	{ OPT_SEARCH, "search", "TEXT", FOR_TREE, "samples with TEXT in a name or file only" },
	{ OPT_INVERT, "invert", NULL, FOR_TREE, "what ran first, its callers below it" },
	{ OPT_BY, "by", "WHAT", FOR_TREE, "a tree for each thread or process, or none" },
	{ OPT_MIN, "min", "PERCENT", FOR_TREE, "leave out what is less than that" },
	{ OPT_SELF, "self", NULL, FOR_HIERARCHY, "what runs most itself comes first" },
	{ OPT_EXPLAIN, "explain", NULL, FOR_HIERARCHY, "say how each number came about" },
	{ OPT_JSON, "json", NULL, JSON, "print JSON" },
	{ 'S', "socket", "PATH", FOR_ALL, "the daemon's socket (also SPPROF_SOCKET)" },
	{ 'h', "help", NULL, FOR_ALL, "print this" },
	{ 'n', "native", NULL, FOR_TARGETS, NULL },
	{ 'g', "gil", NULL, FOR_TARGETS, NULL },
	{ 'i', "idle", NULL, FOR_TARGETS, NULL },
	{ 's', "subprocesses", NULL, FOR_TARGETS, NULL },
};

/* The table as getopt_long() wants it, with what the verb takes. */
struct getopt_tables {
	char letters[2 * COUNT(rows) + 3];
	struct option longs[COUNT(rows) + 1];
};

static void fill_tables(struct getopt_tables *t, enum cli_verb_bit verb)
{
	size_t letters = 2, longs = 0;

	/* Stop at the first argument that is no option; tell a missing value apart. */
	*t = (struct getopt_tables){ .letters = "+:" };
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!(rows[i].verbs & verb))
			continue;
		t->longs[longs++] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].value ? required_argument : no_argument,
			.val = rows[i].key,
		};
		if (rows[i].key >= OPT_ALL)
			continue;
		t->letters[letters++] = rows[i].key;
		if (rows[i].value)
			t->letters[letters++] = ':';
	}
}

static const struct option_row *row_of(int key)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].key == key)
			return &rows[i];
	return NULL;
}

/* What getopt_long() did not like about @text. */
static int refuse(int key, const char *text, const char *verb, struct buffer *message)
{
	const struct option_row *row = row_of(optopt);

	if (key == ':')
		return usage(message, verb, "--%s needs a value", row->name);
	if (row && optopt && !strncmp(text, "--", 2))
		return usage(message, verb, "--%s takes no value", row->name);
	if (optopt)
		return usage(message, verb, "unknown option \"-%c\"; see \"spprofctl %s --help\"",
			     optopt, verb);
	return usage(message, verb, "unknown option \"%s\"; see \"spprofctl %s --help\"", text,
		     verb);
}

static int apply(int key, struct cli_options *o, char **argv, struct buffer *message)
{
	const struct option_row *row = row_of(key);

	if (!row)
		return refuse(key, argv[optind - 1], argv[0], message);
	if (!row->help)
		return usage(message, argv[0], "--%s is not supported yet", row->name);
	if (row->value)
		return options_set(key, optarg, o, argv[0], message);
	options_set_flag(key, o);
	return 0;
}

/* What follows the options; @is_marked: after "--". */
static int take_rest(enum cli_verb_bit verb, bool is_marked, char **argv, struct cli_options *o,
		     struct buffer *message)
{
	char **rest = argv + optind;

	if (*rest && (verb != FOR_RECORD || !is_marked))
		return usage(message, argv[0], "unexpected argument \"%s\"%s", *rest,
			     verb == FOR_RECORD ? "; a program to start follows --" : "");
	if (!*rest && is_marked && verb == FOR_RECORD)
		return usage(message, argv[0], "needs a program after --");
	o->command = *rest ? rest : NULL;
	return 0;
}

/* What comes before the options of a verb that does several things. */
static int take_action(enum cli_verb_bit verb, int *argc, char ***argv, struct cli_options *o,
		       struct buffer *message)
{
	char **args = *argv;

	if (verb != FOR_HEAP || *argc < 2 || *args[1] == '-')
		return 0;
	if (options_set_action(args[1], o, args[0], message))
		return SPPROF_EXIT_USAGE;
	args[1] = args[0];
	++*argv;
	--*argc;
	return 0;
}

int options_parse(enum cli_verb_bit verb, int argc, char **argv, struct cli_options *out,
		  struct buffer *message)
{
	struct cli_options o = { .verb = verb };
	struct getopt_tables tables;
	int key, before, err = take_action(verb, &argc, &argv, &o, message);

	fill_tables(&tables, verb);
	optind = 0; /* start anew: glibc */
	opterr = 0;
	for (before = 1; !err && !o.wants_help; before = optind) {
		key = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
		if (key == -1)
			break;
		err = apply(key, &o, argv, message);
	}
	if (!err && !o.wants_help)
		err = take_rest(verb, optind > before, argv, &o, message);
	if (!err && !o.wants_help)
		err = options_check(verb, &o, argv[0], message);
	if (!err)
		*out = o;
	return err;
}

void options_help(enum cli_verb_bit verb, struct buffer *out)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char letter[8] = "    ", name[32];

		if (!(rows[i].verbs & verb) || !rows[i].help)
			continue;
		if (rows[i].key < OPT_ALL)
			snprintf(letter, sizeof(letter), "-%c, ", rows[i].key);
		snprintf(name, sizeof(name), "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
			 rows[i].value ? rows[i].value : "");
		buffer_print(out, "  %s%-20s %s\n", letter, name, rows[i].help);
	}
}
