/* SPDX-License-Identifier: Apache-2.0 */
/* heap_warnings - what whoever reads the figures of a heap must know, in words. */
#ifndef SPPROF_HEAP_WARNINGS_H
#define SPPROF_HEAP_WARNINGS_H

#include "daemon/heap_json.h"

/* An array of texts, often an empty one; NULL when out of memory. */
json_t *heap_warnings(const struct heap_facts *f);

#endif
