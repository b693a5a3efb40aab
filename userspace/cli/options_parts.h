/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of options.c: keys of options, setting one, checking all of them together. */
#ifndef SPPROF_CLI_OPTIONS_PARTS_H
#define SPPROF_CLI_OPTIONS_PARTS_H

#include "cli/options.h"
#include "spprof_api.h"

/* Long options without a letter; the others' keys are their letters. */
enum {
	OPT_ALL = 256,
	OPT_CGROUP,
	OPT_COUNT,
	OPT_CPU,
	OPT_BY,
	OPT_DELAY,
	OPT_DIFF,
	OPT_EVENT,
	OPT_EVERY,
	OPT_EXPLAIN,
	OPT_FOR,
	OPT_HEAP,
	OPT_IMPLEMENTATION,
	OPT_INPUT,
	OPT_INVERT,
	OPT_JSON,
	OPT_LAST,
	OPT_LINES,
	OPT_MATCH,
	OPT_MAX_OVERHEAD,
	OPT_MIN,
	OPT_ORDER,
	OPT_RATE,
	OPT_SAMPLES,
	OPT_SEARCH,
	OPT_SELF,
	OPT_SORT,
	OPT_SYMFS,
	OPT_TARGETS,
	OPT_TARGETS_FILE,
	OPT_TIER,
	OPT_TRANSFORM,
	OPT_TYPES,
	OPT_UNIT,
};

/* "VERB: …" into @message, and the exit code. */
#define usage(message, verb, ...)                        \
	({                                               \
		buffer_print((message), "%s: ", (verb)); \
		buffer_print((message), __VA_ARGS__);    \
		SPPROF_EXIT_USAGE;                       \
	})

/* Sets what option @key with @text means; as options_parse(). */
int options_set(int key, const char *text, struct cli_options *o, const char *verb,
		struct buffer *message);

/* Sets a text that may be given once and says something; as options_parse(). */
int options_set_text(const char **field, const char *text, const char *name, const char *verb,
		     struct buffer *message);

/* The same of those about files, and what is looked for in them. */
int options_set_input(int key, const char *text, struct cli_options *o, const char *verb,
		      struct buffer *message);

/* The same of those that only `tree` takes. */
int options_set_tree(int key, const char *text, struct cli_options *o, const char *verb,
		     struct buffer *message);

/* The same of those that only `snapshot` takes. */
int options_set_page(int key, const char *text, struct cli_options *o, const char *verb,
		     struct buffer *message);

/* The same of those about who allocates. */
int options_set_heap(int key, const char *text, struct cli_options *o, const char *verb,
		     struct buffer *message);

/* The same of what follows `heap`: start, stop or status. */
int options_set_action(const char *text, struct cli_options *o, const char *verb,
		       struct buffer *message);

/* The same of an option without a value. */
void options_set_flag(int key, struct cli_options *o);

/* Whether what was said of a page goes together; fills in defaults. As options_parse(). */
int options_check_page(struct cli_options *o, const char *name, struct buffer *message);

/* The same of what was said of who allocates. */
int options_check_heap(struct cli_options *o, const char *name, struct buffer *message);

/* The same of all that was said. */
int options_check(enum cli_verb_bit verb, struct cli_options *o, const char *name,
		  struct buffer *message);

#endif
