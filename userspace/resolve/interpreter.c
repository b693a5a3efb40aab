/* SPDX-License-Identifier: Apache-2.0 */
/* From a process's mappings to its _PyRuntime and a confirmed layout. */
#include "resolve/interpreter.h"

#include "base/procfs.h"
#include "python/pylayout.h"
#include "resolve/file_memory.h"
#include "resolve/self_check.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <string.h>

#define MOST_MAPPED_FILES 4096 /* of one process; the others are not looked into */
#define MOST_TIDS 4096	       /* of one process, for the self-check */

/* A file that is mapped with execute permission. */
struct mapped {
	struct proc_mapping code; /* its first executable mapping; no path */
	char *path;
	uint64_t base;	  /* where the file's first byte, or its lowest part, is mapped */
	bool holds_start; /* one of its executable mappings holds mm->start_code */
};

struct mappings {
	struct mapped *files;
	size_t count, room;
	uint64_t start_code;

	struct proc_mapping low; /* the last mapping that may be a file's base */
};

static void mappings_fini(struct mappings *ms)
{
	for (size_t i = 0; i < ms->count; i++)
		free(ms->files[i].path);
	free(ms->files);
}

static void mappings_cleanup(struct mappings *ms)
{
	mappings_fini(ms);
}

static bool is_same_file(const struct proc_mapping *a, const struct proc_mapping *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

static int add_mapped(struct mappings *ms, const struct proc_mapping *m)
{
	struct mapped *f;

	if (ms->count == MOST_MAPPED_FILES)
		return 0;
	if (ms->count == ms->room) {
		size_t room = ms->room ? ms->room * 2 : 32;
		struct mapped *files = realloc(ms->files, room * sizeof(*files));

		if (!files)
			return -ENOMEM;
		ms->files = files;
		ms->room = room;
	}
	f = &ms->files[ms->count];
	*f = (struct mapped){ .code = *m, .base = m->start, .path = strdup(m->path) };
	if (!f->path)
		return -ENOMEM;
	if (is_same_file(&ms->low, m))
		f->base = ms->low.start;
	f->code.path = f->path;
	ms->count++;
	return 0;
}

/* Mappings come in order of their addresses, a file's parts from its first on. */
static int on_mapping(const struct proc_mapping *m, void *ctx)
{
	struct mappings *ms = ctx;
	size_t i;

	if (!m->inode)
		return 0;
	if (!m->offset || !is_same_file(&ms->low, m))
		ms->low = *m;
	if (!m->is_executable)
		return 0;
	for (i = 0; i < ms->count; i++)
		if (is_same_file(&ms->files[i].code, m))
			break;
	if (i == ms->count) {
		int err = add_mapped(ms, m);

		if (err)
			return err;
	}
	if (i < ms->count && ms->start_code - m->start < m->end - m->start)
		ms->files[i].holds_start = true;
	return 0;
}

/* The threads' ids as the process itself numbers them. */
static ssize_t inner_tids(pid_t pid, pid_t tids[MOST_TIDS])
{
	ssize_t count = proc_threads(pid, tids, MOST_TIDS);
	ssize_t used = 0;

	for (ssize_t i = 0; i < count; i++)
		if (!proc_inner_tid(pid, tids[i], &tids[used]))
			used++;
	return count < 0 ? count : used;
}

/* Fills in the layout's autoTSSkey, or the slots, where not known. As interpreter_check(). */
static int confirm(pid_t pid, struct interpreter *in, const char **why)
{
	OWNS_MEM pid_t *tids = malloc(MOST_TIDS * sizeof(*tids));
	struct self_check_target target = {
		.memory = target_reader_of(&pid),
		.runtime = in->runtime,
		.tids = tids,
		.slots = in->slots,
	};
	ssize_t count;

	if (!tids)
		return -ENOMEM;
	count = inner_tids(pid, tids);
	if (count < 0)
		return count;
	target.tid_count = count;
	return self_check_retry(&target, &in->layout, why);
}

int interpreter_check(pid_t pid, const struct interpreter *in, const char **why)
{
	struct interpreter tried = *in;

	return confirm(pid, &tried, why);
}

/* Layout and confirmation of the Python that was found at in->runtime. */
static int find_layout(pid_t pid, uint32_t version, struct interpreter *in, const char **why)
{
	uint8_t head[PYLAYOUT_DEBUG_OFFSETS_BYTES];
	size_t len = sizeof(head);
	int err = target_read(pid, in->runtime, head, len);

	if (err == -EFAULT)
		len = 0; /* a _PyRuntime of before 3.11 may be shorter */
	else if (err)
		return err;
	err = pylayout_find(version, head, len, &in->layout, why);
	if (err == -EBADMSG)
		return -ENOTSUP;
	return err ? err : confirm(pid, in, why);
}

static int try_file(pid_t pid, struct file_memory *files, const struct mappings *ms,
		    const struct mapped *f, struct interpreter *in, const char **why)
{
	struct elf_python python;
	bool is_as_mapped;
	int err = file_memory_find(files, pid, &f->code, &python, &is_as_mapped);

	if (err == -ESRCH)
		return err;
	if (err)
		return -ENOENT; /* nothing that we can read is a Python */
	*in = (struct interpreter){
		.runtime = f->base + (python.runtime - python.first_load),
		.file = { .inode = f->code.inode, .major = f->code.major, .minor = f->code.minor },
		.is_executable = python.is_executable && f->holds_start && is_as_mapped,
	};
	in->runtime_offset = in->runtime - ms->start_code;
	return find_layout(pid, python.version, in, why);
}

/* Of two results that are not 0, the one that says more. */
static int better_of(int a, int b)
{
	static const int order[] = { -ESRCH, -EPERM, -EAGAIN, -ENOTSUP };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}

int interpreter_find(pid_t pid, struct file_memory *files, struct interpreter *out,
		     const char **why)
{
	OWNS(mappings) struct mappings ms = { .count = 0 };
	struct proc_stat stat;
	int result = -ENOENT;
	int err = proc_stat_read(pid, 0, &stat);

	if (err)
		return err;
	ms.start_code = stat.start_code;
	err = proc_each_mapping(pid, on_mapping, &ms);
	if (err)
		return err == -EACCES ? -EPERM : err;
	for (size_t i = 0; i < ms.count; i++) {
		struct interpreter in;
		const char *reason = NULL;

		err = try_file(pid, files, &ms, &ms.files[i], &in, &reason);
		if (err == -ENOENT)
			continue;
		if (!err || better_of(result, err) != result) {
			*out = in;
			*why = reason;
		}
		if (!err || err == -ESRCH)
			return err;
		result = better_of(result, err);
	}
	return result;
}
