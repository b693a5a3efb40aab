/* SPDX-License-Identifier: Apache-2.0 */
/* instructions - x86-64 code, one instruction after the other, with what capstone knows of each. */
#ifndef SPPROF_INSTRUCTIONS_H
#define SPPROF_INSTRUCTIONS_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instructions {
	csh handle;
	cs_insn *at; /* the one that instructions_next() found */
	const uint8_t *code;
	size_t len;
	uint64_t address; /* of the next one */
};

/* Begins with the @len bytes at @code, which run at @address. 0 or -ENOMEM. */
int instructions_init(struct instructions *i, const uint8_t *code, size_t len, uint64_t address);
void instructions_fini(struct instructions *i);
static inline void instructions_cleanup(struct instructions *i)
{
	instructions_fini(i);
}

/* False behind the last one, and where there is none. Any content is legal input. */
bool instructions_next(struct instructions *i);

/* Whether the one that was found may go on elsewhere than behind itself. */
bool instructions_goes_elsewhere(const struct instructions *i);

/* Where the one that was found, a direct jump or call, goes to; 0: it is none. */
uint64_t instructions_target(const struct instructions *i);

#endif
