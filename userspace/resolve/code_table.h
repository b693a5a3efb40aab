/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_table - names and lines of the code objects of one process image.
 *
 * Filled by the kernel's SP_EVENT_CODE records; what is missing is read from the
 * process while it lives, and believed only if its key is still the one sampled.
 */
#ifndef SPPROF_CODE_TABLE_H
#define SPPROF_CODE_TABLE_H

#include "base/cleanup.h"
#include "python/linetable.h"
#include "spprof_event.h"
#include "spprof_pylayout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CODE_TABLE_BYTES \
	(64u << 20) /* of one process image, but for the last growth of its index */

struct code_entry {
	uint64_t code;
	uint32_t key;
	uint32_t first_line;
	char *name; /* valid UTF-8, NUL-free ("\0" is repaired), owned by the table */
	char *file;
	uint8_t *linetable;
	uint32_t linetable_len;
	enum linetable_kind linetable_kind;
	bool has_cut_linetable; /* some of it is missing, or all: a co_lnotab does not show it */
};

struct code_table;

/* NULL when out of memory. @pid and @at say where to read what no record brought. */
struct code_table *code_table_new(pid_t pid, const struct sp_pylayout *at);
void code_table_free(struct code_table *t); /* NULL is fine */
DEFINE_OWNS(code_table);

/*
 * Takes in a record of @record->head.size bytes, which collect/ has made sure of; its
 * inner lengths are checked here. What the kernel could not copy is read from the process
 * now; where that fails too, names are looked for again by code_table_find().
 * 0, -EBADMSG, -ENOMEM, -ENOSPC if the table is full.
 */
int code_table_learn(struct code_table *t, const struct sp_code *record);

/*
 * The entry of a sampled frame, or NULL if nobody can say any more what was there.
 * Valid for the life of @t.
 */
const struct code_entry *code_table_find(struct code_table *t, uint64_t code, uint32_t key);

/* The line that runs at @instr (see struct sp_frame); 0 if it has none or cannot be told. */
uint32_t code_entry_line(const struct code_entry *e, uint32_t instr);

/* Bytes held. */
size_t code_table_bytes(const struct code_table *t);

/* Code objects that were not taken in because the table is full: their frames stay unknown. */
uint64_t code_table_refused(const struct code_table *t);

#endif
