/* SPDX-License-Identifier: Apache-2.0 */
/* Of this very process: where its code is, where functions end, whose names win. */
#include "resolve/code_map.h"
#include "resolve/function_extent.h"
#include "resolve/link_order.h"
#include "resolve/native_names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct self {
	pid_t pid;
	struct target_reader memory;
	struct code_map code;
};

static void self_cleanup(struct self *s)
{
	code_map_fini(&s->code);
}

static void look(struct self *s)
{
	s->pid = getpid();
	s->memory = target_reader_of(&s->pid);
	cr_assert(eq(int, code_map_read(s->pid, &s->code), 0));
}

/* A function of the C library, and where that begins. */
static uint64_t libc_function(const char *name, uint64_t *base)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *function = dlsym(libc, name);
	Dl_info info;

	cr_assert(function != NULL && dladdr(function, &info));
	*base = (uintptr_t)info.dli_fbase;
	dlclose(libc);
	return (uintptr_t)function;
}

static const struct proc_mapping rows[] = {
	{ .start = 0x1000, .end = 0x2000, .inode = 7, .path = "/one" },
	{ .start = 0x2000,
	  .end = 0x3000,
	  .inode = 7,
	  .offset = 0x1000,
	  .is_executable = 1,
	  .path = "/one" },
	{ .start = 0x3000, .end = 0x4000, .is_executable = 1, .path = "" },
	{ .start = 0x4000,
	  .end = 0x5000,
	  .inode = 8,
	  .offset = 0x3000,
	  .is_executable = 1,
	  .path = "/two" },
	{ .start = 0x5000,
	  .end = 0x6000,
	  .inode = 8,
	  .minor = 1,
	  .is_executable = 1,
	  .path = "/three" },
	{ .start = 0x6000,
	  .end = 0x7000,
	  .inode = 8,
	  .minor = 1,
	  .is_executable = 1,
	  .path = "/three" }, /* the same once more */
};

Test(code_map, code_of_files_is_there_with_where_they_begin)
{
	OWNS(code_map) struct code_map m = { .rows = NULL };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_assert(eq(int, code_map_take(&rows[i], &m), 0));
	cr_assert(eq(sz, m.count, 4));
	cr_expect(eq(u64, m.rows[3].base, 0x6000));
	cr_expect(eq(u64, m.rows[0].base, 0x1000));
	cr_expect(eq(u64, m.rows[1].base, 0x4000));
	cr_expect(eq(str, (char *)m.rows[1].at.path, "/two"));
	cr_expect(not(code_mapping_is_same_file(&m.rows[1], &m.rows[2])));
	cr_expect(code_map_find(&m, 0x2fff) == &m.rows[0]);
	cr_expect(code_map_find(&m, 0x1fff) == NULL);
	cr_expect(code_map_find(&m, 0x3000) == NULL);
	cr_expect(code_map_find(&m, 0x7000) == NULL);
}

Test(function_extent, it_begins_where_the_symbol_does)
{
	OWNS(self) struct self s = { .pid = 0 };
	struct function_extent extent;
	uint64_t base, at = libc_function("qsort_r", &base);

	look(&s);
	cr_assert(eq(int, function_extent_find(&s.memory, base, at + 8, &extent), 0));
	cr_expect(eq(u64, extent.start, at));
	cr_expect(eq(int, function_extent_find(&s.memory, base, at, &extent), 0));
	cr_expect(eq(u64, extent.start, at));
	cr_expect(extent.bytes > 8 && extent.bytes < 65536);
	cr_expect(eq(int, function_extent_find(&s.memory, base, base, &extent), -ENOENT));
	cr_expect(eq(int, function_extent_find(&s.memory, base, UINT64_MAX, &extent), -ENOENT));
	cr_expect(eq(int, function_extent_find(&s.memory, at, at, &extent), -ENOENT));
}

Test(link_order, the_file_is_the_one_that_the_dynamic_linker_takes)
{
	static const char *const names[] = { "malloc", "free", "qsort_r",
					     "criterion_run_all_tests" };
	OWNS(self) struct self s = { .pid = 0 };
	uint64_t address, bytes;
	struct exports x;

	look(&s);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert(eq(int, link_order_find(&s.memory, &s.code, names[i], &x), 0));
		cr_assert(eq(int, exports_find(&x, names[i], &address, &bytes), 0));
		cr_expect(eq(u64, address, (uintptr_t)dlsym(RTLD_DEFAULT, names[i])), "%s",
			  names[i]);
	}
	cr_expect(eq(int, link_order_find(&s.memory, &s.code, "no such name", &x), -ENOENT));
}

Test(native_names, a_function_has_its_name_and_its_file)
{
	const struct interpreter in = { .file = { .inode = 0 } };
	OWNS(native_names) struct native_names *n = native_names_new(getpid(), &in);
	uint64_t base, at = libc_function("qsort_r", &base);
	struct native_name name, again;

	cr_assert(n != NULL);
	cr_assert(eq(int, native_names_find(n, at + 8, &name), 0));
	cr_expect(eq(str, (char *)name.function, "qsort_r"));
	cr_expect(strstr(name.file, "libc.so") != NULL);
	cr_assert(eq(int, native_names_find(n, at + 12, &again), 0));
	cr_expect(again.number == name.number && again.function == name.function);
	cr_assert(eq(int, native_names_find(n, libc_function("strtol", &base) + 4, &again), 0));
	cr_expect(again.number != name.number);
	cr_expect(eq(int, native_names_find(n, 8, &name), -ENOENT));
	cr_expect(eq(int, native_names_find(n, 0, &name), -ENOENT));
}

Test(native_names, above_the_interpreter_is_what_comes_before_its_file)
{
	OWNS(self) struct self s = { .pid = 0 };
	uint64_t base, libc = libc_function("qsort_r", &base) + 8;
	const uint64_t own = (uintptr_t)look + 4;
	const uint64_t to_own[] = { libc, libc, own, libc }, astray[] = { libc, 16, libc };

	look(&s);
	const struct code_mapping *m = code_map_find(&s.code, own);
	const struct interpreter in = { .file = { m->at.inode, m->at.major, m->at.minor } };
	OWNS(native_names) struct native_names *n = native_names_new(s.pid, &in);

	cr_assert(n != NULL);
	cr_expect(eq(sz, native_names_above(n, to_own, 4), 2));
	cr_expect(eq(sz, native_names_above(n, to_own + 2, 2), 0));
	cr_expect(eq(sz, native_names_above(n, astray, 3), 1));
	cr_expect(eq(sz, native_names_above(n, to_own, 1), 1));
}
