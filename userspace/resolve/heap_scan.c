/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_scan.h"

#include "base/clock.h"
#include "resolve/heap_tally.h"
#include "resolve/mimalloc_scan.h"
#include "resolve/pymalloc_scan.h"

#include <errno.h>

static int scan_blocks(const struct heap_scan_target *t, const struct target_reader *memory,
		       struct heap_tally *tally, struct heap_census *out, const char **why)
{
	if (t->allocator->kind == ALLOCATOR_MIMALLOC)
		return mimalloc_scan(t, tally, out, why);
	return pymalloc_scan(t, memory, tally, out);
}

/* What it found up to an error is for the caller to drop. */
static int scan(const struct heap_scan_target *t, struct heap_census *out, const char **why)
{
	pid_t pid = t->pid;
	struct heap_tally_facts facts = {
		.memory = target_reader_of(&pid),
		.in = t->in,
		.has_debug_hooks = t->allocator->has_debug_hooks,
		.has_types_inside = t->allocator->kind == ALLOCATOR_MIMALLOC,
	};
	int err;
	OWNS(heap_tally) struct heap_tally *tally = heap_tally_new(&facts, &err);

	if (err == -EBADMSG || err == -EFAULT) {
		*why = "its objects have no types that can be read";
		return -ENOTSUP;
	}
	if (err)
		return err;
	err = scan_blocks(t, &facts.memory, tally, out, why);
	return err ? err : heap_tally_finish(tally, out);
}

int heap_scan(const struct heap_scan_target *target, struct heap_census *out, const char **why)
{
	uint64_t start = monotonic_ns();
	int err = scan(target, out, why);

	if (err)
		heap_census_fini(out);
	else
		out->nanoseconds = monotonic_ns() - start;
	return err;
}

bool heap_scan_is_early(pid_t pid, const struct interpreter *in)
{
	struct heap_tally_facts facts = { .memory = target_reader_of(&pid), .in = in };
	int err;

	heap_tally_free(heap_tally_new(&facts, &err));
	return err == -EAGAIN;
}
