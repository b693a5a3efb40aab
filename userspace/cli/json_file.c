/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_file.h"

#include "cli/fail.h"
#include "cli/profile_file.h"

#include <errno.h>

int json_file_open(struct json_file *f, const struct cli_options *o)
{
	f->options = o;
	return profile_file_open(&f->file, o);
}

void json_file_add(struct json_file *f, pid_t pid, const json_t *object)
{
	OWNS_MEM char *text = json_dumps(object, JSON_ENCODE_ANY);

	if (!text)
		f->text.err = -ENOMEM;
	else
		buffer_print(&f->text, "%s\n", text);
	f->pid = f->objects ? f->pid : pid;
	f->objects++;
}

int json_file_commit(struct json_file *f)
{
	const struct buffer nothing = { 0 };
	char target[16];
	const struct made_file made = {
		.ending = ".json",
		.target = target,
		.bytes = &f->text,
		.about = &nothing,
	};

	snprintf(target, sizeof(target), f->objects > 1 ? "several" : "%d", (int)f->pid);
	if (buffer_error(&f->text))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	return profile_file_place(f->options, &f->file, &made);
}

void json_file_fini(struct json_file *f)
{
	output_file_fini(&f->file);
	buffer_fini(&f->text);
}
