/* SPDX-License-Identifier: Apache-2.0 */
/* Strongly connected components (Tarjan, 1972), with a stack of its own for the recursion. */
#include "calltree/hierarchy_cycles.h"
#include "base/cleanup.h"

#include <errno.h>
#include <string.h>

#define NONE UINT32_MAX

void hierarchy_calls_fini(struct hierarchy_calls *calls)
{
	free(calls->callers);
	free(calls->callees);
}

int hierarchy_calls_add(struct hierarchy_calls *calls, uint32_t caller, uint32_t callee)
{
	if (calls->count == calls->room) {
		uint32_t room = calls->room ? 2 * calls->room : 256;
		uint32_t *callers = reallocarray(calls->callers, room, sizeof(*callers));
		uint32_t *callees = reallocarray(calls->callees, room, sizeof(*callees));

		calls->callers = callers ? callers : calls->callers;
		calls->callees = callees ? callees : calls->callees;
		if (!callers || !callees || room < calls->room)
			return -ENOMEM;
		calls->room = room;
	}
	calls->callers[calls->count] = caller;
	calls->callees[calls->count++] = callee;
	return 0;
}

struct search {
	uint32_t *first;   /* of each function, where its callees begin; and after the last */
	uint32_t *callees; /* of all */
	uint32_t *next;	   /* of each: the callee to be looked at */
	uint32_t *order;   /* of each: when it was found, or NONE */
	uint32_t *lowest;  /* of each: the earliest that is open and that it reaches */
	uint32_t *caller;  /* of each: who it was found by */
	uint32_t *open;	   /* those in no circle yet */
	uint32_t *circle;  /* of each, or NONE */
	uint32_t open_count, found_count;
};

static void search_cleanup(struct search *s)
{
	free(s->first);
	free(s->callees);
	free(s->next);
	free(s->order);
	free(s->lowest);
	free(s->caller);
	free(s->open);
	free(s->circle);
}

static int search_init(struct search *s, const struct hierarchy_calls *calls, uint32_t count)
{
	uint32_t **rows[] = { &s->next, &s->order, &s->lowest, &s->caller, &s->open, &s->circle };

	s->first = calloc(count + 1ul, sizeof(*s->first));
	s->callees = malloc((calls->count + 1ul) * sizeof(*s->callees));
	if (!s->first || !s->callees)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		*rows[i] = malloc((count + 1ul) * sizeof(**rows[i]));
		if (!*rows[i])
			return -ENOMEM;
		memset(*rows[i], 0xff, (count + 1ul) * sizeof(**rows[i]));
	}
	for (uint32_t i = 0; i < calls->count; i++)
		s->first[calls->callers[i] + 1]++;
	for (uint32_t i = 0; i < count; i++)
		s->first[i + 1] += s->first[i];
	memcpy(s->next, s->first, (count + 1ul) * sizeof(*s->next));
	for (uint32_t i = 0; i < calls->count; i++)
		s->callees[s->next[calls->callers[i]]++] = calls->callees[i];
	memcpy(s->next, s->first, (count + 1ul) * sizeof(*s->next));
	return 0;
}

static void find(struct search *s, uint32_t function, uint32_t caller)
{
	s->order[function] = s->lowest[function] = s->found_count++;
	s->caller[function] = caller;
	s->open[s->open_count++] = function;
}

static void see(struct search *s, uint32_t function, uint32_t lowest)
{
	if (lowest < s->lowest[function])
		s->lowest[function] = lowest;
}

/* All callees of @function have been looked at: back to who it was found by. */
static uint32_t leave(struct search *s, uint32_t function)
{
	if (s->lowest[function] == s->order[function]) {
		uint32_t last;

		do {
			last = s->open[--s->open_count];
			s->circle[last] = function;
		} while (last != function);
	}
	if (s->caller[function] != NONE)
		see(s, s->caller[function], s->lowest[function]);
	return s->caller[function];
}

static void search_from(struct search *s, uint32_t function)
{
	find(s, function, NONE);
	while (function != NONE) {
		uint32_t callee;

		if (s->next[function] == s->first[function + 1]) {
			function = leave(s, function);
			continue;
		}
		callee = s->callees[s->next[function]++];
		if (s->order[callee] == NONE) {
			find(s, callee, function);
			function = callee;
		} else if (s->circle[callee] == NONE) {
			see(s, function, s->order[callee]);
		}
	}
}

uint32_t *hierarchy_cycles(const struct hierarchy_calls *calls, uint32_t count)
{
	struct search s __attribute__((cleanup(search_cleanup))) = { 0 };

	if (search_init(&s, calls, count))
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (s.order[i] == NONE)
			search_from(&s, i);
	return TAKE(s.circle);
}
