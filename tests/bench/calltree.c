/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the call tree of many samples, and says what that cost:
 *
 *	calltree [STACKS [SAMPLES [FUNCTIONS [DEPTH]]]]
 *
 * Each stack begins like the one before it, up to a random depth, and is sampled at least
 * once; the samples left over fall on any.
 */
#include "calltree/history.h"
#include "calltree/nodes.h"
#include "profile/profile.h"
#include "tests/bench/random.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct size {
	uint32_t stacks, samples, functions, depth;
};

struct cost {
	double samples_s, tree_s;	    /* processor time */
	uint64_t profile_bytes, tree_bytes; /* of the heap, in use */
	uint32_t nodes;
};

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t heap_bytes(void)
{
	struct mallinfo2 heap = mallinfo2();

	return heap.uordblks + heap.hblkhd;
}

/* The peak of what is resident begins anew (proc(5)). */
static void forget_peak(void)
{
	OWNS_FD int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "5", 1) != 1)
		perror("/proc/self/clear_refs");
}

static uint64_t peak_bytes(void)
{
	OWNS_FILE FILE *f = fopen("/proc/self/status", "re");
	uint64_t kb = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %" SCNu64, &kb) == 1)
			break;
	return kb * 1024;
}

static int add_text(struct profile *p, profile_id *id, const char *format, uint32_t number)
{
	char text[64];

	return profile_add_string(p, text, snprintf(text, sizeof(text), format, number), id);
}

static int add_functions(struct profile *p, uint32_t count)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		struct profile_function row = { .kind = PROFILE_NATIVE };
		struct profile_frame frame = { 0 };
		profile_id id;

		err = add_text(p, &row.name, "fn%u", i);
		if (!err)
			err = add_text(p, &row.file, "/usr/lib/mod%u.so", i % 100);
		if (!err)
			err = profile_add_function(p, &row, &frame.function);
		if (!err)
			err = profile_add_frame(p, &frame, &id);
	}
	return err;
}

/* Of each stack, the last row goes to @leaves. */
static int add_stacks(struct profile *p, const struct size *size, profile_id *leaves)
{
	uint64_t state = 1;
	OWNS_MEM profile_id *way = calloc(size->depth, sizeof(*way));
	int err = way ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < size->stacks && !err; i++) {
		for (uint32_t d = i ? next_random(&state) % size->depth : 0;
		     d < size->depth && !err; d++) {
			struct profile_stack row = { .prefix = d ? way[d - 1] : PROFILE_NONE,
						     .frame = next_random(&state) %
							      size->functions };

			err = profile_add_stack(p, &row, &way[d]);
		}
		leaves[i] = way[size->depth - 1];
	}
	return err;
}

static int add_samples(struct profile *p, const struct size *size, const profile_id *leaves)
{
	uint64_t state = 2;
	struct profile_sample row = { .weight = 1, .count = 1 };
	struct profile_thread thread = { .pid = 4711, .tid = 4711 };
	int err = profile_add_thread(p, &thread, &row.thread);

	for (uint32_t i = 0; i < size->samples && !err; i++) {
		row.stack = leaves[i < size->stacks ? i : next_random(&state) % size->stacks];
		err = profile_add_sample(p, &row);
	}
	return err;
}

static int fill(struct profile *p, const struct size *size, struct cost *cost)
{
	OWNS_MEM profile_id *leaves = calloc(size->stacks, sizeof(*leaves));
	int err = leaves ? add_functions(p, size->functions) : -ENOMEM;

	if (!err)
		err = add_stacks(p, size, leaves);
	cost->samples_s = -cpu_s();
	if (!err)
		err = add_samples(p, size, leaves);
	cost->samples_s += cpu_s();
	return err;
}

static int build(const struct profile *p, struct cost *cost)
{
	struct tree_nodes nodes OWNS(tree_nodes) = { 0 };
	OWNS(history) struct history *h = NULL;
	struct tree_fill how = { 0 };
	int err;

	cost->profile_bytes = heap_bytes();
	forget_peak();
	cost->tree_s = -cpu_s();
	h = history_new(p, &how);
	err = h ? tree_nodes_make(history_stacks(h), TREE_ALL_GROUPS, &nodes) : -ENOMEM;
	cost->tree_s += cpu_s();
	cost->tree_bytes = heap_bytes() - cost->profile_bytes;
	cost->nodes = nodes.count;
	return err;
}

static uint32_t number(char **argv, int argc, int i, uint32_t usual)
{
	return i < argc ? strtoul(argv[i], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	OWNS(profile) struct profile *p = profile_new();
	struct cost cost = { 0 };
	struct size size = {
		.stacks = number(argv, argc, 1, 1000000),
		.samples = number(argv, argc, 2, 10000000),
		.functions = number(argv, argc, 3, 50000),
		.depth = number(argv, argc, 4, 40),
	};

	if (!size.stacks || !size.functions || !size.depth)
		return 2;
	if (!p || fill(p, &size, &cost) || build(p, &cost))
		return 1;
	printf("{\"nodes\":%u,\"samples_s\":%.3f,\"tree_s\":%.3f,\"profile_bytes\":%" PRIu64
	       ",\"tree_bytes\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 "}\n",
	       cost.nodes, cost.samples_s, cost.tree_s, cost.profile_bytes, cost.tree_bytes,
	       peak_bytes());
	return 0;
}
