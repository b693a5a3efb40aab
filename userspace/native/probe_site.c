/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only the straight line from the function's entry is a candidate: it ends behind the first
 * instruction that may go elsewhere, and before the first one that some branch of the function
 * goes to, as that would be hit more often than the function is called.
 */
#include "native/probe_site.h"

#include <capstone/capstone.h>
#include <errno.h>

enum probing {
	PROBE_REFUSED, /* the kernel does not */
	PROBE_STEPPED,
	PROBE_EMULATED,
};

static void close_capstone(csh *handle)
{
	if (*handle)
		cs_close(handle);
}

static void free_instruction(cs_insn **insn)
{
	if (*insn)
		cs_free(*insn, 1);
}

static bool is_in(const cs_insn *insn, unsigned int group)
{
	for (uint8_t i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

static bool goes_elsewhere(const cs_insn *insn)
{
	return is_in(insn, CS_GRP_JUMP) || is_in(insn, CS_GRP_CALL) || is_in(insn, CS_GRP_RET) ||
	       is_in(insn, CS_GRP_INT) || is_in(insn, CS_GRP_IRET);
}

/*
 * The lowest address behind @from that a branch of the function goes to. One to @from itself is
 * a call of the function again.
 */
static void note_target(const cs_insn *insn, uint64_t from, uint64_t *lowest)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];
	uint64_t target = op->imm;

	if (!is_in(insn, CS_GRP_JUMP) || insn->detail->x86.op_count != 1 || op->type != X86_OP_IMM)
		return;
	if (target > from && target < *lowest)
		*lowest = target;
}

/* Bytes in a function that are no instructions (tables) end the look at it, not the probing. */
static uint64_t lowest_target(csh handle, cs_insn *insn, const uint8_t *code, size_t len,
			      uint64_t address)
{
	uint64_t at = address, lowest = UINT64_MAX;

	while (len && cs_disasm_iter(handle, &code, &len, &at, insn))
		note_target(insn, address, &lowest);
	return lowest;
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

static unsigned int argument_of(x86_reg reg)
{
	static const x86_reg registers[PROBE_SITE_ARGUMENTS][4] = {
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL },
		{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
		{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
	};

	if (reg == X86_REG_DH)
		return PROBE_SITE_ARGUMENT(3);
	if (reg == X86_REG_CH)
		return PROBE_SITE_ARGUMENT(4);
	for (unsigned int i = 0; i < PROBE_SITE_ARGUMENTS; i++)
		for (unsigned int width = 0; width < 4; width++)
			if (registers[i][width] == reg)
				return 1u << i;
	return 0;
}

/* The arguments that @insn overwrites; all of them if that cannot be told. */
static unsigned int overwritten(csh handle, const cs_insn *insn)
{
	cs_regs read, written;
	uint8_t read_count, written_count;
	unsigned int arguments = 0;

	if (cs_regs_access(handle, insn, read, &read_count, written, &written_count))
		return ~0u;
	for (uint8_t i = 0; i < written_count; i++)
		arguments |= argument_of(written[i]);
	return arguments;
}

static int first_instruction(struct probe_site *out)
{
	*out = (struct probe_site){ 0, false };
	return 0;
}

int probe_site_find(const uint8_t *code, size_t len, uint64_t address, unsigned int arguments,
		    struct probe_site *out)
{
	csh handle __attribute__((cleanup(close_capstone))) = 0;
	cs_insn *insn __attribute__((cleanup(free_instruction))) = NULL;
	uint64_t at = address, end;
	bool can_step = false;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) ||
	    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON) || !(insn = cs_malloc(handle)))
		return -ENOMEM;
	end = lowest_target(handle, insn, code, len, address);
	while (len && at < end) {
		uint64_t start = at;
		enum probing probing;

		if (!cs_disasm_iter(handle, &code, &len, &at, insn))
			return can_step ? first_instruction(out) : -EBADMSG;
		probing = probing_of(insn, start == address);
		if (probing == PROBE_EMULATED) {
			*out = (struct probe_site){ start - address, true };
			return 0;
		}
		can_step = can_step || (start == address && probing == PROBE_STEPPED);
		if (goes_elsewhere(insn) || overwritten(handle, insn) & arguments)
			break;
	}
	return can_step ? first_instruction(out) : -ENOTSUP;
}
