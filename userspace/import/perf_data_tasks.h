/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_data_tasks - who was called what, and had what mapped where, at any
 * time.
 *
 * Records come in no order of time across processors: all of these are noted
 * first, then put in order once, and then asked for.
 */
#ifndef SPPROF_PERF_DATA_TASKS_H
#define SPPROF_PERF_DATA_TASKS_H

#include "import/perf_data_maps.h"
#include "native/elf_symbols.h"
#include "profile/table.h"

enum perf_task_kind { PERF_TASK_COMM, PERF_TASK_FORK, PERF_TASK_MAP };

/* Something that happened to a task. */
struct perf_task_event {
	uint64_t time, number; /* number: what comes first at one time */
	enum perf_task_kind kind;
	uint32_t pid, tid;
	uint32_t ppid, ptid; /* of PERF_TASK_FORK */
	uint32_t comm;	     /* string */
	bool is_empty;	     /* PERF_TASK_FORK: what the parent has mapped is not its own */
	bool is_kernel;	     /* PERF_TASK_MAP, which has @map without its space */
	struct perf_map map;
};

/* Spaces that are no process's. */
enum {
	PERF_SPACE_KERNEL,
	PERF_SPACE_OTHER_KERNEL, /* a guest's, or the hypervisor: nothing is known of
                              it */
	PERF_SPACE_OTHER,	 /* a guest's process, or one that was never told of */
	PERF_SPACES,
};

/*
 * What one process can address, from its start on. What it ran before an exec stays until
 * something else is there, as perf has it: samples of the exec itself have the old callers.
 */
struct perf_space {
	uint64_t start;
	uint64_t parent_time; /* when it was copied */
	uint32_t pid;
	uint32_t parent; /* space; UINT32_MAX: of none */
	bool is_used;	 /* has maps of its own */
};

struct perf_tasks {
	struct perf_task_event *events; /* until they are in order */
	size_t event_count, event_room;
	struct table build_ids;	 /* struct build_id, as maps name them */
	struct table path_build; /* those that the file tells apart from maps */
	struct perf_maps maps;
	struct perf_space *spaces;
	uint32_t space_count, space_room;
	uint32_t *by_pid; /* spaces of processes, by pid, then start */
	struct perf_comm {
		uint64_t start;
		uint32_t tid, comm;
	} * comms; /* once in order: by tid, then start */
	uint32_t comm_count, comm_room;
};

/* The thread of a sample, valid from @start until before @end. */
struct perf_task {
	uint64_t start, end;
	uint32_t pid, tid;
	uint32_t comm; /* string; 0: it is not known */
	uint32_t space;
};

void perf_tasks_init(struct perf_tasks *t, uint64_t seed);
void perf_tasks_fini(struct perf_tasks *t);

/* 0 or -ENOMEM. */
int perf_tasks_add(struct perf_tasks *t, const struct perf_task_event *event);

/* Number of @id plus 1, 0 for one of no length; or -ENOMEM. */
int64_t perf_tasks_add_build_id(struct perf_tasks *t, const struct build_id *id);

/* What is at @path, a string, has build-id @build, a number as above. 0 or
 * -ENOMEM. */
int perf_tasks_set_path_build(struct perf_tasks *t, uint32_t path, uint32_t build);

/* The build-id of @path, @build if that is not 0; it may have none. */
struct build_id perf_tasks_build_id(const struct perf_tasks *t, uint32_t path, uint32_t build);

/* Once all is noted: 0 or -ENOMEM. */
int perf_tasks_order(struct perf_tasks *t);

/* From then on: task @pid/@tid at @time. */
struct perf_task perf_tasks_find(const struct perf_tasks *t, uint32_t pid, uint32_t tid,
				 uint64_t time);

/*
 * What @space has at @address at @time, or NULL. The answer is the same from
 * *@start until before *@end.
 */
struct perf_map *perf_tasks_find_map(const struct perf_tasks *t, uint32_t space, uint64_t address,
				     uint64_t time, uint64_t *start, uint64_t *end);

#endif
