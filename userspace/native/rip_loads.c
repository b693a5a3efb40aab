/* SPDX-License-Identifier: Apache-2.0 */
#include "native/rip_loads.h"

#include <stdbool.h>
#include <string.h>

/* Opcodes, each followed by a ModRM byte. Source: Intel SDM, volume 2. */
#define MOV_LOAD 0x8b
#define CMP_LOAD 0x3b
#define GROUP_5 0xff /* its CALL and JMP through memory */
#define CALL_THROUGH 2
#define JMP_THROUGH 4

#define INSTRUCTION_BYTES 6 /* opcode, ModRM, displacement: the instruction ends there */

static bool is_load(uint8_t opcode, uint8_t modrm)
{
	uint8_t reg = modrm >> 3 & 7;

	if ((modrm & 0xc7) != 0x05)
		return false; /* not [rip + displacement] */
	return opcode == MOV_LOAD || opcode == CMP_LOAD ||
	       (opcode == GROUP_5 && (reg == CALL_THROUGH || reg == JMP_THROUGH));
}

size_t rip_loads(const uint8_t *code, size_t len, uint64_t address, uint64_t *out, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i + INSTRUCTION_BYTES <= len && count < room; i++) {
		int32_t displacement;

		if (!is_load(code[i], code[i + 1]))
			continue;
		memcpy(&displacement, code + i + 2, sizeof(displacement));
		out[count++] = address + i + INSTRUCTION_BYTES + (int64_t)displacement;
	}
	return count;
}
