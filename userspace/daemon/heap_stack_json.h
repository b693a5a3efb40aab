/* SPDX-License-Identifier: Apache-2.0 */
/* heap_stack_json - stacks of a stack table as the control API tells them, within a page. */
#ifndef SPPROF_HEAP_STACK_JSON_H
#define SPPROF_HEAP_STACK_JSON_H

#include "heap/stack_table.h"

#include <jansson.h>
#include <stdbool.h>

#define HEAP_STACK_JSON_MOST (32u << 20) /* bytes of a page's stacks, about */

struct heap_stack_json;

/* @table outlives it. NULL when out of memory. */
struct heap_stack_json *heap_stack_json_new(const struct stack_table *table);
void heap_stack_json_free(struct heap_stack_json *j); /* NULL is fine */
DEFINE_OWNS(heap_stack_json);

/* Whether there is room for another stack on the page. */
bool heap_stack_json_has_room(const struct heap_stack_json *j);

/* All: a new reference, or NULL when out of memory. @stack: an id, or HEAP_NO_STACK. */

/* Its frames, the newest first, each {"function", "file", "line", "kind"}. */
json_t *heap_stack_json_frames(struct heap_stack_json *j, uint32_t stack);

/* {"function", "file", "line"} of its newest Python frame; of the newest, if it has none. */
json_t *heap_stack_json_line(struct heap_stack_json *j, uint32_t stack);

/*
 * What stands for who shares a size class: a frame that says so, and after it those that all
 * @count @stacks have, from the oldest on.
 */
json_t *heap_stack_json_shared(struct heap_stack_json *j, const uint32_t *stacks, size_t count,
			       uint32_t block_bytes);

#endif
