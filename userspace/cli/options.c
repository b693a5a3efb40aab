/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "cli/values.h"
#include "spprof_api.h"

#include <getopt.h>
#include <string.h>
#include <sys/un.h>

#define PID_MOST (1u << 22) /* the kernel's PID_MAX_LIMIT */
#define STACKED (FOR_DUMP | FOR_RECORD)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Long options without a letter, and the reserved ones, whose letters are above. */
enum { OPT_ALL = 256, OPT_JSON, OPT_LINES, OPT_SAMPLES };

static const struct option_row {
	int key; /* the letter, or OPT_… */
	const char *name;
	const char *value; /* what the help calls it; NULL: takes none */
	unsigned int verbs;
	const char *help; /* NULL: reserved, refused with a word */
} rows[] = {
	{ 'p', "pid", "PID", STACKED, "the process" },
	{ OPT_ALL, "all", NULL, FOR_RECORD, "every Python process that you may see" },
	{ 'd', "duration", "SECONDS", FOR_RECORD, "how long; else until Ctrl-C" },
	{ 'r', "rate", "HZ", FOR_RECORD, "samples a second and processor, 1 to 10000 (99)" },
	{ 'f', "format", "FORMAT", FOR_RECORD, "speedscope, collapsed or pprof (speedscope)" },
	{ 'o', "output", "FILE", FOR_RECORD, "where to; - is standard output" },
	{ 't', "threads", NULL, FOR_RECORD, "collapsed: the thread comes first" },
	{ OPT_LINES, "lines", NULL, FOR_RECORD, "collapsed: the line that runs" },
	{ OPT_SAMPLES, "samples", NULL, FOR_RECORD, "collapsed: samples, not nanoseconds" },
	{ OPT_JSON, "json", NULL, FOR_STATUS | FOR_LIST | FOR_DUMP, "print JSON" },
	{ 'S', "socket", "PATH", FOR_ALL, "the daemon's socket (also SPPROF_SOCKET)" },
	{ 'h', "help", NULL, FOR_ALL, "print this" },
	{ 'n', "native", NULL, STACKED, NULL },
	{ 'g', "gil", NULL, STACKED, NULL },
	{ 'i', "idle", NULL, STACKED, NULL },
	{ 's', "subprocesses", NULL, STACKED, NULL },
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

/* "VERB: …" into @message, and the exit code. */
#define usage(message, verb, ...)                        \
	({                                               \
		buffer_print((message), "%s: ", (verb)); \
		buffer_print((message), __VA_ARGS__);    \
		SPPROF_EXIT_USAGE;                       \
	})

static int apply_pid(struct cli_options *o, const char *verb, struct buffer *message)
{
	unsigned int pid;

	if (o->pid)
		return usage(message, verb, "--pid may be given once");
	if (value_whole(optarg, 1, PID_MOST, &pid))
		return usage(message, verb, "\"%s\" is not a process id (1 to %u)", optarg,
			     PID_MOST);
	o->pid = pid;
	return 0;
}

static int apply_format(struct cli_options *o, const char *verb, struct buffer *message)
{
	o->format = exporter_find(optarg);
	if (o->format)
		return 0;
	usage(message, verb, "unknown format \"%s\"; there are", optarg);
	for (unsigned int i = 0; exporter_at(i); i++)
		buffer_print(message, "%s %s", i ? "," : "", exporter_at(i)->name);
	return SPPROF_EXIT_USAGE;
}

/* Options with a value. */
static int apply_value(int key, struct cli_options *o, const char *verb, struct buffer *message)
{
	switch (key) {
	case 'p':
		return apply_pid(o, verb, message);
	case 'f':
		return apply_format(o, verb, message);
	case 'd':
		if (value_seconds(optarg, &o->seconds))
			return usage(message, verb,
				     "\"%s\" is not a duration in seconds (above 0, at most %d)",
				     optarg, SPPROF_SECONDS_MAX);
		return 0;
	case 'r':
		if (value_whole(optarg, SPPROF_HZ_MIN, SPPROF_HZ_MAX, &o->hz))
			return usage(message, verb, "\"%s\" is not a rate in Hz (%d to %d)", optarg,
				     SPPROF_HZ_MIN, SPPROF_HZ_MAX);
		return 0;
	case 'o':
		if (!*optarg)
			return usage(message, verb, "--output needs a file's name");
		o->output = optarg;
		return 0;
	default: /* 'S' */
		o->socket = optarg;
		return 0;
	}
}

static void apply_flag(int key, struct cli_options *o)
{
	switch (key) {
	case OPT_ALL:
		o->all_processes = true;
		break;
	case OPT_JSON:
		o->as_json = true;
		break;
	case OPT_LINES:
		o->shape.with_lines = true;
		break;
	case OPT_SAMPLES:
		o->shape.as_samples = true;
		break;
	case 't':
		o->shape.with_threads = true;
		break;
	default: /* 'h' */
		o->wants_help = true;
	}
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
		return apply_value(key, o, argv[0], message);
	apply_flag(key, o);
	return 0;
}

static int check_target(enum cli_verb_bit verb, const struct cli_options *o, const char *name,
			struct buffer *message)
{
	int targets = !!o->pid + o->all_processes + !!o->command;

	if (verb == FOR_DUMP && !o->pid)
		return usage(message, name, "needs --pid PID; \"spprofctl list\" shows them");
	if (verb == FOR_RECORD && targets != 1)
		return usage(message, name, "needs %s--pid PID, --all or -- PROGRAM",
			     targets ? "only one of " : "");
	return 0;
}

static int check_socket(struct cli_options *o, const char *name, struct buffer *message)
{
	const char *inherited = getenv(SPPROF_SOCKET_ENV);
	size_t most = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

	if (!o->socket)
		o->socket = inherited && *inherited ? inherited : SPPROF_SOCKET_DEFAULT;
	if (!*o->socket)
		return usage(message, name, "--socket needs a path");
	if (strlen(o->socket) > most)
		return usage(message, name, "the socket's path is longer than %zu bytes: %s", most,
			     o->socket);
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
	o->command = *rest ? rest : NULL;
	return 0;
}

int options_parse(enum cli_verb_bit verb, int argc, char **argv, struct cli_options *out,
		  struct buffer *message)
{
	struct cli_options o = { .hz = SPPROF_HZ_DEFAULT, .format = &export_speedscope };
	struct getopt_tables tables;
	int key, before, err = 0;

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
		err = check_target(verb, &o, argv[0], message);
	if (!err && !o.wants_help)
		err = check_socket(&o, argv[0], message);
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
