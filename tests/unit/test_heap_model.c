/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiny heap maps, on which a few threads do a little in every order of their atomic operations:
 * each step changes the map as its table of states says, and nothing is lost or invented.
 *
 * The map's own code, with stops before each atomic operation.
 */
#include "tests/unit/interleave.h"

#define HEAP_STEP() interleave_step()
#define HEAP_SAW(value) interleave_saw((uint64_t)(value))
#define HEAP_WAIT() interleave_wait()

#include "base/cleanup.h"

/* What a run leaves behind that is not followed to its end is not freed one by one. */
static void *model_calloc(size_t count, size_t size);
#define calloc model_calloc
#undef OWNS_MEM
#define OWNS_MEM

#include "heap/freed_log.c"
#include "heap/heap_map.c"
#include "heap/heap_walk.c"

#undef calloc

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <xxhash.h>

#define CAPACITY_MOST 4
#define OPS_MOST 3
#define BIRTHS_MOST 8
#define LOG_ROWS 16

static struct {
	_Alignas(16) char bytes[4096];
	size_t used;
} pool;

static void *model_calloc(size_t count, size_t size)
{
	void *at = pool.bytes + pool.used;

	if (!interleave_is_running())
		return calloc(count, size);
	pool.used += (count * size + 15) / 16 * 16;
	cr_assert(le(sz, pool.used, sizeof(pool.bytes)));
	return memset(at, 0, count * size);
}

enum op { NOTHING, ALLOC, FREE, FIND, VISIT, DROP };

struct step {
	enum op op;
	char block; /* 'P', 'Q', 'R': which pointer */
};

struct script {
	const char *name;
	uint32_t capacity;
	const char *before; /* blocks that live at first */
	struct step steps[INTERLEAVE_THREADS][OPS_MOST];
};

/* A sample whose reservation was made: its members tell it from any other one. */
struct birth {
	uint64_t address, number; /* the sequence number */
	int published;		  /* what heap_map_publish() said; 1: not yet */
};

struct visit {
	struct heap_walk walk;
	uint64_t births[BIRTHS_MOST];
	int count, has_ended;
};

struct model {
	const struct script *script;
	struct heap_map *map;
	struct freed_log *log;
	struct heap_map map_before;
	struct heap_entry entries_before[CAPACITY_MOST];
	char log_before[sizeof(struct freed_log) + LOG_ROWS * sizeof(struct log_row)];

	struct birth births[BIRTHS_MOST];
	int birth_count;
	struct visit visit;
	uint64_t keys[CAPACITY_MOST]; /* before the last step */
	uint64_t went;		      /* at what it went from one life to the next: coverage */
};

static uint64_t address_of(char block)
{
	return 0x10000ull * block;
}

/* Sizes, rates and stacks all come from the birth: what is torn does not fit together. */
static uint64_t size_of(uint64_t number)
{
	return number * 1000;
}

static void check_whole(const struct heap_sample *s)
{
	cr_assert(eq(u64, s->size, size_of(s->birth)));
	cr_assert(eq(u64, s->rate, s->birth * 7));
	cr_assert(eq(u64, s->stack, s->birth * 13));
}

static void alloc(struct model *m, char block)
{
	struct heap_place place;
	struct birth *b;
	int err = heap_map_reserve(m->map, 1, address_of(block), 0, &place);

	cr_assert(err == 0 || err == -ENOSPC);
	if (err)
		return;
	cr_assert(lt(int, m->birth_count, BIRTHS_MOST));
	b = &m->births[m->birth_count++];
	*b = (struct birth){ address_of(block), place.birth, 1 };
	b->published = heap_map_publish(m->map, &place, size_of(place.birth), place.birth * 7,
					place.birth * 13);
}

static const struct birth *birth_of(const struct model *m, uint64_t number)
{
	for (int i = 0; i < m->birth_count; i++)
		if (m->births[i].number == number)
			return &m->births[i];
	return NULL;
}

static void find(struct model *m, char block)
{
	struct heap_sample s;

	if (heap_map_find(m->map, 1, address_of(block), &s))
		return;
	check_whole(&s);
	cr_assert(eq(u64, s.address, address_of(block)));
	cr_assert(birth_of(m, s.birth) != NULL);
}

static int note(void *arg, const struct heap_sample *s)
{
	struct visit *v = arg;

	check_whole(s);
	v->births[v->count++] = s->birth;
	return 0;
}

