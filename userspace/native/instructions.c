/* SPDX-License-Identifier: Apache-2.0 */
#include "native/instructions.h"

#include <errno.h>

int instructions_init(struct instructions *i, const uint8_t *code, size_t len, uint64_t address)
{
	*i = (struct instructions){ .code = code, .len = len, .address = address };
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &i->handle))
		return -ENOMEM;
	if (cs_option(i->handle, CS_OPT_DETAIL, CS_OPT_ON))
		return -ENOMEM;
	i->at = cs_malloc(i->handle);
	return i->at ? 0 : -ENOMEM;
}

void instructions_fini(struct instructions *i)
{
	if (i->at)
		cs_free(i->at, 1);
	if (i->handle)
		cs_close(&i->handle);
	*i = (struct instructions){ 0 };
}

bool instructions_next(struct instructions *i)
{
	return i->len && cs_disasm_iter(i->handle, &i->code, &i->len, &i->address, i->at);
}

static bool is_in(const cs_insn *insn, unsigned int group)
{
	for (uint8_t i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

bool instructions_goes_elsewhere(const struct instructions *i)
{
	return is_in(i->at, CS_GRP_JUMP) || is_in(i->at, CS_GRP_CALL) || is_in(i->at, CS_GRP_RET) ||
	       is_in(i->at, CS_GRP_INT) || is_in(i->at, CS_GRP_IRET);
}

uint64_t instructions_target(const struct instructions *i)
{
	const cs_x86 *x86 = &i->at->detail->x86;

	if (!is_in(i->at, CS_GRP_JUMP) && !is_in(i->at, CS_GRP_CALL))
		return 0;
	if (x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM)
		return 0;
	return x86->operands[0].imm;
}
