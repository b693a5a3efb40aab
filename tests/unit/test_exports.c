/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/exports.h"

#include "allocator_image.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define HASH (AI_BASE + 0x800)
#define SYMBOLS (AI_BASE + 0xa00)

Test(exports, functions_are_where_the_dynamic_linker_finds_them)
{
	static const char *const names[] = { "qsort", "getpid", "strtol", "mallopt" };
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	pid_t pid = getpid();
	struct target_reader memory = target_reader_of(&pid);
	uint64_t address, bytes;
	struct exports x;
	Dl_info info;

	cr_assert(libc != NULL && dladdr(dlsym(libc, "qsort"), &info));
	cr_assert(eq(int, exports_open(&memory, (uintptr_t)info.dli_fbase, &x), 0));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert(eq(int, exports_find(&x, names[i], &address, &bytes), 0));
		cr_assert(eq(u64, address, (uintptr_t)dlsym(libc, names[i])), "%s", names[i]);
		cr_assert(bytes > 0);
	}
	cr_assert(eq(int, exports_find(&x, "PyObject_Malloc", &address, &bytes), -ENOENT));
	cr_assert(eq(int, exports_find(&x, "", &address, &bytes), -ENOENT));
	dlclose(libc);
}

static int find(struct allocator_image *m, const char *name)
{
	struct target_reader memory = allocator_image_reader(m);
	uint64_t address, bytes;
	struct exports x;
	int err = exports_open(&memory, AI_BASE, &x);

	return err ? err : exports_find(&x, name, &address, &bytes);
}

Test(exports, tables_that_lead_astray_are_left)
{
	static const struct {
		uint64_t address;
		uint32_t value;
		int err;
	} rows[] = {
		{ HASH, 1, 0 },
		{ HASH, 0, -ENOENT }, /* no buckets */
		{ HASH, 0x40000000, -EFAULT },
		{ HASH + 4, 2, -ENOENT },			/* symbols that are not hashed */
		{ HASH + 8, 0x10000000, -EFAULT },		/* a bloom filter of 2 GiB */
		{ HASH + 24, 0, -ENOENT },			/* an empty bucket */
		{ HASH + 24, 0x10000000, -EFAULT },		/* a chain far away */
		{ SYMBOLS + 3 * 24, 0x7fffffff, -EFAULT },	/* its name too */
		{ SYMBOLS + 3 * 24 + 4, 1 | 1 << 16, -ENOENT }, /* data */
		{ SYMBOLS + 3 * 24 + 4, 2, -ENOENT },		/* in no section */
		{ AI_BASE, 0, -EBADMSG },
		{ AI_BASE + 54, 65u << 16 | 56, -EBADMSG }, /* so many parts */
		{ AI_BASE + 32, 0x40000000, -EFAULT },
		{ AI_BASE + 64, 9, -ENOENT },	   /* nothing is loaded */
		{ AI_BASE + 64 + 56, 9, -ENOENT }, /* no dynamic section */
		{ AI_BASE + 0x400, 9, -ENOENT },   /* no hashes */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();

		allocator_image_exports(m);
		allocator_image_put_u32(m, rows[i].address, rows[i].value);
		cr_assert(eq(int, find(m, "PyObject_Malloc"), rows[i].err), "row %zu", i);
	}
}

Test(exports, a_chain_without_an_end_is_left)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();

	allocator_image_exports(m);
	for (uint64_t at = HASH + 28; at < AI_END; at += 4)
		allocator_image_put_u32(m, at, 2);
	cr_assert(eq(int, find(m, "PyObject_Malloc"), -ENOENT));
	cr_assert(lt(u32, m->reads, 4200));
}
