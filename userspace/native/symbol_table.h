/* SPDX-License-Identifier: Apache-2.0 */
/* symbol_table - which symbol is around an address, as perf sees it. */
#ifndef SPPROF_SYMBOL_TABLE_H
#define SPPROF_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_SYMBOL UINT32_MAX

struct symbol {
	uint64_t start, end; /* the same: its size is not known, it reaches to the next one */
	const char *name;    /* somebody else's */
	uint32_t order;	     /* in which they were added */
	uint32_t group;	     /* it does not reach further than a page into another one's */
	uint8_t binding;     /* STB_GLOBAL and so on */
	bool is_stub;
};

struct symbol_table {
	struct symbol *rows;
	uint32_t count, room;
	struct symbol_range {
		uint64_t start; /* its end is the next one's start */
		uint32_t symbol;
	} * ranges;
	size_t range_count;
};

/* Zeroed memory is an empty table. */
void symbol_table_fini(struct symbol_table *t);

/* 0 or -ENOMEM. What is beyond 16 million symbols is not there. */
int symbol_table_add(struct symbol_table *t, const struct symbol *s);

/* To be called once, when all are there. 0 or -ENOMEM. */
int symbol_table_finish(struct symbol_table *t);

/* The number of the row around @address, or NO_SYMBOL. */
uint32_t symbol_table_find(const struct symbol_table *t, uint64_t address);

/* Bytes that it has allocated. */
size_t symbol_table_bytes(const struct symbol_table *t);

#endif
