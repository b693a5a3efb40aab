/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_sampled - the heaps of processes after their allocations have been sampled for a while, all
 * of them meanwhile. What was sampled before is read only; what was begun here ends here.
 */
#ifndef SPPROF_CLI_HEAP_SAMPLED_H
#define SPPROF_CLI_HEAP_SAMPLED_H

#include "cli/options.h"

#include <jansson.h>

/*
 * Samples those of @rows (selection_rows()) for o->seconds, or until the first signal, and
 * appends to @heaps what /v1/heap says of each. One that cannot be looked at is told and left
 * out. 0, or the exit code of the first error, which has been printed.
 */
int heap_sampled_read(const struct cli_options *o, const json_t *rows, json_t *heaps);

#endif
