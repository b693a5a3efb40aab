/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl list: the Python processes that the caller may see. */
#include "cli/cli.h"

#include "cli/options.h"
#include "cli/output.h"

static int print_table(const json_t *processes)
{
	static const char *const members[] = { "pid", "python", "state", "name", "reason", NULL };
	OWNS(buffer) struct buffer out = { 0 };

	output_add_table(&out, processes, members);
	return output_print(&out);
}

int cli_list(const struct cli_options *o)
{
	json_t *json = NULL, *processes, *none = json_array();
	int err = output_fetch(o->socket, "/v1/processes", &json);

	processes = json_object_get(json, "processes");
	if (!processes)
		processes = none;
	if (!err)
		err = o->as_json ? output_json(processes) : print_table(processes);
	json_decref(json);
	json_decref(none);
	return err;
}
