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
#include <sys/wait.h>
#include <time.h>
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
	cr_assert(stat.start_ticks > 0);
}

Test(procfs, one_that_nobody_has_waited_for_is_ending)
{
	struct proc_stat stat;
	siginfo_t info;
	pid_t child = fork();

	if (!child)
		_exit(0);
	cr_assert(eq(int, waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0));
	cr_assert(eq(int, proc_stat_read(child, 0, &stat), 0));
	cr_assert(stat.is_ending);
	cr_assert(eq(int, proc_stat_read(getpid(), 0, &stat), 0));
	cr_assert(not(stat.is_ending));
	waitpid(child, NULL, 0);
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
	struct proc_memory memory;
	char text[16];
	pid_t tid;
	uid_t uid;

	cr_assert(eq(int, proc_stat_read(NOBODY, 0, &stat), -ESRCH));
	cr_assert(eq(int, proc_stat_read(getpid(), NOBODY, &stat), -ESRCH));
	cr_assert(eq(int, proc_inner_tid(NOBODY, NOBODY, &tid), -ESRCH));
	cr_assert(eq(int, proc_threads(NOBODY, &tid, 1), -ESRCH));
	cr_assert(eq(int, proc_uid(NOBODY, &uid), -ESRCH));
	cr_assert(eq(int, proc_each_mapping(NOBODY, count_mapping, NULL), -ESRCH));
	cr_assert(eq(int, proc_cmdline(NOBODY, text, sizeof(text)), -ESRCH));
	cr_assert(eq(int, proc_cgroup(NOBODY, text, sizeof(text)), -ESRCH));
	cr_assert(eq(int, proc_memory(NOBODY, &memory), -ESRCH));
	cr_assert(eq(int, proc_memory_walk(NOBODY, &memory), -ESRCH));
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
	cr_assert(eq(int, seen.m.is_writable, 0));
	unlink(name);
	cr_assert(eq(int, mprotect(at, 4096, PROT_READ | PROT_WRITE), 0));
	cr_assert(eq(int, proc_each_mapping(getpid(), take_mapping, &seen), 1));
	snprintf(gone, sizeof(gone), "%s (deleted)", name);
	cr_assert(eq(str, seen.path, gone));
	cr_assert(eq(int, seen.m.is_writable, 1));
	munmap(at, 4096);
}

Test(procfs, uptime_counts_from_the_start)
{
	static const struct {
		uint64_t start_ticks, boottime_ns, uptime_ns; /* 100 ticks a second */
	} rows[] = {
		{ 0, 5000000000ull, 5000000000ull },
		{ 150, 5000000000ull, 3500000000ull },
		{ 1, 10000000ull, 0 },
		{ 200, 1999999999ull, 0 }, /* the tick that it started in is not over */
		/* ten years of uptime: ticks * 10^9 would not fit */
		{ 31536000000ull, 315360001000000000ull, 1000000000ull },
	};
	struct proc_stat stat;
	struct timespec now;

	if (sysconf(_SC_CLK_TCK) == 100)
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			cr_assert(eq(u64, proc_uptime_ns(rows[i].start_ticks, rows[i].boottime_ns),
				     rows[i].uptime_ns));
	cr_assert(eq(int, proc_stat_read(getpid(), 0, &stat), 0));
	clock_gettime(CLOCK_BOOTTIME, &now);
	cr_assert(lt(u64,
		     proc_uptime_ns(stat.start_ticks, now.tv_sec * 1000000000ull + now.tv_nsec),
		     60000000000ull));
}

/* The bytes of a file of this process. */
static ssize_t read_own(const char *path, char *text, size_t room)
{
	OWNS_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got, len = 0;

	while ((got = read(fd, text + len, room - len)) > 0)
		len += got;
	return got ? got : len;
}

Test(procfs, cmdline_keeps_the_nuls_between_arguments)
{
	char expected[4096], text[4096], small[5];
	ssize_t len = read_own("/proc/self/cmdline", expected, sizeof(expected));

	cr_assert(len > 5);
	cr_assert(eq(int, proc_cmdline(getpid(), text, sizeof(text)), len));
	cr_assert(eq(int, memcmp(text, expected, len), 0));
	cr_assert(eq(chr, text[len - 1], 0));
	cr_assert(eq(int, proc_cmdline(getpid(), small, sizeof(small)), 4));
	cr_assert(eq(int, memcmp(small, expected, 4), 0));
	cr_assert(eq(chr, small[4], 0));
}

Test(procfs, cgroup_is_the_files_text)
{
	char expected[4096] = "", text[4096];
	ssize_t len = read_own("/proc/self/cgroup", expected, sizeof(expected) - 1);

	cr_assert(len > 0);
	cr_assert(eq(int, proc_cgroup(getpid(), text, sizeof(text)), len));
	cr_assert(eq(str, text, expected));
}

