/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl snapshot: the one page on a process, a part of it, or the profile it speaks of. */
#include "cli/cli.h"

#include "cli/heap_ask.h"
#include "cli/heap_file.h"
#include "cli/heap_sampled.h"
#include "cli/heap_text.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/snapshot_text.h"
#include "cli/types_watch.h"

#include <errno.h>

#define WINDOW_S 10 /* of the past, as the daemon's page has it */

static void add_target(const struct cli_options *o, pid_t pid, struct buffer *target)
{
	buffer_print(target, "/v1/snapshot?pid=%d", pid);
	if (o->seconds > 0)
		buffer_print(target, "&seconds=%.9f", o->seconds);
}

/* A page is worth having without its heap, which then says why there is none. */
static int add_heap(const struct cli_options *o, pid_t pid, json_t *page)
{
	OWNS(buffer) struct buffer target = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	json_t *heap = NULL;
	int err;

	heap_ask_add_target(pid, &target);
	if (buffer_error(&target))
		return -ENOMEM;
	err = output_ask(o->socket, target.data, &heap, &why);
	if (!err)
		return json_object_set_new(page, "heap", heap) ? -ENOMEM : 0;
	err = json_object_set_new(page, "heap", json_null());
	err |= json_object_set_new(page, "heap_error",
				   json_string(why.data ? why.data : "out of memory"));
	return err ? -ENOMEM : 0;
}

static void add_page(const json_t *page, struct buffer *out)
{
	snapshot_text_add(page, out);
	heap_text_add_part(page, out);
}

static void add_heap_target(const struct cli_options *o, pid_t pid, struct buffer *target)
{
	(void)o; /* one scan has nothing to choose */
	heap_ask_add_target(pid, target);
}

static const struct page_kind *kind_of(const struct cli_options *o)
{
	static const struct page_kind page = { .add_target = add_target,
					       .complete = add_heap,
					       .add_text = add_page };
	static const struct page_kind cpu = { .add_target = add_target,
					      .add_text = snapshot_text_add };
	static const struct page_kind heap = { .add_target = add_heap_target,
					       .add_text = heap_text_add };
	static const struct page_kind look = { .fetch_all = heap_sampled_read,
					       .add_text = heap_text_add };
	static const struct page_kind types = { .add_target = add_heap_target,
						.add_text = heap_text_add_types };

	if (o->page.parts & PART_CPU)
		return &cpu;
	if (o->page.parts & PART_HEAP)
		return o->seconds > 0 ? &look : &heap;
	return o->page.parts & PART_TYPES ? &types : &page;
}

/* As a recording of the same time would write it. */
static int write_profile(const struct cli_options *o)
{
	struct cli_options past = *o;

	if (o->seconds <= 0)
		past.recent = WINDOW_S;
	return cli_record(&past);
}

int cli_snapshot(const struct cli_options *o)
{
	if (o->page.before || o->page.every > 0)
		return types_watch(o);
	if (!o->format)
		return pages_print(o, kind_of(o));
	return o->page.parts & (PART_HEAP | PART_TYPES) ? heap_file_write(o) : write_profile(o);
}
