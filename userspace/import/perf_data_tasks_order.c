/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to tasks, played again in order of time. */
#include "import/perf_data_tasks.h"

#include <errno.h>
#include <string.h>

#define NONE UINT32_MAX

/* The last row of a pid or tid so far. */
struct latest {
	uint32_t id, row;
};

struct replay {
	struct perf_tasks *t;
	struct table spaces, comms; /* struct latest */
};

static void replay_cleanup(struct replay *r)
{
	table_fini(&r->spaces);
	table_fini(&r->comms);
}

static uint32_t find_latest(const struct table *t, uint32_t id)
{
	uint32_t number;

	return table_find(t, &id, &number) ? ((struct latest *)table_row(t, number))->row : NONE;
}

static int set_latest(struct table *t, uint32_t id, uint32_t row)
{
	struct latest latest = { id, row };
	uint32_t number;
	int err = table_add(t, &latest, &number);

	if (!err)
		((struct latest *)table_row(t, number))->row = row;
	return err;
}

static int add_space(struct perf_tasks *t, const struct perf_space *space)
{
	if (t->space_count == t->space_room) {
		uint32_t room = t->space_room ? 2 * t->space_room : 16;
		struct perf_space *grown = reallocarray(t->spaces, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->spaces = grown;
		t->space_room = room;
	}
	t->spaces[t->space_count++] = *space;
	return 0;
}

static int start_space(struct replay *r, const struct perf_space *space)
{
	int err = add_space(r->t, space);

	return err ? err : set_latest(&r->spaces, space->pid, r->t->space_count - 1);
}

static int set_comm(struct replay *r, uint32_t tid, uint64_t time, uint32_t comm)
{
	struct perf_tasks *t = r->t;
	uint32_t row = find_latest(&r->comms, tid);

	if (row != NONE && t->comms[row].start == time) {
		t->comms[row].comm = comm;
		return 0;
	}
	if (t->comm_count == t->comm_room) {
		uint32_t room = t->comm_room ? 2 * t->comm_room : 16;
		struct perf_comm *grown = reallocarray(t->comms, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->comms = grown;
		t->comm_room = room;
	}
	t->comms[t->comm_count] = (struct perf_comm){ time, tid, comm };
	return set_latest(&r->comms, tid, t->comm_count++);
}

/* A child finds what it has not mapped itself in its parent, as that was then. */
static int fork_space(struct replay *r, const struct perf_task_event *e)
{
	uint32_t parent = e->is_empty ? NONE : find_latest(&r->spaces, e->ppid);
	struct perf_space space = {
		.start = e->time,
		.parent_time = e->time,
		.pid = e->pid,
		.parent = parent,
	};

	/* Parents that have mapped nothing themselves are left out. */
	while (space.parent != NONE && !r->t->spaces[space.parent].is_used) {
		space.parent_time = r->t->spaces[space.parent].parent_time;
		space.parent = r->t->spaces[space.parent].parent;
	}
	return start_space(r, &space);
}

static int play_fork(struct replay *r, const struct perf_task_event *e)
{
	uint32_t parent = find_latest(&r->comms, e->ptid);
	int err = set_comm(r, e->tid, e->time, parent == NONE ? 0 : r->t->comms[parent].comm);

	if (!err && e->pid != e->ppid)
		err = fork_space(r, e);
	return err;
}

static int play_map(struct replay *r, const struct perf_task_event *e)
{
	struct perf_space space = { .pid = e->pid, .parent = NONE };
	struct perf_map map = e->map;
	int err = 0;

	map.time = e->time;
	map.object = -1;
	map.space = e->is_kernel ? PERF_SPACE_KERNEL : find_latest(&r->spaces, e->pid);
	if (map.space == NONE) {
		err = start_space(r, &space);
		map.space = r->t->space_count - 1;
	}
	if (err)
		return err;
	r->t->spaces[map.space].is_used = true;
	return perf_maps_add(&r->t->maps, &map);
}

static int play(struct replay *r, const struct perf_task_event *e)
{
	switch (e->kind) {
	case PERF_TASK_COMM:
		return set_comm(r, e->tid, e->time, e->comm);
	case PERF_TASK_FORK:
		return play_fork(r, e);
	case PERF_TASK_MAP:
		return play_map(r, e);
	}
	return 0;
}

static int compare_events(const void *left, const void *right)
{
	const struct perf_task_event *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_comms(const void *left, const void *right)
{
	const struct perf_comm *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

static int compare_spaces(const void *left, const void *right, void *rows)
{
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct perf_space *a = (struct perf_space *)rows + i,
				*b = (struct perf_space *)rows + j;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (i > j) - (i < j);
}

static int order_spaces(struct perf_tasks *t)
{
	uint32_t count = t->space_count - PERF_SPACES;

	t->by_pid = reallocarray(NULL, (size_t)count + 1, sizeof(*t->by_pid));
	if (!t->by_pid)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		t->by_pid[i] = PERF_SPACES + i;
	qsort_r(t->by_pid, count, sizeof(*t->by_pid), compare_spaces, t->spaces);
	return 0;
}

int perf_tasks_order(struct perf_tasks *t)
{
	static const struct perf_space nobodys = { .parent = NONE };
	OWNS(replay) struct replay r = { .t = t };
	int err = 0;

	table_init(&r.spaces, sizeof(struct latest), sizeof(uint32_t), t->build_ids.seed);
	table_init(&r.comms, sizeof(struct latest), sizeof(uint32_t), t->build_ids.seed);
	for (int i = 0; i < PERF_SPACES && !err; i++)
		err = add_space(t, &nobodys);
	if (t->event_count)
		qsort(t->events, t->event_count, sizeof(*t->events), compare_events);
	for (size_t i = 0; i < t->event_count && !err; i++)
		err = play(&r, &t->events[i]);
	free(TAKE(t->events));
	t->event_count = 0;
	if (err)
		return err;
	if (t->comm_count)
		qsort(t->comms, t->comm_count, sizeof(*t->comms), compare_comms);
	err = order_spaces(t);
	return err ? err : perf_maps_index(&t->maps);
}
