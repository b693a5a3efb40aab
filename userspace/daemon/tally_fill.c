/* SPDX-License-Identifier: Apache-2.0 */
/* From a tally's addresses to a profile's names. */
#include "daemon/tally.h"

#include "base/utf8.h"
#include "daemon/frames.h"
#include "daemon/tally_rows.h"

#include <errno.h>
#include <string.h>

static int fill_frame(struct profile *out, const struct frame_name *name, profile_id *stack)
{
	struct profile_function f = { .first_line = name->first_line, .kind = name->kind };
	struct profile_frame frame = { .line = name->line };
	struct profile_stack row = { .prefix = *stack };
	int err = profile_add_string(out, name->function, strlen(name->function), &f.name);

	if (!err)
		err = profile_add_string(out, name->file, strlen(name->file), &f.file);
	if (!err)
		err = profile_add_function(out, &f, &frame.function);
	if (!err)
		err = profile_add_frame(out, &frame, &row.frame);
	return err ? err : profile_add_stack(out, &row, stack);
}

static int fill_stack(struct tally *t, struct profile *out, const struct stack_row *row,
		      profile_id *stack)
{
	const struct sp_frame *frames = t->frames.at + row->first;
	struct frame_name name;
	int err = 0;

	*stack = PROFILE_NONE;
	if (frame_name_of_end(row->end, row->frame_count, &name))
		err = fill_frame(out, &name, stack);
	for (uint32_t i = row->frame_count; !err && i-- > 0;) {
		name = frame_name_of(t->processes.at[row->process], &frames[i]);
		err = fill_frame(out, &name, stack);
	}
	return err;
}

static int fill_thread(struct tally *t, struct profile *out, const struct thread_row *row,
		       profile_id *thread)
{
	__attribute__((cleanup(buffer_cleanup))) struct buffer comm = { 0 };
	const struct process *p = t->processes.at[row->process];
	struct profile_thread made = { .pid = p->pid, .tid = row->tid, .ident = row->ident };
	int err;

	utf8_repair(&comm, row->comm, strnlen(row->comm, sizeof(row->comm)));
	err = buffer_error(&comm);
	if (!err)
		err = profile_add_string(out, comm.data ? comm.data : "", comm.len, &made.name);
	if (!err)
		err = profile_add_string(out, p->name, strlen(p->name), &made.process);
	return err ? err : profile_add_thread(out, &made, thread);
}

int tally_fill(struct tally *t, struct profile *out, int64_t unix_minus_monotonic_ns)
{
	OWNS_MEM profile_id *stacks = calloc(t->stacks.used + 1, sizeof(*stacks));
	OWNS_MEM profile_id *threads = calloc(t->threads.used + 1, sizeof(*threads));
	int err = stacks && threads ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < t->stacks.used; i++)
		err = fill_stack(t, out, &t->stacks.at[i], &stacks[i]);
	for (uint32_t i = 0; !err && i < t->threads.used; i++)
		err = fill_thread(t, out, &t->threads.at[i], &threads[i]);
	for (uint32_t i = 0; !err && i < t->samples.used; i++) {
		const struct sample_row *row = &t->samples.at[i];
		struct profile_sample sample = {
			.stack = stacks[row->stack],
			.thread = threads[row->thread],
			.weight = row->weight_ns,
			.count = row->count,
			.timestamp_ns = row->time_ns ? row->time_ns + unix_minus_monotonic_ns : 0,
		};

		err = profile_add_sample(out, &sample);
	}
	return err;
}