static void do_step(struct model *m, struct step step)
{
	switch (step.op) {
	case ALLOC:
		alloc(m, step.block);
		break;
	case FREE:
		heap_map_remove(m->map, 1, address_of(step.block), 0);
		break;
	case FIND:
		find(m, step.block);
		break;
	case VISIT:
		cr_assert(eq(int, heap_map_visit(m->map, 0, note, &m->visit, &m->visit.walk), 0));
		m->visit.has_ended = 1;
		break;
	case DROP:
		heap_map_drop_process(m->map, 1, 0);
		break;
	case NOTHING:
		break;
	}
}

static void run(void *arg, int thread)
{
	struct model *m = arg;

	for (int i = 0; i < OPS_MOST; i++)
		do_step(m, m->script->steps[thread][i]);
}

static void reset(void *arg)
{
	struct model *m = arg;

	memcpy(m->map, &m->map_before, sizeof(m->map_before));
	memcpy(m->map->entries, m->entries_before, m->map->capacity * sizeof(struct heap_entry));
	memcpy(m->log, m->log_before, sizeof(m->log_before));
	m->birth_count = strlen(m->script->before);
	m->visit = (struct visit){ 0 };
	pool.used = 0;
	for (uint32_t i = 0; i < m->map->capacity; i++)
		m->keys[i] = m->map->entries[i].key;
}

/* The table of states: whether @from may become @to. */
static bool is_allowed(uint64_t from, uint64_t to)
{
	if (from == HEAP_EMPTY || heap_is_tombstone(from))
		return heap_is_reserved(to);
	if (heap_is_reserved(from))
		return to == (from & ~HEAP_RESERVED) || to == heap_tombstone_of(from);
	return to == heap_tombstone_of(from);
}

static void stepped(void *arg)
{
	struct model *m = arg;

	for (uint32_t i = 0; i < m->map->capacity; i++) {
		uint64_t key = m->map->entries[i].key;

		if (key == m->keys[i])
			continue;
		cr_assert(is_allowed(m->keys[i], key), "%s: %lx to %lx", m->script->name,
			  m->keys[i], key);
		m->keys[i] = key;
	}
}

/* What the map and the log have at the end. */
struct remains {
	uint64_t live[BIRTHS_MOST], freed[BIRTHS_MOST], deaths[BIRTHS_MOST];
	uint64_t ended; /* with their process: they have no row */
	int live_count, freed_count;
};

static struct remains remains_of(struct model *m)
{
	struct remains r = { .ended = heap_map_counts(m->map).of[HEAP_MAP_ENDED] };
	struct freed_row row;
	struct heap_sample s;

	for (uint32_t i = 0; i < m->map->capacity; i++) {
		uint64_t key = m->map->entries[i].key;

		cr_assert(not(heap_is_reserved(key)));
		if (!heap_is_occupied(key))
			continue;
		cr_assert(eq(int, heap_map_read(m->map, i, key, &s), 0));
		check_whole(&s);
		r.live[r.live_count++] = s.birth;
	}
	for (uint64_t t = 0; t < freed_log_next(m->log); t++) {
		if (freed_log_read(m->log, t, &row) != FREED_ROW)
			continue;
		check_whole(&row.sample);
		cr_assert(lt(u64, row.sample.birth, row.death)); /* no zombie has won */
		r.deaths[r.freed_count] = row.death;
		r.freed[r.freed_count++] = row.sample.birth;
	}
	return r;
}

static int times_in(const uint64_t *numbers, int count, uint64_t number)
{
	int times = 0;

	for (int i = 0; i < count; i++)
		times += numbers[i] == number;
	return times;
}

/* Each that was published lives or was freed, once; each that was not, neither. */
static void check_births(const struct model *m, const struct remains *r)
{
	int accounted = 0;

	for (int i = 0; i < m->birth_count; i++) {
		const struct birth *b = &m->births[i];
		int times = times_in(r->live, r->live_count, b->number) +
			    times_in(r->freed, r->freed_count, b->number);

		cr_assert(ne(int, b->published, 1));
		cr_assert(le(int, times, b->published ? 0 : 1), "%s", m->script->name);
		accounted += times + (b->published == 0 && !times);
		if (!r->ended)
			cr_assert(eq(int, times, b->published ? 0 : 1), "%s", m->script->name);
	}
	cr_assert(ge(int, accounted, r->live_count + r->freed_count));
}

