/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects - the binaries that a recording of perf's names: each is looked up once, by its
 * path and then by its file name, and believed only if its build-id is the recorded one.
 */
#ifndef SPPROF_IMPORT_OBJECTS_H
#define SPPROF_IMPORT_OBJECTS_H

#include "base/buffer.h"
#include "native/elf_symbols.h"

struct objects;

/* Below @folder: "/" for this machine's own. NULL when out of memory. */
struct objects *objects_new(const char *folder);
void objects_free(struct objects *o); /* NULL is fine */
DEFINE_OWNS(objects);

/*
 * Number of the object at @path (as recorded, "[vdso]" and "//anon" too) of @build_id (len 0:
 * none was recorded, then the file is believed, and objects_warn() says so). Always succeeds
 * but for -ENOMEM: an object that is not there has no symbols.
 */
int objects_add(struct objects *o, const char *path, const struct build_id *build_id);

/*
 * The same of the kernel: its symbols are this machine's if it has the same build-id, or, where
 * none was recorded, the same release and reference as below.
 */
int objects_add_kernel(struct objects *o, const struct build_id *build_id);

/*
 * Where the recorded kernel had @symbol: another boot of the same one may have it elsewhere.
 * perf writes it into the kernel's mapping: "[kernel.kallsyms]_text" (or _stext), and the
 * address as its offset. Without it the addresses are taken as they are.
 */
void objects_set_kernel_reference(struct objects *o, const char *symbol, uint64_t address);
void objects_set_kernel_release(struct objects *o, const char *release);

/*
 * The demangled name, as perf prints it, of the function in object @object at @address: an
 * offset in the file; of the kernel the address itself. NULL: there is none. It is valid
 * UTF-8 and lasts as long as @o. *@relative is the address as the object counts, for who has
 * to print a number; of a file that is not there, @address.
 */
const char *objects_name(struct objects *o, int object, uint64_t address, uint64_t *relative);

/*
 * Appends a line for each that was asked for a name and is of another build, or not there:
 * "/usr/lib/libc.so.6: …".
 */
void objects_warn(const struct objects *o, struct buffer *out);

#endif
