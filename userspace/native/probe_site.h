/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_site - where in a function a uprobe sits best: on an instruction that the kernel
 * emulates (some 0.5 us a hit; one that it has to step over costs 9 us on the machine that this
 * was measured on), that runs once a call, and before which no argument that is wanted is
 * overwritten.
 */
#ifndef SPPROF_PROBE_SITE_H
#define SPPROF_PROBE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What must be as it was at the function's entry. */
#define PROBE_SITE_ARGUMENT(n) (1u << ((n)-1)) /* n from 1 to 6: passed in registers */
/*
 * The stack pointer: for a probe of the return, which the kernel sets up at the site by taking
 * the word there for where the function returns to.
 */
#define PROBE_SITE_STACK (1u << 6)

struct probe_site {
	uint32_t offset;  /* of the instruction, from the function's first byte */
	bool is_emulated; /* else it is the first instruction, which the kernel steps over */
};

/*
 * Of the x86-64 function at @address whose bytes, all of them, are the @len at @code.
 * @wanted: what must be unchanged at the site, of PROBE_SITE_. Any content is legal input.
 * 0 and *@out; -ENOTSUP: no instruction there can be probed; -EBADMSG: these are no
 * instructions; -ENOMEM.
 * Source: Linux arch/x86/kernel/uprobes.c: branch_setup_xol_ops(), push_setup_xol_ops(),
 * is_prefix_bad(); System V ABI of x86-64, 3.2.3.
 */
int probe_site_find(const uint8_t *code, size_t len, uint64_t address, unsigned int wanted,
		    struct probe_site *out);

#endif
