/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outside-reader PID COUNT: what a plain reader of another process's memory sees of its
 * main thread. COUNT readings as fast as they come, each counts at once, so torn ones are
 * among them. Prints each stack as names, root first, and how often it was read.
 */
#include "resolve/code_table.h"
#include "resolve/interpreter.h"
#include "resolve/outside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_READINGS 1000000

static int read_all(pid_t pid, const struct interpreter *in, struct outside_stack **stacks,
		    long count)
{
	for (long i = 0; i < count; i++) {
		int err;

		stacks[i] = outside_stack_new(SP_FRAMES_USUAL);
		err = stacks[i] ? outside_read(pid, pid, in, stacks[i]) : -ENOMEM;
		if (err == -ESRCH || err == -EPERM || err == -ENOMEM)
			return err;
		if (err)
			stacks[i]->frame_count = 0; /* torn so far that it led nowhere */
	}
	return 0;
}

static void print_stack(struct code_table *codes, const struct outside_stack *stack)
{
	for (uint32_t i = stack->frame_count; i-- > 0;) {
		const struct sp_frame *f = &stack->frames[i];
		const struct code_entry *e = code_table_find(codes, f->code, f->key);

		printf("%s%s", e ? e->name : "[unknown]", i ? ";" : "");
	}
	if (!stack->frame_count)
		printf("[unreadable]");
	printf(" 1\n");
}

static int fail(pid_t pid, int err, const char *why)
{
	fprintf(stderr, "outside-reader: cannot read %d: %s %s\n", pid, strerror(-err), why);
	return 1;
}

int main(int argc, char **argv)
{
	OWNS(file_memory) struct file_memory *files = file_memory_new();
	pid_t pid = argc == 3 ? atoi(argv[1]) : 0;
	long count = argc == 3 ? atol(argv[2]) : 0;
	struct interpreter in;
	const char *why = "";
	int err;

	if (pid <= 0 || count <= 0 || count > MOST_READINGS) {
		fprintf(stderr, "usage: outside-reader PID COUNT\n");
		return 2;
	}
	err = interpreter_find(pid, files, &in, &why);
	if (err)
		return fail(pid, err, why ? why : "");

	OWNS_MEM struct outside_stack **stacks = calloc(count, sizeof(*stacks));
	OWNS(code_table) struct code_table *codes = code_table_new(pid, &in.layout);
	if (!stacks || !codes)
		return fail(pid, -ENOMEM, "");
	err = read_all(pid, &in, stacks, count);
	if (err)
		return fail(pid, err, "");
	for (long i = 0; i < count; i++)
		print_stack(codes, stacks[i]);
	for (long i = 0; i < count; i++)
		free(stacks[i]);
	return 0;
}
