/* SPDX-License-Identifier: Apache-2.0 */
/* What may follow a verb: one table of options, each with the verbs that take it. */
#ifndef SPPROF_CLI_OPTIONS_H
#define SPPROF_CLI_OPTIONS_H

#include "base/buffer.h"
#include "calltree/implementation.h"
#include "cli/top_order.h"
#include "export/exporter.h"
#include "import/import.h"
#include "spprof_api.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum cli_verb_bit {
	FOR_STATUS = 1 << 0,
	FOR_LIST = 1 << 1,
	FOR_DUMP = 1 << 2,
	FOR_RECORD = 1 << 3,
	FOR_SNAPSHOT = 1 << 4,
	FOR_TOP = 1 << 5,
	FOR_TREE = 1 << 6,
	FOR_HIERARCHY = 1 << 7,
	FOR_HEAP = 1 << 8,
	FOR_TARGETS = FOR_DUMP | FOR_RECORD | FOR_SNAPSHOT | FOR_TOP | FOR_TREE | FOR_HIERARCHY |
		      FOR_HEAP,
	FOR_ALL = FOR_STATUS | FOR_LIST | FOR_TARGETS,
};

/* Which processes: one of these, or nothing said. */
struct cli_targets {
	pid_t pids[SPPROF_PIDS_MAX]; /* each once */
	unsigned int pid_count;
	const char *match;  /* a regular expression that compiles */
	const char *unit;   /* of systemd */
	const char *cgroup; /* a path */
	bool all;
};

#define CLI_INPUTS_MAX 256

/* Files instead of live processes, and how they are read. */
struct cli_input {
	const char *names[CLI_INPUTS_MAX]; /* "-": standard input */
	unsigned int count;		   /* 0: of live processes */
	const char *event;		   /* of perf's; NULL: not said */
	const char *symfs;		   /* a folder with binaries; NULL: this machine's */
	enum import_order order;	   /* of a perf report that does not tell */
};

#define CLI_TRANSFORMS_MAX 256

enum cli_tree_by { TREE_BY_UNSAID, TREE_BY_NONE, TREE_BY_THREAD, TREE_BY_PROCESS };

/* What `tree` makes of a profile. */
struct cli_tree {
	const char *transforms[CLI_TRANSFORMS_MAX]; /* in order, as they were written */
	unsigned int transform_count;
	enum tree_implementation implementation;
	bool is_inverted;
	enum cli_tree_by by;
	double min_percent; /* 0: everything is shown */
	const char *search; /* NULL: none */
};

#define CLI_LISTS_MAX 256

/* A list of functions of interest, for targets.h. */
struct cli_list {
	const char *text;
	bool is_file; /* then @text is its name */
};

/* What `hierarchy` shows, and how. */
struct cli_hierarchy {
	struct cli_list lists[CLI_LISTS_MAX];
	unsigned int list_count; /* at least 1 */
	bool by_self;
	bool explains;
};

/* Parts of a snapshot's page. */
enum cli_part {
	PART_CPU = 1 << 0,
	PART_HEAP = 1 << 1,
	PART_TYPES = 1 << 2, /* of the heap, all of them */
};

/* What a snapshot shows. */
struct cli_page {
	unsigned int parts; /* bits of enum cli_part, one at most; 0: the whole page */
	const char *before; /* a file to compare the types with; NULL: none */
	double every;	    /* seconds between scans whose trend is wanted; 0: one scan */
	bool to_json;	    /* what --json prints goes into a file */
};

/* What `heap` does. */
enum cli_action { ACTION_UNSAID, ACTION_START, ACTION_STOP, ACTION_STATUS };

/* How allocations are sampled. */
struct cli_probes {
	const char *tier;	   /* "growth", "trace" or "auto"; NULL: not said */
	uint64_t rate;		   /* bytes from sample to sample; 0: the tier's own */
	unsigned int max_overhead; /* percent of the target's processor time; 0: the tier's own */
};

struct cli_options {
	enum cli_verb_bit verb;
	enum cli_action action;
	const char *socket;
	bool wants_help; /* then nothing else was checked */
	bool as_json;
	struct cli_targets targets;
	char **command;		       /* a program to start, with its arguments, or NULL */
	double seconds;		       /* 0: until stopped; snapshot: at once; heap: no end */
	double last;		       /* seconds of the past instead; 0: no */
	double recent;		       /* the same, or what there is of them; 0: no */
	unsigned int hz;	       /* 0: not said */
	const struct exporter *format; /* NULL: not said, and there is a page to print */
	const char *output;	       /* NULL: a name of our own; "-": standard output */
	struct export_options shape;
	unsigned int count; /* blocks or scans; 0: no end */
	double delay;	    /* seconds between them */
	enum top_order order;
	struct cli_input input;
	struct cli_page page;
	struct cli_probes probes;
	struct cli_tree tree;
	struct cli_hierarchy hierarchy;
};

/*
 * @argv[0] is the verb's name. Returns 0, or SPPROF_EXIT_USAGE and what is wrong in
 * @message, in one line. Texts in *@out point into @argv or the environment.
 */
int options_parse(enum cli_verb_bit verb, int argc, char **argv, struct cli_options *out,
		  struct buffer *message);

/* Appends a line for each option that the verb takes. */
void options_help(enum cli_verb_bit verb, struct buffer *out);

#endif
