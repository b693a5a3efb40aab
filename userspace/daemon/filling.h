/* SPDX-License-Identifier: Apache-2.0 */
/* filling - from counted stacks and threads to a profile's names, each looked up once. */
#ifndef SPPROF_FILLING_H
#define SPPROF_FILLING_H

#include "base/hash_index.h"
#include "daemon/stack_store.h"
#include "profile/profile.h"

struct filled {
	const void *what; /* the stack or thread */
	profile_id id;
};

/* Zeroed but for @out, it is empty. */
struct filling {
	struct profile *out;
	struct filled *done;
	uint32_t count, room;
	struct hash_index index;
};

void filling_fini(struct filling *f);

static inline void filling_cleanup(struct filling *f)
{
	filling_fini(f);
}

/* Adds samples of @stack on @thread; @timestamp_ns in Unix time or 0. 0 or -ENOMEM. */
int filling_add(struct filling *f, struct stack *stack, struct thread *thread, uint64_t weight_ns,
		uint64_t count, uint64_t timestamp_ns);

#endif
