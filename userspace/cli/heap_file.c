/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_file.h"

#include "cli/amount.h"
#include "cli/fail.h"
#include "cli/heap_ask.h"
#include "cli/heap_input.h"
#include "cli/heap_sampled.h"
#include "cli/heap_profile.h"
#include "cli/heap_stacks_profile.h"
#include "cli/options.h"
#include "cli/output.h"
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
	uint64_t pid;	  /* of the last */
	const char *type; /* of the first: what its bytes are; no two go into one file */
};

/* What the types of @heap are, of /v1/heap: as heap_profile_add() has them. */
static int add_types(const json_t *heap, struct heaps *heaps, struct buffer *why)
{
	struct heap_types types OWNS(heap_types) = { 0 };
	OWNS_MEM char *text = json_dumps(heap, 0);
	int err = text ? heap_input_read(text, strlen(text), 0, &types, why) : -ENOMEM;

	return err ? err : heap_profile_add(heaps->profile, &types);
}

/* One of /v1/heap: by who allocated, if that is known, else by type. */
static int add_looked(const json_t *heap, struct heaps *heaps)
{
	OWNS(buffer) struct buffer why = { 0 };
	bool has_stacks = heap_stacks_profile_fits(heap);
	const char *type = has_stacks ? heap_stacks_profile_type(heap) : "types";
	int pid = selection_pid(heap), err;

	if (heaps->type && strcmp(heaps->type, type) != 0)
		return fail(SPPROF_EXIT_USAGE,
			    "the bytes of process %d are of another kind than those of %d: write "
			    "it into a file of its own",
			    pid, (int)heaps->pid);
	err = has_stacks ? heap_stacks_profile_add(heaps->profile, heap, &why)
			 : add_types(heap, heaps, &why);
	if (err)
		return fail(SPPROF_EXIT_FAILED,
			    "cannot understand the heap that spprofd answered: %s",
			    err == -ENOMEM || !why.data ? "out of memory" : why.data);
	heaps->type = type;
	heaps->count++;
	heaps->pid = pid;
	return 0;
}

static int fetch(const struct cli_options *o, const json_t *rows, json_t *pages)
{
	const json_t *row;
	int first_err = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		OWNS(buffer) struct buffer target = { 0 };
		json_t *page = NULL;
		int err;

		heap_ask_add_target(selection_pid(row), &target);
		err = buffer_error(&target) ? fail(SPPROF_EXIT_FAILED, "out of memory")
					    : output_fetch(o->socket, target.data, &page);
		if (!err)
			json_array_append_new(pages, page);
		first_err = first_err ? first_err : err;
		if (err == SPPROF_EXIT_NO_DAEMON || err == SPPROF_EXIT_FAILED)
			break;
	}
	return first_err;
}

/* By who allocated: now, or after a look. */
static int add_allocated(const struct cli_options *o, struct heaps *heaps)
{
	json_t *rows = NULL, *pages = json_array(), *page;
	int first_err = selection_rows(o, &rows);
	size_t i;

	if (!first_err)
		first_err =
			o->seconds > 0 ? heap_sampled_read(o, rows, pages) : fetch(o, rows, pages);
	json_array_foreach(pages, i, page)
	{
		int err = add_looked(page, heaps);

		first_err = first_err ? first_err : err;
	}
	json_decref(rows);
	json_decref(pages);
	return first_err;
}

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

static void add_about(struct buffer *out, const struct heaps *heaps)
{
	bool is_growth = heaps->type && !strcmp(heaps->type, "growth_space");
	const struct profile *p = heaps->profile;
	const struct profile_sample *rows;
	uint64_t bytes = 0, objects = 0;
	char text[AMOUNT_ROOM];
	uint32_t count;

	rows = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++) {
		bytes += rows[i].weight;
		objects += rows[i].count;
	}
	buffer_print(out, "%s %s, %" PRIu64 " objects and blocks", amount_bytes(bytes, text),
		     is_growth ? "grown" : "live", objects);
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
	add_about(&about, heaps);
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
	err = o->page.parts & PART_HEAP ? add_allocated(o, &heaps) : add_selected(o, &heaps);
	if (heaps.count) {
		int written = write_file(o, &heaps, &file);

		err = err ? err : written;
	}
	return err;
}
