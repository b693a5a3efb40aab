/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_state - the life of a heap profiler: which call is allowed when, and what comes of it.
 *
 *	init		UNINITIALIZED -> INITIALIZED
 *	start		INITIALIZED, STOPPED -> ACTIVE
 *	stop		ACTIVE -> STOPPED; nothing happens in STOPPED
 *	shutdown	any -> TERMINATED; nothing happens there
 *	snapshot, stats	in ACTIVE and STOPPED
 */
#ifndef SPPROF_HEAP_STATE_H
#define SPPROF_HEAP_STATE_H

#define HEAP_STATES(X)   \
	X(UNINITIALIZED) \
	X(INITIALIZED)   \
	X(ACTIVE)        \
	X(STOPPED)       \
	X(TERMINATED)

#define HEAP_CALLS(X)           \
	X(INIT, "init")         \
	X(START, "start")       \
	X(STOP, "stop")         \
	X(SHUTDOWN, "shutdown") \
	X(SNAPSHOT, "snapshot") \
	X(STATS, "stats")

enum heap_state {
#define X(name) HEAP_##name,
	HEAP_STATES(X)
#undef X
		HEAP_STATE_MAX,
};

enum heap_call {
#define X(name, text) HEAP_CALL_##name,
	HEAP_CALLS(X)
#undef X
		HEAP_CALL_MAX,
};

/* The state after @call, or -EPERM: not in @state. */
int heap_state_after(enum heap_state state, enum heap_call call);

const char *heap_state_name(enum heap_state state);
const char *heap_call_name(enum heap_call call);

#endif