static void check_counts(struct model *m, const struct remains *r)
{
	struct heap_map_counts c = heap_map_counts(m->map);
	uint64_t published = 0, died = 0;

	for (int i = 0; i < m->birth_count; i++) {
		published += m->births[i].published == 0;
		died += m->births[i].published == -ECANCELED;
	}
	cr_assert(eq(u64, c.of[HEAP_MAP_INSERTIONS], published));
	cr_assert(eq(u64, c.of[HEAP_MAP_DEATHS_DURING_BIRTH], died));
	cr_assert(eq(u64, heap_map_live(&c), r->live_count));
	cr_assert(eq(u64, heap_map_freed(&c) - r->ended, r->freed_count));
	cr_assert(eq(u64, c.of[HEAP_MAP_SAMPLES],
		     heap_map_live(&c) + heap_map_freed(&c) + heap_map_lost(&c)));
}

/* As of its number, whatever else ran. */
static void check_visit(const struct model *m, const struct remains *r)
{
	const struct visit *v = &m->visit;
	int expected = 0;

	if (!v->has_ended)
		return;
	cr_assert(eq(u64, v->walk.missed + v->walk.unborn, 0));
	for (int i = 0; i < m->birth_count; i++) {
		uint64_t number = m->births[i].number;
		bool lived = m->births[i].published == 0 && number <= v->walk.as_of;

		for (int f = 0; f < r->freed_count; f++)
			lived &= r->freed[f] != number || r->deaths[f] > v->walk.as_of;
		cr_assert(eq(int, times_in(v->births, v->count, number), lived), "%s",
			  m->script->name);
		expected += lived;
	}
	cr_assert(eq(int, v->count, expected));
}

static void ended(void *arg)
{
	struct model *m = arg;
	struct remains r = remains_of(m);

	check_births(m, &r);
	check_counts(m, &r);
	check_visit(m, &r);
	for (int i = 0; i < HEAP_MAP_COUNT_MAX; i++)
		if (m->map->count[i])
			m->went |= 1ull << i;
}

static uint64_t memory(void *arg)
{
	struct model *m = arg;
	const struct heap_map *map = m->map;
	uint64_t hash = XXH3_64bits(map->entries, map->capacity * sizeof(struct heap_entry));

	hash = XXH3_64bits_withSeed((const void *)&map->sequence, sizeof(map->sequence), hash);
	hash = XXH3_64bits_withSeed((const void *)&map->epoch, sizeof(map->epoch), hash);
	hash = XXH3_64bits_withSeed((const void *)map->busy, sizeof(map->busy), hash);
	hash = XXH3_64bits_withSeed((const void *)map->count, sizeof(map->count), hash);
	return XXH3_64bits_withSeed(m->log, sizeof(m->log_before), hash);
}

/* Which counts became more than 0 in some order. */
static uint64_t try_all(const struct script *s)
{
	struct model m = { .script = s, .log = freed_log_new(LOG_ROWS) };
	struct interleaving what = { &m, 0, reset, run, stepped, ended, memory };
	struct interleave_cost cost;

	m.map = heap_map_new(s->capacity, m.log);
	for (const char *block = s->before; *block; block++)
		alloc(&m, *block);
	memcpy(&m.map_before, m.map, sizeof(m.map_before));
	memcpy(m.entries_before, m.map->entries, s->capacity * sizeof(struct heap_entry));
	memcpy(m.log_before, m.log, sizeof(m.log_before));
	while (what.threads < INTERLEAVE_THREADS && s->steps[what.threads][0].op)
		what.threads++;
	cost = interleave(&what);
	cr_log_info("%s: %lu states, %lu ends", s->name, cost.states, cost.ends);
	cr_expect(cost.ends > 0);
	heap_map_free(m.map);
	freed_log_free(m.log);
	return m.went;
}

#define WENT(count) (1ull << HEAP_MAP_##count)

struct row {
	struct script script;
	uint64_t wents; /* what must have happened in some order */
};

