/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_table - which processes are Python, kept in step with the kernel's maps. Owned
 * by the sampler's thread.
 */
#ifndef SPPROF_PROCESS_TABLE_H
#define SPPROF_PROCESS_TABLE_H

#include "collect/collector.h"
#include "daemon/process.h"

struct process_table;

/* NULL when out of memory. @c outlives the table. */
struct process_table *process_table_new(struct collector *c);
void process_table_free(struct process_table *t); /* NULL is fine */
DEFINE_OWNS(process_table);

/* Looks at every process of the machine that is not known yet. 0 or -errno. */
int process_table_scan(struct process_table *t);

/*
 * The process that has @pid now, looked at afresh unless it is ready. NULL if there is
 * none, or no memory. Not a reference.
 */
struct process *process_table_look(struct process_table *t, pid_t pid);

/* Follows @pid although it is no Python yet: it is about to exec one. NULL as above. */
struct process *process_table_await(struct process_table *t, pid_t pid);

/* Nobody waits for @pid any more: it is followed only if it is a Python. */
void process_table_release(struct process_table *t, pid_t pid);

/* The image that a record of @epoch is about; NULL if nobody remembers it. */
struct process *process_table_find(struct process_table *t, pid_t pid, uint32_t epoch);

/* The newest Python that had @pid, also one that ended a moment ago; NULL: none is remembered. */
struct process *process_table_newest(struct process_table *t, pid_t pid);

/* Takes in a birth, exec, end or sighting. */
void process_table_on_event(struct process_table *t, const struct sp_process *event);

/* Looks again at what is starting, forgets what ended. Returns when it is due again. */
uint64_t process_table_tend(struct process_table *t, uint64_t now_ns);

/* Calls @each for every image that runs and is a Python, or was refused as one. */
void process_table_each(struct process_table *t, void (*each)(struct process *p, void *ctx),
			void *ctx);

#endif
