/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and files of another process: tried on the test's own. */
#include "resolve/target_memory.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

Test(target_memory, part_of_a_read_is_no_read)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char text[8] = "";

	memcpy(pages + 4088, "abcdefg", 8);
	mprotect(pages + 4096, 4096, PROT_NONE);
	cr_assert(eq(int, target_read(getpid(), (uintptr_t)pages + 4088, text, 8), 0));
	cr_assert(eq(str, text, "abcdefg"));
	cr_assert(eq(int, target_read(getpid(), (uintptr_t)pages + 4092, text, 8), -EFAULT));
	cr_assert(eq(int, target_read(getpid(), (uintptr_t)pages + 4096, text, 1), -EFAULT));
	munmap(pages, 8192);
}

Test(target_memory, any_address_is_legal_input)
{
	static const uint64_t addrs[] = { 0, 1, 0x7fffffffffff, 1ull << 47, 1ull << 63, ~0ull };
	uint64_t word;

	for (size_t i = 0; i < sizeof(addrs) / sizeof(*addrs); i++)
		cr_assert(eq(int, target_read(getpid(), addrs[i], &word, 8), -EFAULT));
	cr_assert(eq(int, target_read(0x7ffffffe, (uintptr_t)&word, &word, 8), -ESRCH));
}

/* Every third is not there. */
static void check_pieces(const struct target_reader *reader)
{
	enum { COUNT = 1000 };
	static uint64_t words[COUNT], copies[COUNT];
	static struct target_piece pieces[COUNT];

	for (uint64_t i = 0; i < COUNT; i++) {
		words[i] = i;
		copies[i] = ~0ull;
		pieces[i] = (struct target_piece){ .address = i % 3 ? (uintptr_t)&words[i] : 8 * i,
						   .dst = &copies[i],
						   .len = 8,
						   .err = 1 };
	}
	cr_assert(eq(int, target_read_pieces(reader, pieces, COUNT), 0));
	for (uint64_t i = 0; i < COUNT; i++) {
		cr_assert(eq(int, pieces[i].err, i % 3 ? 0 : -EFAULT));
		cr_assert(eq(u64, copies[i], i % 3 ? i : ~0ull));
	}
}

Test(target_memory, piece_that_cannot_be_read_does_not_hinder_the_others)
{
	pid_t pid = getpid(), nobody = 0x7ffffffe;
	struct target_reader fast = target_reader_of(&pid), slow = fast;
	struct target_reader gone = target_reader_of(&nobody);
	uint64_t word;
	struct target_piece piece = { .address = (uintptr_t)&word, .dst = &word, .len = 8 };

	slow.read_pieces = NULL;
	check_pieces(&fast);
	check_pieces(&slow);
	cr_assert(eq(int, target_read_pieces(&fast, NULL, 0), 0));
	cr_assert(eq(int, target_read_pieces(&gone, &piece, 1), -ESRCH));
}

static struct proc_mapping mapping_of(int fd, const char *path)
{
	struct proc_mapping m = { .path = path, .is_executable = 1 };
	struct stat st;

	fstat(fd, &st);
	m.inode = st.st_ino;
	m.major = major(st.st_dev);
	m.minor = minor(st.st_dev);
	return m;
}

Test(target_memory, file_is_found_by_its_path)
{
	char name[] = "/tmp/spprof mapped XXXXXX", text[6] = "";
	OWNS_FD int fd = mkstemp(name);
	struct proc_mapping m = mapping_of(fd, name);
	OWNS_FD int named = target_name_mapping(getpid(), &m);
	OWNS_FD int opened = target_open_named(named);

	cr_assert(eq(int, pwrite(fd, "hello", 5, 0), 5));
	unlink(name);
	cr_assert(ge(int, named, 0));
	cr_assert(eq(int, pread(opened, text, 5, 0), 5));
	cr_assert(eq(str, text, "hello"));
}

Test(target_memory, another_file_of_that_name_is_stale)
{
	char name[] = "/tmp/spprof mapped XXXXXX";
	OWNS_FD int fd = mkstemp(name);
	struct proc_mapping m = mapping_of(fd, name);

	m.inode++;
	cr_assert(eq(int, target_name_mapping(getpid(), &m), -ESTALE));
	unlink(name);
}

Test(target_memory, only_regular_files_are_opened)
{
	char name[] = "/tmp/spprof-fifo-XXXXXX";
	struct proc_mapping device = { .path = "/dev/zero" }, fifo = { .path = name };
	struct proc_mapping relative = { .path = "[heap]" };

	close(mkstemp(name));
	unlink(name);
	cr_assert(eq(int, mkfifo(name, 0600), 0));
	cr_assert(eq(int, target_name_mapping(getpid(), &device), -EINVAL));
	cr_assert(eq(int, target_name_mapping(getpid(), &fifo), -EINVAL));
	cr_assert(eq(int, target_name_mapping(getpid(), &relative), -ENOENT));
	unlink(name);
}

Test(target_memory, links_out_of_proc_are_not_followed)
{
	struct proc_mapping m = { .path = "/proc/self/exe" };

	cr_assert(eq(int, target_name_mapping(getpid(), &m), -ELOOP));
}
