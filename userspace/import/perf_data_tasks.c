/* SPDX-License-Identifier: Apache-2.0 */
/* What was noted, and searches in it; perf_data_tasks_order.c puts it in order.
 */
#include "import/perf_data_tasks.h"

#include <errno.h>
#include <string.h>

#define MOST_BUILD_IDS (1u << 30)

/*
 * Processes between a map and one that finds it, all of which have mapped something
 * themselves: more than this are nobody's but an attacker's.
 */
#define MOST_PARENTS 64

struct path_build {
	uint32_t path, build;
};

void perf_tasks_init(struct perf_tasks *t, uint64_t seed)
{
	*t = (struct perf_tasks){ 0 };
	table_init(&t->build_ids, sizeof(struct build_id), sizeof(struct build_id), seed);
	table_init(&t->path_build, sizeof(struct path_build), sizeof(uint32_t), seed);
}

void perf_tasks_fini(struct perf_tasks *t)
{
	table_fini(&t->build_ids);
	table_fini(&t->path_build);
	perf_maps_fini(&t->maps);
	free(t->events);
	free(t->spaces);
	free(t->by_pid);
	free(t->comms);
}

int perf_tasks_add(struct perf_tasks *t, const struct perf_task_event *event)
{
	if (t->event_count == t->event_room) {
		size_t room = t->event_room ? 2 * t->event_room : 64;
		struct perf_task_event *grown = reallocarray(t->events, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->events = grown;
		t->event_room = room;
	}
	t->events[t->event_count++] = *event;
	return 0;
}

int64_t perf_tasks_add_build_id(struct perf_tasks *t, const struct build_id *id)
{
	uint32_t number;
	int err;

	if (!id->len || t->build_ids.count == MOST_BUILD_IDS)
		return 0;
	err = table_add(&t->build_ids, id, &number);
	return err ? err : (int64_t)number + 1;
}

int perf_tasks_set_path_build(struct perf_tasks *t, uint32_t path, uint32_t build)
{
	struct path_build row = { path, build };
	uint32_t number;
	int err = table_add(&t->path_build, &row, &number);

	if (!err)
		*(struct path_build *)table_row(&t->path_build, number) = row;
	return err;
}

struct build_id perf_tasks_build_id(const struct perf_tasks *t, uint32_t path, uint32_t build)
{
	struct build_id id = { .len = 0 };
	struct path_build row;
	uint32_t number;

	if (!build && table_find(&t->path_build, &path, &number)) {
		memcpy(&row, table_row(&t->path_build, number), sizeof(row));
		build = row.build;
	}
	if (build)
		memcpy(&id, table_row(&t->build_ids, build - 1), sizeof(id));
	return id;
}

/* How many of @count comms are of threads before @tid, or no later than @time
 * of its own. */
static uint32_t count_comms(const struct perf_tasks *t, uint32_t tid, uint64_t time)
{
	uint32_t low = 0, high = t->comm_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct perf_comm *c = &t->comms[middle];

		if (c->tid < tid || (c->tid == tid && c->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same of spaces and processes. */
static uint32_t count_spaces(const struct perf_tasks *t, uint32_t pid, uint64_t time)
{
	uint32_t low = 0, high = t->space_count - PERF_SPACES;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct perf_space *s = &t->spaces[t->by_pid[middle]];

		if (s->pid < pid || (s->pid == pid && s->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void find_comm(const struct perf_tasks *t, uint64_t time, struct perf_task *task)
{
	uint32_t next = count_comms(t, task->tid, time);
	const struct perf_comm *comm = &t->comms[next];

	if (next < t->comm_count && comm->tid == task->tid && comm->start < task->end)
		task->end = comm->start;
	if (!next || comm[-1].tid != task->tid)
		return;
	task->comm = comm[-1].comm;
	if (comm[-1].start > task->start)
		task->start = comm[-1].start;
}

static void find_space(const struct perf_tasks *t, uint64_t time, struct perf_task *task)
{
	uint32_t next = count_spaces(t, task->pid, time);
	const struct perf_space *space;

	if (next < t->space_count - PERF_SPACES) {
		space = &t->spaces[t->by_pid[next]];
		if (space->pid == task->pid && space->start < task->end)
			task->end = space->start;
	}
	if (!next)
		return;
	space = &t->spaces[t->by_pid[next - 1]];
	if (space->pid != task->pid)
		return;
	task->space = t->by_pid[next - 1];
	if (space->start > task->start)
		task->start = space->start;
}

struct perf_task perf_tasks_find(const struct perf_tasks *t, uint32_t pid, uint32_t tid,
				 uint64_t time)
{
	struct perf_task task = {
		.end = UINT64_MAX,
		.pid = pid,
		.tid = tid,
		.space = PERF_SPACE_OTHER,
	};

	if (t->comm_count)
		find_comm(t, time, &task);
	find_space(t, time, &task);
	return task;
}

struct perf_map *perf_tasks_find_map(const struct perf_tasks *t, uint32_t space, uint64_t address,
				     uint64_t time, uint64_t *start, uint64_t *end)
{
	struct perf_map *map = perf_maps_find(&t->maps, space, address, time, end);
	const struct perf_space *s = &t->spaces[space];
	uint64_t unused;

	*start = map ? map->time : 0;
	for (int i = 0; !map && s->parent != UINT32_MAX && i < MOST_PARENTS;
	     i++, s = &t->spaces[s->parent]) {
		if (s->parent_time < time)
			time = s->parent_time;
		map = perf_maps_find(&t->maps, s->parent, address, time, &unused);
	}
	return map;
}
