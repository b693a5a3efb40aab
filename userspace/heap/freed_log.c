/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/freed_log.h"
#include "heap/heap_steps.h"

/* A row is open until it is settled; `state` names its ticket, from 1 on, and says which. */
enum { ROW_WRITING, ROW_TOLD, ROW_NOT, ROW_DONE, ROW_STATES };

struct log_row {
	_Atomic uint64_t state; /* 0: never used */
	_Atomic uint64_t address, size, birth, death;
	_Atomic uint32_t stack, rate;
	_Atomic uint32_t slot;
	_Atomic uint16_t process;
};
_Static_assert(sizeof(struct log_row) == 56, "what freed_log.h says");

/* No steps: while one writes a row, nobody believes what is read of it. */
#define row_store(p, value) atomic_store_explicit(p, value, memory_order_release)
#define row_load(p) atomic_load_explicit(p, memory_order_acquire)

struct freed_log {
	uint64_t capacity;
	_Atomic uint64_t next; /* ticket */
	struct log_row rows[];
};

struct freed_log *freed_log_new(uint32_t capacity)
{
	struct freed_log *log = calloc(1, sizeof(*log) + capacity * sizeof(log->rows[0]));

	if (log)
		log->capacity = capacity;
	return log;
}

void freed_log_free(struct freed_log *log)
{
	free(log);
}

static struct log_row *row_of(struct freed_log *log, uint64_t ticket)
{
	return &log->rows[ticket & (log->capacity - 1)];
}

static uint64_t state_of(uint64_t ticket, int what)
{
	return (ticket + 1) * ROW_STATES + what;
}

static bool is_open(uint64_t state)
{
	return state && state % ROW_STATES < ROW_NOT;
}

/* Each place has one writer at a time, and none writes over a newer row. */
static bool begin(struct log_row *row, uint64_t ticket)
{
	uint64_t was = step_load(&row->state);

	return !is_open(was) && was < state_of(ticket, ROW_WRITING) &&
	       step_swap(&row->state, was, state_of(ticket, ROW_WRITING));
}

uint64_t freed_log_tell(struct freed_log *log, const struct freed_row *from)
{
	uint64_t ticket = step_add(&log->next, 1);
	struct log_row *row = row_of(log, ticket);

	if (!begin(row, ticket))
		return ticket;
	row_store(&row->address, from->sample.address);
	row_store(&row->size, from->sample.size);
	row_store(&row->birth, from->sample.birth);
	row_store(&row->death, from->death);
	row_store(&row->stack, from->sample.stack);
	row_store(&row->rate, from->sample.rate);
	row_store(&row->slot, from->slot);
	row_store(&row->process, from->sample.process);
	step_store(&row->state, state_of(ticket, ROW_TOLD));
	return ticket;
}

/* Only who has told the row can find it so. */
void freed_log_settle(struct freed_log *log, uint64_t ticket, enum freed_state state)
{
	step_swap(&row_of(log, ticket)->state, state_of(ticket, ROW_TOLD),
		  state_of(ticket, state == FREED_ROW ? ROW_DONE : ROW_NOT));
}

uint64_t freed_log_next(struct freed_log *log)
{
	return step_load_ordered(&log->next);
}

static enum freed_state judge(uint64_t state, uint64_t ticket)
{
	if (state == state_of(ticket, ROW_DONE))
		return FREED_ROW;
	if (state == state_of(ticket, ROW_NOT))
		return FREED_NOT;
	return state >= state_of(ticket + 1, 0) ? FREED_GONE : FREED_OPEN;
}

enum freed_state freed_log_read(struct freed_log *log, uint64_t ticket, struct freed_row *out)
{
	struct log_row *row = row_of(log, ticket);
	uint64_t state = step_load(&row->state);

	if (judge(state, ticket) != FREED_ROW)
		return judge(state, ticket);
	*out = (struct freed_row){
		.sample.address = row_load(&row->address),
		.sample.size = row_load(&row->size),
		.sample.birth = row_load(&row->birth),
		.death = row_load(&row->death),
		.sample.stack = row_load(&row->stack),
		.sample.rate = row_load(&row->rate),
		.slot = row_load(&row->slot),
		.sample.process = row_load(&row->process),
	};
	return step_load(&row->state) == state ? FREED_ROW : FREED_GONE;
}

uint64_t freed_log_overflow(struct freed_log *log)
{
	uint64_t next = freed_log_next(log);

	return next > log->capacity ? next - log->capacity : 0;
}