static const struct row rows[] = {
	{ { "a free of what is being born", 2, "", { { { ALLOC, 'P' } }, { { FREE, 'P' } } } },
	  WENT(FREES) | WENT(DEATHS_DURING_BIRTH) | WENT(UNKNOWN_FREES) },
	{ { "one lives and dies beside a birth",
	    2,
	    "",
	    { { { ALLOC, 'P' }, { FREE, 'P' } }, { { ALLOC, 'Q' } } } },
	  WENT(FREES) | WENT(COLLISIONS) | WENT(TOMBSTONES_RECYCLED) },
	{ { "the only place is of one who died at birth",
	    2,
	    "R",
	    { { { ALLOC, 'P' } }, { { FREE, 'P' }, { ALLOC, 'Q' } } } },
	  WENT(DEATHS_DURING_BIRTH) | WENT(FULL_DROPS) | WENT(TOMBSTONES_RECYCLED) },
	{ { "a free that comes late",
	    2,
	    "P",
	    { { { FREE, 'P' } }, { { FREE, 'P' }, { ALLOC, 'P' } } } },
	  WENT(ZOMBIE_FREES) | WENT(FREES) | WENT(DEATHS_DURING_BIRTH) },
	{ { "a free that nobody saw", 2, "P", { { { ALLOC, 'P' } }, { { FREE, 'P' } } } },
	  WENT(MISSED_FREES) | WENT(FREES) | WENT(DEATHS_DURING_BIRTH) },
	{ { "found or not, but whole",
	    2,
	    "P",
	    { { { FREE, 'P' }, { ALLOC, 'Q' } }, { { FIND, 'P' }, { FIND, 'Q' } } } },
	  WENT(FREES) },
	{ { "as of one moment", 2, "P", { { { VISIT, 0 } }, { { FREE, 'P' }, { ALLOC, 'Q' } } } },
	  WENT(FREES) },
	{ { "as of one moment of a short life",
	    2,
	    "",
	    { { { VISIT, 0 } }, { { ALLOC, 'P' }, { FREE, 'P' } } } },
	  WENT(FREES) },
	{ { "as of one moment of an unseen free",
	    2,
	    "P",
	    { { { VISIT, 0 } }, { { ALLOC, 'P' } } } },
	  WENT(MISSED_FREES) },
	{ { "a process ends", 2, "PQ", { { { DROP, 0 } }, { { FREE, 'P' } } } },
	  WENT(ENDED) | WENT(FREES) },
	{ { "a process ends while it allocates", 2, "", { { { DROP, 0 } }, { { ALLOC, 'P' } } } },
	  WENT(ENDED) | WENT(DEATHS_DURING_BIRTH) },
	{ { "two births for one place", 2, "R", { { { ALLOC, 'P' } }, { { ALLOC, 'Q' } } } },
	  WENT(FULL_DROPS) | WENT(INSERTIONS) },
};

/* Those that take long. */
static const struct row long_rows[] = {
	{ { "three births for two places",
	    2,
	    "",
	    { { { ALLOC, 'P' } }, { { ALLOC, 'Q' } }, { { ALLOC, 'R' } } } },
	  WENT(FULL_DROPS) | WENT(INSERTIONS) },
	{ { "two live and die",
	    2,
	    "",
	    { { { ALLOC, 'P' }, { FREE, 'P' } }, { { ALLOC, 'Q' }, { FREE, 'Q' } } } },
	  WENT(FREES) | WENT(COLLISIONS) | WENT(TOMBSTONES_RECYCLED) },
	{ { "the place of one who died at birth",
	    2,
	    "",
	    { { { ALLOC, 'P' } }, { { FREE, 'P' }, { ALLOC, 'Q' } }, { { ALLOC, 'R' } } } },
	  WENT(DEATHS_DURING_BIRTH) | WENT(FULL_DROPS) },
	{ { "as of one moment of two others",
	    4,
	    "P",
	    { { { VISIT, 0 } }, { { FREE, 'P' } }, { { ALLOC, 'Q' } } } },
	  WENT(FREES) },
};

static void try_rows(const struct row *row, size_t count)
{
	for (; count; count--, row++) {
		uint64_t went = try_all(&row->script);

		cr_expect(eq(u64, went & row->wents, row->wents), "%s", row->script.name);
	}
}

Test(heap_model, every_order_of_steps_keeps_to_the_table_and_loses_nothing)
{
	try_rows(rows, sizeof(rows) / sizeof(rows[0]));
	if (getenv("LONG"))
		try_rows(long_rows, sizeof(long_rows) / sizeof(long_rows[0]));
}
