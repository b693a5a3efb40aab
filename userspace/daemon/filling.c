/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/filling.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "daemon/frames.h"
#include "daemon/naming.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

void filling_fini(struct filling *f)
{
	free(f->done);
	hash_index_fini(&f->index);
}

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

static int fill_stack(struct profile *out, void *what, profile_id *id)
{
	const struct stack *stack = what;
	struct frame_name name;
	int err = 0;

	*id = PROFILE_NONE;
	if (frame_name_of_end(stack->end, stack->frame_count, &name))
		err = fill_frame(out, &name, id);
	for (uint32_t i = stack->frame_count; !err && i-- > 0;) {
		name = frame_name_of(stack->process, &stack->frames[i]);
		err = fill_frame(out, &name, id);
	}
	return err;
}

static int fill_thread(struct profile *out, void *what, profile_id *id)
{
	__attribute__((cleanup(buffer_cleanup))) struct buffer name = { 0 };
	struct thread *t = what;
	const struct process *p = t->process;
	struct profile_thread made = { .pid = p->pid, .tid = t->tid, .ident = t->ident };
	int err;

	naming_learn_now(t);
	if (t->name)
		buffer_add_text(&name, t->name);
	else
		utf8_repair(&name, t->comm, strnlen(t->comm, sizeof(t->comm)));
	err = buffer_error(&name);
	if (!err)
		err = profile_add_string(out, name.data ? name.data : "", name.len, &made.name);
	if (!err)
		err = profile_add_string(out, p->name, strlen(p->name), &made.process);
	return err ? err : profile_add_thread(out, &made, id);
}

static int append(struct filling *f, uint64_t hash, const void *what, profile_id id)
{
	struct filled *grown;
	uint32_t room = f->room ? f->room * 2 : 256;

	if (f->count == f->room) {
		grown = realloc(f->done, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		f->done = grown;
		f->room = room;
	}
	f->done[f->count] = (struct filled){ what, id };
	return hash_index_add(&f->index, hash, f->count++);
}

/* The id of @what, by @fill if it is new. */
static int id_of(struct filling *f, void *what,
		 int (*fill)(struct profile *out, void *what, profile_id *id), profile_id *id)
{
	uint64_t hash = XXH3_64bits(&what, sizeof(what));
	struct hash_probe probe = hash_index_find(&f->index, hash);
	uint32_t i;
	int err;

	while (hash_probe_next(&probe, &i))
		if (f->done[i].what == what) {
			*id = f->done[i].id;
			return 0;
		}
	err = fill(f->out, what, id);
	return err ? err : append(f, hash, what, *id);
}

int filling_add(struct filling *f, struct stack *stack, struct thread *thread, uint64_t weight_ns,
		uint64_t count, uint64_t timestamp_ns)
{
	struct profile_sample sample = { .weight = weight_ns,
					 .count = count,
					 .timestamp_ns = timestamp_ns };
	int err = id_of(f, stack, fill_stack, &sample.stack);

	if (!err)
		err = id_of(f, thread, fill_thread, &sample.thread);
	return err ? err : profile_add_sample(f->out, &sample);
}
