/* SPDX-License-Identifier: Apache-2.0 */
/* elf_table - the symbols of an ELF file that perf takes. */
#ifndef SPPROF_ELF_TABLE_H
#define SPPROF_ELF_TABLE_H

#include "native/elf_bytes.h"
#include "native/symbol_table.h"

/* Adds them to @t: 0 or -ENOMEM. *@is_stripped: there is no .symtab. */
int elf_table_fill(struct symbol_table *t, const struct elf_bytes *e, bool *is_stripped);

#endif
