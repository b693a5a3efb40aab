/* SPDX-License-Identifier: Apache-2.0 */
/* A program with Python in it whose objects live in an allocator that is the program's own. */
#include <Python.h>

#include <stdlib.h>

static void *own_malloc(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size ? size : 1);
}

static void *own_calloc(void *ctx, size_t count, size_t size)
{
	(void)ctx;
	return calloc(count ? count : 1, size ? size : 1);
}

static void *own_realloc(void *ctx, void *old, size_t size)
{
	(void)ctx;
	return realloc(old, size ? size : 1);
}

static void own_free(void *ctx, void *old)
{
	(void)ctx;
	free(old);
}

int main(int argc, char **argv)
{
	PyMemAllocatorEx own = { NULL, own_malloc, own_calloc, own_realloc, own_free };

	PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &own);
	PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &own);
	return Py_BytesMain(argc, argv);
}
