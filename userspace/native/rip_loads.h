/* SPDX-License-Identifier: Apache-2.0 */
/* rip_loads - which variables x86-64 code may use, without a disassembler. Any bytes are legal. */
#ifndef SPPROF_RIP_LOADS_H
#define SPPROF_RIP_LOADS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Lists the addresses that the @len bytes of code at @code, which runs at @address, loads from,
 * or jumps or calls through, relative to its instruction pointer. Some may be none of that: an
 * operand may look like an instruction. At most @room, in the code's order; their number.
 */
size_t rip_loads(const uint8_t *code, size_t len, uint64_t address, uint64_t *out, size_t room);

#endif
