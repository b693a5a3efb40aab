/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms - the functions of a running kernel, as /proc/kallsyms tells them. */
#ifndef SPPROF_KALLSYMS_H
#define SPPROF_KALLSYMS_H

#include "native/elf_symbols.h"

struct kallsyms;

/*
 * The code symbols (T, t, W, w) among the @len bytes of lines "ADDRESS TYPE NAME[\tMODULE]".
 * Any content is legal input. NULL and *@err: -EACCES: the kernel shows no addresses
 * (kernel.kptr_restrict); -ENOENT: no symbols; -ENOMEM. @text is not needed afterwards.
 */
struct kallsyms *kallsyms_new(const char *text, size_t len, int *err);
void kallsyms_free(struct kallsyms *k); /* NULL is fine */
DEFINE_OWNS(kallsyms);

/* The name of the function around @address, without its module's, or NULL. */
const char *kallsyms_find(const struct kallsyms *k, uint64_t address, bool *is_module);

/* The address of _text or _stext, by which another boot's addresses are told; 0: unknown. */
uint64_t kallsyms_reference(const struct kallsyms *k, const char *name);

/* The build-id in the @len bytes of /sys/kernel/notes. False: it has none. */
bool kernel_build_id(const void *notes, size_t len, struct build_id *out);

#endif