Test(procfs, lines_of_memory_are_kibibytes)
{
	static const struct {
		const char *line;
		bool is_taken;
		struct proc_memory then;
	} rows[] = {
		{ "Rss:                1234 kB\n", true, { .rss_bytes = 1234 * 1024 } },
		{ "Pss:                   5 kB\n", true, { .pss_bytes = 5 * 1024 } },
		{ "Pss_Dirty:             5 kB\n", false, { 0 } },
		{ "Pss_Anon:              6 kB\n", true, { .pss_anon_bytes = 6 * 1024 } },
		{ "Pss_File:              7 kB\n", true, { .pss_file_bytes = 7 * 1024 } },
		{ "Pss_Shmem:             8 kB\n", true, { .pss_shmem_bytes = 8 * 1024 } },
		{ "Swap:                  9 kB\n", true, { .swap_bytes = 9 * 1024 } },
		{ "SwapPss:              10 kB\n", false, { 0 } },
		{ "RssAnon:\t       11 kB\n", true, { .rss_anon_bytes = 11 * 1024 } },
		{ "RssFile:\t       12 kB\n", true, { .rss_file_bytes = 12 * 1024 } },
		{ "RssShmem:\t       13 kB\n", true, { .rss_shmem_bytes = 13 * 1024 } },
		{ "VmRSS:\t       14 kB\n", true, { .rss_bytes = 14 * 1024 } },
		{ "VmSwap:\t       15 kB\n", true, { .swap_bytes = 15 * 1024 } },
		{ "VmPTE:\t       16 kB\n", true, { .page_tables_bytes = 16 * 1024 } },
		{ "VmHWM:\t       17 kB\n", false, { 0 } },
		{ "RssAnon:\t  5368709120 kB\n", true, { .rss_anon_bytes = 5ull << 40 } },
		{ "Rss:\n", false, { 0 } },
		{ "", false, { 0 } },
		{ "Name:\tRss:     7 kB\n", false, { 0 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct proc_memory m = { 0 };

		cr_assert(proc_memory_take_line(&m, rows[i].line) == rows[i].is_taken, "row %zu",
			  i);
		cr_assert(memcmp(&m, &rows[i].then, sizeof(m)) == 0, "row %zu", i);
	}
}

Test(procfs, memory_grows_with_what_is_touched)
{
	/* Other tests share pages with this one and end; status lags behind by some pages. */
	enum { BYTES = 32 << 20, MOST = BYTES / 4 * 3 };
	struct proc_memory before, after;
	char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert(at != MAP_FAILED);
	cr_assert(eq(int, proc_memory(getpid(), &before), 0));
	cr_assert(eq(int, proc_memory_walk(getpid(), &before), 0));
	memset(at, 1, BYTES);
	cr_assert(eq(int, proc_memory(getpid(), &after), 0));
	cr_assert(ge(u64, after.rss_bytes, before.rss_bytes + MOST));
	cr_assert(after.page_tables_bytes > 0);
	cr_assert(eq(int, proc_memory_walk(getpid(), &after), 0));
	cr_assert(ge(u64, after.rss_bytes, before.rss_bytes + MOST));
	cr_assert(ge(u64, after.pss_bytes, before.pss_bytes + MOST));
	cr_assert(ge(u64, after.pss_anon_bytes, before.pss_anon_bytes + MOST));
	cr_assert(ge(u64, after.rss_anon_bytes, before.rss_anon_bytes + MOST));
	cr_assert(after.rss_file_bytes > 0);
	munmap(at, BYTES);
}

/* Ended, but not waited for: it has a name still, and no memory. */
Test(procfs, a_zombie_has_no_memory)
{
	struct proc_memory memory;
	char text[64];
	siginfo_t info;
	pid_t child = fork();

	if (!child)
		_exit(0);
	cr_assert(eq(int, waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0));
	cr_assert(eq(int, proc_memory(child, &memory), -ESRCH));
	cr_assert(eq(int, proc_memory_walk(child, &memory), -ESRCH));
	cr_assert(eq(int, proc_cmdline(child, text, sizeof(text)), 0));
	waitpid(child, NULL, 0);
}

/* Root may look everywhere, so a child becomes somebody else first. */
Test(procfs, memory_of_others_is_not_told)
{
	int status;
	pid_t child = fork();

	if (!child) {
		struct proc_memory memory = { 0 };
		/* Without root: init is another's, as long as it is not ours. */
		int is_other = !geteuid() ? !setresuid(65534, 65534, 65534) : getuid() != 0;

		_exit(is_other && proc_memory_walk(1, &memory) != -EACCES);
	}
	waitpid(child, &status, 0);
	cr_assert(eq(int, status, 0));
}
