/* SPDX-License-Identifier: Apache-2.0 */
/* Stands before the allocator of objects, as memory profilers do, and hands on what it is asked. */
#include <Python.h>

static PyMemAllocatorEx before;

static void *hand_malloc(void *ctx, size_t size)
{
	(void)ctx;
	return before.malloc(before.ctx, size);
}

static void *hand_calloc(void *ctx, size_t count, size_t size)
{
	(void)ctx;
	return before.calloc(before.ctx, count, size);
}

static void *hand_realloc(void *ctx, void *old, size_t size)
{
	(void)ctx;
	return before.realloc(before.ctx, old, size);
}

static void hand_free(void *ctx, void *old)
{
	(void)ctx;
	before.free(before.ctx, old);
}

void stand_before(void);

void stand_before(void)
{
	PyMemAllocatorEx hook = { NULL, hand_malloc, hand_calloc, hand_realloc, hand_free };

	PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &before);
	PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &hook);
}
