/* SPDX-License-Identifier: Apache-2.0 */
/* Second pass: samples into the profile. */
#include "import/names.h"
#include "import/perf_data_reader.h"

/*
 * Behind this marker is not the user's call chain but a number by which a later
 * record has it. Source: PERF_CONTEXT_USER_DEFERRED of newer kernels'
 * linux/perf_event.h
 */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

static int push_frame(struct perf_data *d, uint32_t space, uint64_t ip, uint64_t time)
{
	if (d->frame_count == d->frame_room) {
		size_t room = d->frame_room ? 2 * d->frame_room : 128;
		profile_id *grown = reallocarray(d->frames, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		d->frames = grown;
		d->frame_room = room;
	}
	return perf_data_find_frame(d, space, ip, time, &d->frames[d->frame_count++]);
}

/* Where addresses behind a marker belong. False: it is none, so the chain is broken. */
static bool find_space_behind(uint64_t marker, uint32_t user, uint32_t *space)
{
	switch (marker) {
	case PERF_CONTEXT_USER:
		*space = user;
		return true;
	case PERF_CONTEXT_KERNEL:
		*space = PERF_SPACE_KERNEL;
		return true;
	case PERF_CONTEXT_HV:
	case PERF_CONTEXT_GUEST_KERNEL:
		*space = PERF_SPACE_OTHER_KERNEL;
		return true;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_USER:
		*space = PERF_SPACE_OTHER;
		return true;
	}
	return false;
}

static uint32_t space_of_sample(const struct perf_record *record, uint32_t user)
{
	switch (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_USER:
		return user;
	case PERF_RECORD_MISC_KERNEL:
		return PERF_SPACE_KERNEL;
	case PERF_RECORD_MISC_HYPERVISOR:
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return PERF_SPACE_OTHER_KERNEL;
	}
	return PERF_SPACE_OTHER;
}

/* Without frames if the chain is broken, as perf has it. */
static int find_chain(struct perf_data *d, struct perf_sample *s)
{
	uint32_t space = d->task.space;
	int err = 0;

	for (uint64_t i = 0; i < s->chain_len && !err; i++) {
		uint64_t ip = perf_take_u64(&s->chain);

		if (ip == CONTEXT_USER_DEFERRED) {
			d->has_stacks = true;
			break;
		}
		if (ip < (uint64_t)PERF_CONTEXT_MAX)
			err = push_frame(d, space, ip, s->time);
		else if (!find_space_behind(ip, d->task.space, &space))
			return d->frame_count = 0, 0;
	}
	d->facts->has_chains |= d->frame_count > 0;
	return err;
}

/* The frames of the sample: of its chain, or of the one address that it has. */
static int find_frames(struct perf_data *d, const struct perf_record *record, struct perf_sample *s,
		       bool has_ip)
{
	d->frame_count = 0;
	if (s->chain_len)
		return find_chain(d, s);
	if (!has_ip)
		return 0;
	return push_frame(d, space_of_sample(record, d->task.space), s->ip, s->time);
}

static int add_stack(struct perf_data *d)
{
	int err = 0;

	stack_builder_start(&d->builder);
	for (size_t i = d->frame_count; i-- > 0 && !err;)
		err = stack_builder_push(&d->builder, d->frames[i]);
	return err;
}

/* Of no process that runs: -1. */
static uint32_t known_id(uint32_t id)
{
	return id == UINT32_MAX ? 0 : id;
}

/* As perf calls threads: the idle one, and those it has not been told the
 * command of. */
static int name_thread(struct perf_data *d, const struct perf_task *task, profile_id *id)
{
	char number[16];
	const char *name = number;

	if (task->comm)
		name = strings_text(&d->strings, task->comm);
	else if (!task->tid)
		name = "swapper";
	else
		snprintf(number, sizeof(number), ":%d", (int)task->tid);
	return names_add(d->profile, name, strlen(name), id);
}

/* The command names the thread; it is the process's too where the thread is the
 * first. */
static int find_thread(struct perf_data *d, const struct perf_sample *s)
{
	struct profile_thread thread = { .pid = known_id(s->pid), .tid = known_id(s->tid) };
	struct perf_task *task = &d->task;
	int err;

	if (d->has_thread && task->pid == s->pid && task->tid == s->tid && s->time >= task->start &&
	    s->time < task->end)
		return 0;
	*task = perf_tasks_find(&d->tasks, s->pid, s->tid, s->time);
	err = name_thread(d, task, &thread.name);
	if (thread.pid == thread.tid)
		thread.process = thread.name;
	d->has_thread = !err;
	return err ? err : profile_add_thread(d->profile, &thread, &d->thread);
}

static bool is_wanted(const struct perf_data *d, const struct perf_attr *attr)
{
	return d->facts->event < 0 || attr->event == d->facts->event;
}

static int add_row(struct perf_data *d, const struct perf_attr *attr, uint64_t weight)
{
	struct profile_sample row = {
		.stack = stack_builder_stack(&d->builder),
		.thread = d->thread,
		.weight = (int64_t)weight,
		.count = 1,
	};

	if (!is_wanted(d, attr))
		return 0;
	if (weight > INT64_MAX || __builtin_add_overflow(d->sum, row.weight, &d->sum))
		return import_refuse(d->why, -E2BIG,
				     "perf.data: the periods are more than 2^63 in sum");
	d->is_mixed |= d->unit && d->unit != attr->unit;
	d->unit = attr->unit;
	return profile_add_sample(d->profile, &row);
}

/* What a counter has counted since it was told last: so its events weigh, not
 * by periods. */
static int add_counter(struct perf_data *d, uint64_t id, uint64_t value)
{
	struct perf_counter *counter = perf_data_find_counter(d, id);
	uint64_t weight;

	if (!counter)
		return d->foreign++, 0;
	weight = value - counter->value;
	counter->value = value;
	return weight ? add_row(d, &d->attrs[counter->attr], weight) : 0;
}

static int add_counters(struct perf_data *d, const struct perf_attr *attr, struct perf_wire w)
{
	uint64_t format = attr->read_format, count = 1;
	int err = 0;

	if (format & PERF_FORMAT_GROUP) {
		count = perf_take_u64(&w);
		perf_skip(&w, 8 * perf_time_words(format));
	}
	while (count-- && !err && !w.c.short_read) {
		uint64_t value = perf_take_u64(&w);

		if (!(format & PERF_FORMAT_GROUP))
			perf_skip(&w, 8 * perf_time_words(format));
		err = add_counter(d, perf_take_u64(&w), value);
		if (format & PERF_FORMAT_LOST)
			perf_take_u64(&w);
	}
	return err;
}

/* Samples that tell what counters have counted; of a group, all of them. */
static bool tells_counters(const struct perf_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_ID;
}

static int add_sample(struct perf_data *d, const struct perf_record *record,
		      const struct perf_attr *attr, struct perf_sample *s)
{
	int err;

	d->has_stacks |= attr->sample_type & PERF_SAMPLE_STACK_USER;
	err = find_thread(d, s);
	if (!err)
		err = find_frames(d, record, s, attr->sample_type & PERF_SAMPLE_IP);
	if (!err)
		err = add_stack(d);
	if (err)
		return err;
	return tells_counters(attr) ? add_counters(d, attr, s->counters)
				    : add_row(d, attr, s->period);
}

int perf_data_add_sample(struct perf_data *d, const struct perf_record *record)
{
	const struct perf_attr *attr;
	struct perf_sample s;

	if (record->type != PERF_RECORD_SAMPLE)
		return 0;
	d->samples++;
	attr = perf_data_attr_of(d, record);
	if (!attr)
		return d->foreign++, 0;
	if (!perf_take_sample(attr, record, &s))
		return perf_data_refuse(d, -EBADMSG, record->at, "a damaged sample");
	if (d->clock == PERF_CLOCK_ORDER)
		s.time = record->number;
	if (!is_wanted(d, attr) && !tells_counters(attr))
		return 0;
	return add_sample(d, record, attr, &s);
}
