/* SPDX-License-Identifier: Apache-2.0 */
/* From the command line to a verb. */
#include "cli/cli.h"

#include "cli/fail.h"
#include "cli/options.h"
#include "cli/output.h"

#include <string.h>

#define WHICH "-p PID | --match REGEX | --unit NAME | --cgroup PATH | --all"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct verb {
	const char *name;
	const char *summary;
	const char *synopsis; /* after the name */
	enum cli_verb_bit bit;
	int (*run)(const struct cli_options *o);
} verbs[] = {
	{ "status", "what the daemon does and what it lost", "[options]", FOR_STATUS, cli_status },
	{ "list", "the Python processes", "[options]", FOR_LIST, cli_list },
	{ "dump", "the stacks of processes now", "[" WHICH "] [options]", FOR_DUMP, cli_dump },
	{ "record", "record a profile into a file",
	  "[options] [" WHICH " | -- PROGRAM [ARGUMENT...]]", FOR_RECORD, cli_record },
	{ "snapshot", "what a process is, does, costs and holds, on a page",
	  "[" WHICH "] [options]", FOR_SNAPSHOT, cli_snapshot },
	{ "heap", "sample who allocates, for snapshot --heap",
	  "start|stop|status [" WHICH "] [options]", FOR_HEAP, cli_heap },
	{ "top", "the functions that use the processor, live", "[" WHICH "] [options]", FOR_TOP,
	  cli_top },
	{ "tree", "the call tree of a process or of a profile",
	  "(--input FILE | " WHICH ") [options]", FOR_TREE, cli_tree },
	{ "hierarchy", "how functions of interest call each other, and what each costs",
	  "--targets NAME[,NAME] (--input FILE | " WHICH ") [options]", FOR_HIERARCHY,
	  cli_hierarchy },
};

static int print_help(void)
{
	OWNS(buffer) struct buffer out = { 0 };

	buffer_add_text(&out, "usage: spprofctl VERB [options]\n\n");
	for (size_t i = 0; i < COUNT(verbs); i++)
		buffer_print(&out, "  %-9s %s\n", verbs[i].name, verbs[i].summary);
	buffer_add_text(&out, "\n  --version print the version\n  --help    print this\n\n"
			      "\"spprofctl VERB --help\" shows a verb's options.\n");
	return output_print(&out);
}

static int print_verb_help(const struct verb *v)
{
	OWNS(buffer) struct buffer out = { 0 };

	buffer_print(&out, "usage: spprofctl %s %s\n%s\n\n", v->name, v->synopsis, v->summary);
	options_help(v->bit, &out);
	return output_print(&out);
}

static int print_version(void)
{
	OWNS(buffer) struct buffer out = { 0 };

	buffer_print(&out, "spprofctl %s (api %d)\n", SPPROF_VERSION, SPPROF_API);
	return output_print(&out);
}

static const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* @wrong: what was there instead of a verb, or NULL. */
static int no_verb(const char *wrong)
{
	OWNS(buffer) struct buffer names = { 0 };

	for (size_t i = 0; i < COUNT(verbs); i++)
		buffer_print(&names, "%s%s", i ? ", " : "", verbs[i].name);
	if (!wrong)
		return fail(SPPROF_EXIT_USAGE, "needs a verb: %s", names.data);
	return fail(SPPROF_EXIT_USAGE, "unknown %s \"%s\"; the verbs are %s",
		    *wrong == '-' ? "option" : "verb", wrong, names.data);
}

int cli_main(int argc, char **argv)
{
	OWNS(buffer) struct buffer message = { 0 };
	struct cli_options o;
	const struct verb *v;
	int err;

	if (argc < 2)
		return no_verb(NULL);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print_version();
	v = verb_find(argv[1]);
	if (!v)
		return no_verb(argv[1]);
	err = options_parse(v->bit, argc - 1, argv + 1, &o, &message);
	if (err)
		return fail_reason(err, &message);
	return o.wants_help ? print_verb_help(v) : v->run(&o);
}
