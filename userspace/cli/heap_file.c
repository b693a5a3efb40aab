/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_file.h"

#include "cli/amount.h"
#include "cli/fail.h"
#include "cli/heap_ask.h"
#include "cli/heap_profile.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/profile_file.h"
#include "cli/selection.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Heaps as they come in. */
struct heaps {
	struct profile *profile;
	uint32_t count;
	uint64_t pid; /* of the last */
};

static int add_heap(const struct cli_options *o, pid_t pid, struct heaps *heaps)
{
	struct heap_types heap OWNS(heap_types) = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	int err = heap_ask(o->socket, pid, NULL, &heap, &why);

	if (err)
		return fail_reason(err, &why);
	if (heap_profile_add(heaps->profile, &heap))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	heaps->count++;
	heaps->pid = heap.pid;
	return 0;
}

static int add_selected(const struct cli_options *o, struct heaps *heaps)
{
	json_t *rows = NULL, *row;
	int first_err = selection_rows(o, &rows);
	size_t i;

	json_array_foreach(rows, i, row)
	{
		int err = add_heap(o, selection_pid(row), heaps);

		first_err = first_err ? first_err : err;
		if (err == SPPROF_EXIT_NO_DAEMON || err == SPPROF_EXIT_FAILED)
			break;
	}
	json_decref(rows);
	return first_err;
}

static void add_about(struct buffer *out, const struct profile *p)
{
	const struct profile_sample *rows;
	uint64_t bytes = 0, objects = 0;
	char text[AMOUNT_ROOM];
	uint32_t count;

	rows = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++) {
		bytes += rows[i].weight;
		objects += rows[i].count;
	}
	buffer_print(out, "%s live, %" PRIu64 " objects and blocks", amount_bytes(bytes, text),
		     objects);
}

static int write_file(const struct cli_options *o, const struct heaps *heaps,
		      struct output_file *file)
{
	OWNS(buffer) struct buffer out = { 0 }, about = { 0 };
	char target[16] = "several";
	const struct made_file made = {
		.ending = o->format->ending,
		.target = target,
		.bytes = &out,
		.about = &about,
	};
	int err = o->format->write(heaps->profile, &o->shape, &out);

	if (!err)
		err = buffer_error(&out);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot make a %s profile: %s", o->format->name,
			    strerror(-err));
	if (heaps->count == 1)
		snprintf(target, sizeof(target), "%" PRIu64, heaps->pid);
	add_about(&about, heaps->profile);
	return profile_file_place(o, file, &made);
}

int heap_file_write(const struct cli_options *o)
{
	OWNS(output_file) struct output_file file = { .fd = -1 };
	OWNS(profile) struct profile *p = profile_new();
	struct heaps heaps = { .profile = p };
	int err = p ? profile_file_open(&file, o) : fail(SPPROF_EXIT_FAILED, "out of memory");

	if (err)
		return err;
	err = add_selected(o, &heaps);
	if (heaps.count) {
		int written = write_file(o, &heaps, &file);

		err = err ? err : written;
	}
	return err;
}
