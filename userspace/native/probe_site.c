/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only the straight line from the function's entry is a candidate: it ends behind the first
 * instruction that may go elsewhere, and before the first one that some branch of the function
 * goes to, as that would be hit more often than the function is called.
 */
#include "native/probe_site.h"

#include "base/cleanup.h"
#include "native/general_register.h"
#include "native/instructions.h"

#include <errno.h>

#define STACK_POINTER 4 /* its number */

enum probing {
	PROBE_REFUSED, /* the kernel does not */
	PROBE_STEPPED,
	PROBE_EMULATED,
};

/*
 * The lowest address behind @address that a branch of the function goes to. One to @address itself
 * is a call of the function again. Bytes that are no instructions (tables) end the look at the
 * function, not the probing.
 */
static int lowest_target(const uint8_t *code, size_t len, uint64_t address, uint64_t *lowest)
{
	OWNS(instructions) struct instructions i = { .at = NULL };
	int err = instructions_init(&i, code, len, address);

	*lowest = UINT64_MAX;
	while (!err && instructions_next(&i)) {
		uint64_t target = instructions_target(&i);

		if (target > address && target < *lowest)
			*lowest = target;
	}
	return err;
}

/* Prefixes that say which instruction it is, or which bytes of it are spare, are bad ones. */
static bool has_bad_prefix(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (bytes[i]) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e: /* segments but for fs and gs */
		case 0xf0: /* lock */
			return true;
		case 0x64:
		case 0x65:
		case 0x66:
		case 0x67:
		case 0xf2:
		case 0xf3:
			continue;
		}
		return false;
	}
	return false;
}

/* push %reg, with or without REX: the kernel knows it by its bytes, not by its meaning. */
static bool is_plain_push(const cs_insn *insn)
{
	const uint8_t *b = insn->bytes;
	size_t rex = b[0] >= 0x40 && b[0] <= 0x4f;

	return insn->size == 1 + rex && b[rex] >= 0x50 && b[rex] <= 0x57;
}

/* call, jmp and jcc with a relative target, and without a prefix. */
static bool is_plain_branch(const cs_insn *insn)
{
	const uint8_t *b = insn->bytes;

	return b[0] == 0xe8 || b[0] == 0xe9 || b[0] == 0xeb || (b[0] & 0xf0) == 0x70 ||
	       (b[0] == 0x0f && (b[1] & 0xf0) == 0x80);
}

/*
 * A nop is believed only where the function begins: from 6.16 on the kernel puts a call in the
 * place of one of five bytes, which overwrites what a leaf function keeps below its stack
 * pointer. At a function's entry nothing is kept there yet.
 */
static enum probing probing_of(const cs_insn *insn, bool is_first)
{
	if (has_bad_prefix(insn->bytes, insn->size) || insn->id == X86_INS_INT3)
		return PROBE_REFUSED;
	if (insn->id == X86_INS_NOP)
		return is_first ? PROBE_EMULATED : PROBE_STEPPED;
	if (is_plain_push(insn) || is_plain_branch(insn))
		return PROBE_EMULATED;
	return PROBE_STEPPED;
}

static unsigned int wanted_of(x86_reg reg)
{
	int number = general_register(reg);
	int argument = general_register_argument(number);

	if (number == STACK_POINTER)
		return PROBE_SITE_STACK;
	return argument ? PROBE_SITE_ARGUMENT(argument) : 0;
}

/* What may be wanted and @insn overwrites; all of it if that cannot be told. */
static unsigned int overwritten(csh handle, const cs_insn *insn)
{
	cs_regs read, written;
	uint8_t read_count, written_count;
	unsigned int wanted = 0;

	if (cs_regs_access(handle, insn, read, &read_count, written, &written_count))
		return ~0u;
	for (uint8_t i = 0; i < written_count; i++)
		wanted |= wanted_of(written[i]);
	return wanted;
}

static int first_instruction(struct probe_site *out)
{
	*out = (struct probe_site){ 0, false };
	return 0;
}

static int find(struct instructions *i, uint64_t end, unsigned int wanted, struct probe_site *out)
{
	uint64_t address = i->address;
	bool can_step = false;

	while (i->len && i->address < end) {
		uint64_t start = i->address;
		enum probing probing;

		if (!instructions_next(i))
			return can_step ? first_instruction(out) : -EBADMSG;
		probing = probing_of(i->at, start == address);
		if (probing == PROBE_EMULATED) {
			*out = (struct probe_site){ start - address, true };
			return 0;
		}
		can_step = can_step || (start == address && probing == PROBE_STEPPED);
		if (instructions_goes_elsewhere(i) || overwritten(i->handle, i->at) & wanted)
			break;
	}
	return can_step ? first_instruction(out) : -ENOTSUP;
}

int probe_site_find(const uint8_t *code, size_t len, uint64_t address, unsigned int wanted,
		    struct probe_site *out)
{
	OWNS(instructions) struct instructions i = { .at = NULL };
	uint64_t end;
	int err = lowest_target(code, len, address, &end);

	if (!err)
		err = instructions_init(&i, code, len, address);
	return err ? err : find(&i, end, wanted, out);
}
