/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_state.h"

#include <errno.h>

#define IN(state) (1u << HEAP_##state)
#define ANYWHERE (IN(UNINITIALIZED) | IN(INITIALIZED) | IN(ACTIVE) | IN(STOPPED) | IN(TERMINATED))

static const struct {
	unsigned int allowed_in;
	int after; /* -1: as before */
} rules[HEAP_CALL_MAX] = {
	[HEAP_CALL_INIT] = { IN(UNINITIALIZED), HEAP_INITIALIZED },
	[HEAP_CALL_START] = { IN(INITIALIZED) | IN(STOPPED), HEAP_ACTIVE },
	[HEAP_CALL_STOP] = { IN(ACTIVE) | IN(STOPPED), HEAP_STOPPED },
	[HEAP_CALL_SHUTDOWN] = { ANYWHERE, HEAP_TERMINATED },
	[HEAP_CALL_SNAPSHOT] = { IN(ACTIVE) | IN(STOPPED), -1 },
	[HEAP_CALL_STATS] = { IN(ACTIVE) | IN(STOPPED), -1 },
};

int heap_state_after(enum heap_state state, enum heap_call call)
{
	if (!(rules[call].allowed_in & 1u << state))
		return -EPERM;
	return rules[call].after < 0 ? (int)state : rules[call].after;
}

const char *heap_state_name(enum heap_state state)
{
	static const char *const names[] = {
#define X(name) #name,
		HEAP_STATES(X)
#undef X
	};

	return names[state];
}

const char *heap_call_name(enum heap_call call)
{
	static const char *const names[] = {
#define X(name, text) text,
		HEAP_CALLS(X)
#undef X
	};

	return names[call];
}
