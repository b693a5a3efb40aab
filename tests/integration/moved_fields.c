/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moved-fields PID: the self-check refuses every layout of that live Python in which one
 * field is 8 bytes from where it is. One line a field; exit code 1 if one was believed.
 * A check looks again before it refuses: so there is a process a field, all at once.
 */
#include "resolve/interpreter.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct field {
	const char *name;
	size_t offset, bytes;
};

#define FIELD(f)                                                                          \
	{                                                                                 \
#f, offsetof(struct sp_pylayout, f), sizeof(((struct sp_pylayout *)0)->f) \
	}
static const struct field fields[] = {
	FIELD(runtime_interpreters_head),
	FIELD(runtime_autotsskey),
	FIELD(interp_threads_head),
	FIELD(interp_code_generation),
	FIELD(interp_tlbc_generation),
	FIELD(tstate_prev),
	FIELD(tstate_next),
	FIELD(tstate_interp),
	FIELD(tstate_cframe),
	FIELD(tstate_current_frame),
	FIELD(tstate_thread_id),
	FIELD(tstate_native_thread_id),
	FIELD(tstate_datastack_chunk),
	FIELD(cframe_current_frame),
	FIELD(frame_executable),
	FIELD(frame_previous),
	FIELD(frame_instr),
	FIELD(frame_owner),
	FIELD(frame_tlbc_index),
	FIELD(code_firstlineno),
	FIELD(code_filename),
	FIELD(code_qualname),
	FIELD(code_linetable),
	FIELD(code_bytecode),
	FIELD(code_version),
	FIELD(code_tlbc),
	FIELD(object_type),
	FIELD(var_size),
	FIELD(bytes_data),
	FIELD(unicode_length),
	FIELD(unicode_state),
	FIELD(ascii_size),
	FIELD(compact_size),
};
#define FIELD_COUNT (sizeof(fields) / sizeof(*fields))

/*
 * version, owner_shim, frame_instr_kind, unicode_kind and is_free_threaded are no offsets; what
 * runtime_tstate_current leads to is tried at each tick.
 */
static size_t listed_bytes(void)
{
	size_t bytes = 6 * sizeof(__u32);

	for (size_t i = 0; i < FIELD_COUNT; i++)
		bytes += fields[i].bytes;
	return bytes;
}

static uint32_t get(const struct sp_pylayout *at, const struct field *f)
{
	uint32_t value = 0;

	memcpy(&value, (const char *)at + f->offset, f->bytes);
	return value;
}

static void set(struct sp_pylayout *at, const struct field *f, uint32_t value)
{
	memcpy((char *)at + f->offset, &value, f->bytes);
}

/* Whether this version has the field. */
static bool is_used(const struct sp_pylayout *at, const struct field *f)
{
	if (f->offset == offsetof(struct sp_pylayout, interp_code_generation) ||
	    f->offset == offsetof(struct sp_pylayout, interp_tlbc_generation))
		return get(at, f);
	return get(at, f) != (f->bytes == sizeof(__u16) ? SP_NO_FIELD : SP_NO_KEY);
}

/* True if the layout with that field moved was refused; says so. */
static bool is_refused(pid_t pid, const struct interpreter *in, const struct field *f, int by)
{
	struct interpreter moved = *in;
	const char *why = "";
	int err;

	set(&moved.layout, f, get(&in->layout, f) + by);
	err = interpreter_check(pid, &moved, &why);
	printf("%-28s %+d %s: %s\n", f->name, by, err == -ENOTSUP ? "refused" : "NOT REFUSED",
	       err == -ENOTSUP ? why : strerror(-err));
	return err == -ENOTSUP;
}

/* Whether it is, moved either way; the process of that field ends with it. */
static void check_field(pid_t pid, const struct interpreter *in, const struct field *f)
{
	bool is_up = is_refused(pid, in, f, 8), is_down = is_refused(pid, in, f, -8);

	fflush(stdout);
	_exit(is_up && is_down ? 0 : 1);
}

static bool all_refused(pid_t pid, const struct interpreter *in)
{
	bool all = true;
	int status;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		pid_t child = is_used(&in->layout, &fields[i]) ? fork() : 1;

		if (!child)
			check_field(pid, in, &fields[i]);
		all &= child > 0;
	}
	while (wait(&status) > 0)
		all &= status == 0;
	return all;
}

int main(int argc, char **argv)
{
	struct file_memory *files = file_memory_new();
	pid_t pid = argc == 2 ? atoi(argv[1]) : 0;
	const char *why = "";
	struct interpreter in;
	bool all = listed_bytes() == sizeof(struct sp_pylayout);
	int err;

	if (!pid) {
		fprintf(stderr, "usage: moved-fields PID\n");
		return 2;
	}
	err = interpreter_find(pid, files, &in, &why);
	file_memory_free(files);
	if (err) {
		fprintf(stderr, "moved-fields: %d: %s: %s\n", pid, strerror(-err), why ? why : "");
		return 1;
	}
	if (!all)
		fprintf(stderr, "moved-fields: a field of struct sp_pylayout is not listed\n");
	all &= all_refused(pid, &in);
	return all ? 0 : 1;
}
