/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function gives a pool its size class: pool->szidx = size, and DUMMY_SIZE_IDX to one that it
 * carves off an arena. No other function of a Python does both, but for those that it was inlined
 * into, and to these the size class is no argument.
 * Source: Objects/obmalloc.c of CPython 3.9 to 3.15, struct pool_header.
 */
#include "native/refill_code.h"

#include "base/cleanup.h"
#include "native/general_register.h"
#include "native/instructions.h"

#include <errno.h>

#define SZIDX 0x24	      /* offset in struct pool_header: 32 bits */
#define DUMMY_SIZE_IDX 0xffff /* of a pool that had no size yet */

/* What was seen of the function so far. */
struct sight {
	int argument_in[GENERAL_REGISTERS]; /* that the register still holds; 0: none */
	bool is_straight;		    /* no branch yet: what registers hold is known */
	bool has_dummy;
	int argument; /* that was stored; 0: none */
};

static void begin(struct sight *s)
{
	*s = (struct sight){ .is_straight = true };
	for (int i = 0; i < GENERAL_REGISTERS; i++)
		s->argument_in[i] = general_register_argument(i);
}

static int register_of(const cs_x86_op *op)
{
	return op->type == X86_OP_REG ? general_register(op->reg) : -1;
}

/* In the straight line from the entry: which registers hold arguments. */
static void note_registers(struct sight *s, const struct instructions *i)
{
	const cs_x86 *x86 = &i->at->detail->x86;
	cs_regs read, written;
	uint8_t read_count, written_count;
	int from = -1, argument = 0;

	if (i->at->id == X86_INS_MOV && x86->op_count == 2 && x86->operands[0].type == X86_OP_REG)
		from = register_of(&x86->operands[1]);
	if (from >= 0 && x86->operands[1].size >= 4)
		argument = s->argument_in[from];
	if (cs_regs_access(i->handle, i->at, read, &read_count, written, &written_count))
		written_count = 0;
	for (uint8_t w = 0; w < written_count; w++)
		if (general_register(written[w]) >= 0)
			s->argument_in[general_register(written[w])] = argument;
}

/* A store to what may be pool->szidx. */
static void note_store(struct sight *s, const struct instructions *i)
{
	const cs_x86 *x86 = &i->at->detail->x86;
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	int number;

	if (i->at->id != X86_INS_MOV || x86->op_count != 2 || to->type != X86_OP_MEM ||
	    to->size != 4 || to->mem.disp != SZIDX || to->mem.index != X86_REG_INVALID)
		return;
	if (from->type == X86_OP_IMM)
		s->has_dummy = s->has_dummy || (uint32_t)from->imm == DUMMY_SIZE_IDX;
	number = register_of(from);
	if (number >= 0 && s->argument_in[number])
		s->argument = s->argument_in[number];
}

int refill_code_argument(const uint8_t *code, size_t len, uint64_t address)
{
	OWNS(instructions) struct instructions i = { .at = NULL };
	struct sight s;
	int err = instructions_init(&i, code, len, address);

	begin(&s);
	while (!err && instructions_next(&i)) {
		note_store(&s, &i);
		s.is_straight = s.is_straight && !instructions_goes_elsewhere(&i);
		if (s.is_straight)
			note_registers(&s, &i);
	}
	if (err)
		return err;
	return s.has_dummy && s.argument ? s.argument : -ENOENT;
}

int refill_code_calls(const uint8_t *code, size_t len, uint64_t address, uint64_t *out, size_t room)
{
	OWNS(instructions) struct instructions i = { .at = NULL };
	int err = instructions_init(&i, code, len, address);
	size_t count = 0;

	while (!err && count < room && instructions_next(&i)) {
		uint64_t target = instructions_target(&i);

		if (target && target - address >= len)
			out[count++] = target;
	}
	return err ? err : (int)count;
}
