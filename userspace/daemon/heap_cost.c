/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_cost.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "collect/heap_probes.h"
#include "spprof_event.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define BATCHES 40 /* of which the lower quartile counts: in many something else was done, too */
#define CALLS 24   /* in a batch */
#define BYTES 16   /* asked for; or a pointer that nobody was given */

typedef void function(uint64_t bytes);

/* Each begins with the instruction that matters: a push is emulated, a lea is stepped over. */
__attribute__((naked)) static void emulated(uint64_t bytes __attribute__((unused)))
{
	__asm__("push %rbx; pop %rbx; ret; int3");
}

__attribute__((naked)) static void stepped(uint64_t bytes __attribute__((unused)))
{
	__asm__("lea 1(%rdi), %rax; ret; int3");
}

__attribute__((naked)) static void returning(uint64_t bytes __attribute__((unused)))
{
	__asm__("push %rbx; pop %rbx; ret; int3");
}

static const struct {
	function *call;
	bool is_stepped, has_return;
} functions[HEAP_COST_LINKS] = {
	{ emulated, false, false },
	{ stepped, true, false },
	{ returning, false, true },
};

struct place {
	uint64_t address;
	uint64_t offset; /* in the file */
	bool is_found;
};

static int on_mapping(const struct proc_mapping *m, void *ctx)
{
	struct place *p = ctx;

	if (p->address - m->start >= m->end - m->start)
		return 0;
	p->offset = p->address - m->start + m->offset;
	p->is_found = true;
	return 1;
}

/* Some compilers begin every function with an endbr64, which the kernel steps over. */
static uintptr_t first_instruction(function *call)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uintptr_t at = (uintptr_t)call;

	return at + (memcmp((const void *)at, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64));
}

static struct heap_link *probe(struct collector *c, int opener, int file, unsigned int i, int *err)
{
	struct place place = { .address = first_instruction(functions[i].call) };

	(void)proc_each_mapping(getpid(), on_mapping, &place);
	if (!place.is_found) {
		*err = -ENOENT;
		return NULL;
	}

	/* Of what gives memory the return is wanted, too. */
	uint8_t kind = functions[i].has_return ? SP_PROBE_MALLOC : SP_PROBE_FREE;
	struct heap_probe at = { .pid = getpid(),
				 .ip = place.address,
				 .offset = place.offset,
				 .file = file,
				 .has_return = functions[i].has_return,
				 .what = { .kind = kind,
					   .size = 1,
					   .domain = SP_DOMAIN_OBJECT,
					   .is_stepped = functions[i].is_stepped } };

	return heap_link_new(c, opener, &at, err);
}

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static double cost_of_a_call(function *volatile call)
{
	uint64_t took_ns[BATCHES];

	for (unsigned int i = 0; i < BATCHES; i++) {
		uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		for (unsigned int n = 0; n < CALLS; n++)
			call(BYTES);
		took_ns[i] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	qsort(took_ns, BATCHES, sizeof(took_ns[0]), by_size);
	return (double)took_ns[BATCHES / 4] / CALLS;
}

/* As a target that asks for next to nothing: all that a hit does, and hardly ever a sample. */
static int measure(struct collector *c, uint32_t session, double cost_ns[HEAP_COST_LINKS])
{
	const struct sp_heap_target target = { .session = session, .rate = UINT32_MAX };
	int err = heap_probes_follow(c, getpid(), &target);

	if (err)
		return err;
	for (unsigned int i = 0; i < HEAP_COST_LINKS; i++)
		cost_ns[i] = cost_of_a_call(functions[i].call);
	heap_probes_unfollow(c, getpid());
	return 0;
}

int heap_cost_measure(struct collector *c, int opener, uint32_t session, struct heap_costs *out,
		      struct heap_link *left[HEAP_COST_LINKS])
{
	OWNS_FD int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	double cost_ns[HEAP_COST_LINKS];
	int err = file < 0 ? -errno : 0;

	for (unsigned int i = 0; !err && i < HEAP_COST_LINKS; i++)
		left[i] = probe(c, opener, file, i, &err);
	if (!err)
		err = measure(c, session, cost_ns);
	if (err)
		return err;
	*out = heap_costs_plausible(&(struct heap_costs){
		.emulated_ns = cost_ns[0],
		.stepped_ns = cost_ns[1],
		.return_ns = cost_ns[2] - cost_ns[0],
	});
	return 0;
}
