/* SPDX-License-Identifier: Apache-2.0 */
/* link_order - whose function a program calls by a name that several files offer. */
#ifndef SPPROF_LINK_ORDER_H
#define SPPROF_LINK_ORDER_H

#include "resolve/code_map.h"
#include "resolve/exports.h"

/*
 * Opens the exports of the first file of @code, in the order in which the dynamic linker looks for
 * names, that has a function called @name: the program itself, what was preloaded, what they need.
 * Where there is no such order, the first one in memory. 0 and *@out; -ENOENT; what else the reader
 * says. Any content is legal.
 */
int link_order_find(const struct target_reader *memory, const struct code_map *code,
		    const char *name, struct exports *out);

#endif
