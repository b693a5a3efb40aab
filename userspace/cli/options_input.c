/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of an option about files, and what is looked for in them, to its value. */
#include "cli/options_parts.h"

#include <string.h>

static int add_input(struct cli_input *in, const char *text, const char *verb,
		     struct buffer *message)
{
	if (!*text)
		return usage(message, verb, "--input needs a value that is not empty");
	if (in->count == CLI_INPUTS_MAX)
		return usage(message, verb, "--input may be given %d times at most",
			     CLI_INPUTS_MAX);
	in->names[in->count++] = text;
	return 0;
}

static int set_order(struct cli_input *in, const char *text, const char *verb,
		     struct buffer *message)
{
	bool is_callee = !strcmp(text, "callee");

	if (!is_callee && strcmp(text, "caller") != 0)
		return usage(message, verb, "unknown order \"%s\"; there are caller, callee", text);
	in->order = is_callee ? IMPORT_ORDER_CALLEE : IMPORT_ORDER_CALLER;
	return 0;
}

static int add_list(struct cli_hierarchy *h, const char *text, bool is_file, const char *verb,
		    struct buffer *message)
{
	const char *name = is_file ? "targets-file" : "targets";

	if (!*text)
		return usage(message, verb, "--%s needs a value that is not empty", name);
	if (h->list_count == CLI_LISTS_MAX)
		return usage(message, verb, "--targets may be given %d times at most",
			     CLI_LISTS_MAX);
	h->lists[h->list_count++] = (struct cli_list){ text, is_file };
	return 0;
}

int options_set_input(int key, const char *text, struct cli_options *o, const char *verb,
		      struct buffer *message)
{
	switch (key) {
	case OPT_INPUT:
		return add_input(&o->input, text, verb, message);
	case OPT_EVENT:
		return options_set_text(&o->input.event, text, "event", verb, message);
	case OPT_SYMFS:
		return options_set_text(&o->input.symfs, text, "symfs", verb, message);
	case OPT_ORDER:
		return set_order(&o->input, text, verb, message);
	default: /* OPT_TARGETS, OPT_TARGETS_FILE */
		return add_list(&o->hierarchy, text, key == OPT_TARGETS_FILE, verb, message);
	}
}
