/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self_check - tries every field of a layout on a live interpreter.
 *
 * One attempt reads a process that runs on; self_check_retry() is for telling a layout
 * that is wrong from a thread that moved.
 */
#ifndef SPPROF_SELF_CHECK_H
#define SPPROF_SELF_CHECK_H

#include "resolve/target_memory.h"
#include "spprof_pylayout.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct self_check_target {
	struct target_reader memory;
	uint64_t runtime;  /* address of _PyRuntime */
	const pid_t *tids; /* its threads, as its own PID namespace numbers them */
	size_t tid_count;
	int32_t *slots; /* two, filled in where the layout has no autoTSSkey: sp_target.slot */
};

/*
 * Tries @at once. If at->runtime_autotsskey is 0, it is searched for and filled in.
 * 0; -EAGAIN nothing runs there yet; -EBUSY what did not fit was changing meanwhile;
 * -ENOTSUP and *@why, the field that does not fit; -ESRCH, -EPERM.
 */
int self_check(const struct self_check_target *target, struct sp_pylayout *at, const char **why);

/*
 * As self_check(), tried again for at most 50 ms until it says 0. -ENOTSUP only if every
 * attempt said so, otherwise -EAGAIN.
 */
int self_check_retry(const struct self_check_target *target, struct sp_pylayout *at,
		     const char **why);

#endif
