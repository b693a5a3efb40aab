/* SPDX-License-Identifier: Apache-2.0 */
#include "pymalloc_model.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 48
#define NONE UINT32_MAX

struct pool {
	uint32_t live, carved; /* blocks that are given out; that were made: one more than ever */
	uint32_t free;	       /* the first block of its list */
	uint32_t next, previous;
	bool is_listed, is_known; /* among those with a free block; of this size before */
	uint32_t *links;	  /* of each block: the next one of the list */
};

struct pymalloc_model {
	uint32_t blocks; /* in a pool */
	bool forgets;
	struct pool *pools;
	uint32_t count, room;
	uint32_t used;	/* the first of those with a free block */
	uint32_t spare; /* the first of those without a live one */
};

struct pymalloc_model *pymalloc_model_new(uint32_t block_bytes, uint32_t pool_bytes, bool forgets)
{
	struct pymalloc_model *m = calloc(1, sizeof(*m));

	m->blocks = (pool_bytes - HEAD_BYTES) / block_bytes;
	m->forgets = forgets;
	m->used = m->spare = NONE;
	return m;
}

void pymalloc_model_free(struct pymalloc_model *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		free(m->pools[i].links);
	free(m->pools);
	free(m);
}

static void put_first(struct pymalloc_model *m, uint32_t number)
{
	struct pool *p = &m->pools[number];

	p->next = m->used;
	p->previous = NONE;
	if (m->used != NONE)
		m->pools[m->used].previous = number;
	m->used = number;
	p->is_listed = true;
}

static void take_out(struct pymalloc_model *m, uint32_t number)
{
	struct pool *p = &m->pools[number];

	if (p->previous == NONE)
		m->used = p->next;
	else
		m->pools[p->previous].next = p->next;
	if (p->next != NONE)
		m->pools[p->next].previous = p->previous;
	p->is_listed = false;
}

static uint32_t any_pool(struct pymalloc_model *m)
{
	uint32_t number = m->spare;

	if (number != NONE) {
		m->spare = m->pools[number].next;
		return number;
	}
	if (m->count == m->room) {
		m->room = m->room ? m->room * 2 : 16;
		m->pools = realloc(m->pools, m->room * sizeof(*m->pools));
	}
	m->pools[m->count] = (struct pool){ .links = calloc(m->blocks, sizeof(uint32_t)) };
	return m->count++;
}

/* The second block is the list, unless the pool had this size before. */
static uint32_t take_from_new(struct pymalloc_model *m)
{
	uint32_t number = any_pool(m), block = 0;
	struct pool *p = &m->pools[number];

	if (p->is_known && !m->forgets) {
		block = p->free;
		p->free = p->links[block];
	} else {
		p->carved = 2;
		p->free = 1;
		p->links[1] = NONE;
	}
	p->is_known = true;
	p->live = 1;
	put_first(m, number);
	return number * m->blocks + block;
}

uint32_t pymalloc_model_take(struct pymalloc_model *m, bool *is_refill)
{
	uint32_t number = m->used, block;
	struct pool *p;

	*is_refill = number == NONE;
	if (*is_refill)
		return take_from_new(m);
	p = &m->pools[number];
	p->live++;
	block = p->free;
	p->free = p->links[block];
	if (p->free == NONE && p->carved < m->blocks) {
		p->free = p->carved++;
		p->links[p->free] = NONE;
	} else if (p->free == NONE) {
		take_out(m, number);
	}
	return number * m->blocks + block;
}

void pymalloc_model_give(struct pymalloc_model *m, uint32_t block)
{
	uint32_t number = block / m->blocks;
	struct pool *p = &m->pools[number];

	p->links[block % m->blocks] = p->free;
	p->free = block % m->blocks;
	if (!p->is_listed)
		put_first(m, number);
	if (--p->live)
		return;
	take_out(m, number);
	p->next = m->spare;
	m->spare = number;
}

struct pymalloc_model_state pymalloc_model_look(const struct pymalloc_model *m)
{
	struct pymalloc_model_state s = { 0 };

	for (uint32_t i = 0; i < m->count; i++) {
		const struct pool *p = &m->pools[i];
		uint32_t last = NONE;

		if (!p->live)
			continue;
		s.pools++;
		s.live += p->live;
		for (uint32_t b = p->free; b != NONE; b = p->links[b]) {
			s.freed++;
			last = b;
		}
		s.freed -= last == p->carved - 1; /* as python/pymalloc_pool has it */
	}
	return s;
}
