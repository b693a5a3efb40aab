/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says of a process: tried on the test's own. */
#include "base/procfs.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY 0x7ffffffe /* above any pid that a kernel gives out */

Test(procfs, comm_may_hold_any_bytes)
{
	static const char *const comms[] = {
		"plain", "a) R 1 (b", "))((", "two words", "line\nbreak", ") Z", "\xff\xfe\x01", "",
	};

	for (size_t i = 0; i < sizeof(comms) / sizeof(*comms); i++) {
		struct proc_stat stat;

		prctl(PR_SET_NAME, comms[i]);
		cr_assert(eq(int, proc_stat_read(getpid(), 0, &stat), 0));
		cr_assert(eq(str, stat.comm, (char *)comms[i]));
		cr_assert(eq(chr, stat.state, 'R'));
		cr_assert(eq(int, proc_stat_read(getpid(), gettid(), &stat), 0));
		cr_assert(eq(str, stat.comm, (char *)comms[i]));
	}
}

static int holds(const struct proc_mapping *m, void *ctx)
{
	const uint64_t *addr = ctx;

	return *addr - m->start < m->end - m->start && m->is_executable ? 1 : 0;
}

Test(procfs, start_code_lies_in_the_programs_code)
{
	struct proc_stat stat;

	cr_assert(eq(int, proc_stat_read(getpid(), 0, &stat), 0));
	cr_assert(eq(int, proc_each_mapping(getpid(), holds, &stat.start_code), 1));
	cr_assert(gt(u64, stat.start_ticks, 0));
}

Test(procfs, cpu_ticks_grow_with_work)
{
	struct proc_stat before, after;
	volatile uint64_t work = 0;

	cr_assert(eq(int, proc_stat_read(getpid(), 0, &before), 0));
	do {
		for (int i = 0; i < 1000000; i++)
			work = work + i;
		cr_assert(eq(int, proc_stat_read(getpid(), 0, &after), 0));
	} while (after.cpu_ticks <= before.cpu_ticks);
	cr_assert(eq(u64, after.start_ticks, before.start_ticks));
}

Test(procfs, own_thread_and_user_are_found)
{
	pid_t tids[8], inner;
	uid_t uid = -1;
	ssize_t count = proc_threads(getpid(), tids, 8), at = 0;

	while (at < count && tids[at] != gettid())
		at++;
	cr_assert(lt(int, at, count));
	cr_assert(eq(int, proc_threads(getpid(), tids, 1), 1));
	cr_assert(eq(int, proc_inner_tid(getpid(), gettid(), &inner), 0));
	cr_assert(eq(int, inner, gettid()));
	cr_assert(eq(int, proc_uid(getpid(), &uid), 0));
	cr_assert(eq(u32, uid, getuid()));
}

static int count_mapping(const struct proc_mapping *m, void *ctx)
{
	(void)m;
	(void)ctx;
	return 0;
}

Test(procfs, who_is_gone_is_esrch)
{
	struct proc_stat stat;
	pid_t tid;
	uid_t uid;

	cr_assert(eq(int, proc_stat_read(NOBODY, 0, &stat), -ESRCH));
	cr_assert(eq(int, proc_stat_read(getpid(), NOBODY, &stat), -ESRCH));
	cr_assert(eq(int, proc_inner_tid(NOBODY, NOBODY, &tid), -ESRCH));
	cr_assert(eq(int, proc_threads(NOBODY, &tid, 1), -ESRCH));
	cr_assert(eq(int, proc_uid(NOBODY, &uid), -ESRCH));
	cr_assert(eq(int, proc_each_mapping(NOBODY, count_mapping, NULL), -ESRCH));
}

static int is_self(pid_t pid, void *ctx)
{
	(void)ctx;
	return pid == getpid() ? 7 : 0;
}

Test(procfs, each_process_stops_where_it_is_told)
{
	cr_assert(eq(int, proc_each_process(is_self, NULL), 7));
}

struct seen_mapping {
	uint64_t start;
	struct proc_mapping m;
	char path[256];
};

static int take_mapping(const struct proc_mapping *m, void *ctx)
{
	struct seen_mapping *seen = ctx;

	if (m->start != seen->start)
		return 0;
	seen->m = *m;
	snprintf(seen->path, sizeof(seen->path), "%s", m->path);
	return 1;
}

Test(procfs, path_of_a_mapping_may_have_blanks)
{
	char name[] = "/tmp/a (deleted) b XXXXXX", gone[64];
	OWNS_FD int fd = mkstemp(name);
	void *at;
	struct seen_mapping seen;

	cr_assert(eq(int, ftruncate(fd, 16384), 0));
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 8192);
	seen.start = (uintptr_t)at;
	cr_assert(eq(int, proc_each_mapping(getpid(), take_mapping, &seen), 1));
	cr_assert(eq(str, seen.path, name));
	cr_assert(eq(u64, seen.m.end, seen.start + 4096));
	cr_assert(eq(u64, seen.m.offset, 8192));
	cr_assert(ne(u64, seen.m.inode, 0));
	cr_assert(eq(int, seen.m.is_executable, 0));
	unlink(name);
	cr_assert(eq(int, proc_each_mapping(getpid(), take_mapping, &seen), 1));
	snprintf(gone, sizeof(gone), "%s (deleted)", name);
	cr_assert(eq(str, seen.path, gone));
	munmap(at, 4096);
}
