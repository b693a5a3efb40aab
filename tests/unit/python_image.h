/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of an interpreter that has threads with names, in the shape of one version. */
#ifndef SPPROF_TESTS_PYTHON_IMAGE_H
#define SPPROF_TESTS_PYTHON_IMAGE_H

#include "python/pynames_layout.h"
#include "resolve/target_memory.h"

#include <stdbool.h>

#define IMAGE_BASE 0x10000u /* where its first byte is; _PyRuntime begins there */
#define IMAGE_BYTES 16384
#define IMAGE_FIRST_IDENT 0x7f1234567000ull

struct image {
	uint8_t bytes[IMAGE_BYTES];
	uint32_t used;
	uint32_t reads_left; /* until all fail; 0: none does */
	struct sp_pylayout py;
	struct pynames_layout at;
	bool uses_dicts; /* instances keep their attributes in them, although there is another way */
	uint32_t dict_type, text_type, int_type, thread_type, module_type;
	uint32_t sys, builtins, threading; /* keys of sys.modules */
};

/* For 3.@minor, 8 to 15. What is not told by @image->uses_dicts yet is zeroed. */
void image_begin(struct image *image, unsigned int minor, bool uses_dicts);

/* Threads called @names, the first of which has IMAGE_FIRST_IDENT, the next one more. */
void image_add_threads(struct image *image, const char *const *names, size_t count);

/* Changes a str that is there to another of that length. */
void image_rename(struct image *image, uint32_t text, const char *name);

struct target_reader image_reader(struct image *image);

#endif
