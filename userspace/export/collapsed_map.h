/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile by how its rows read in collapsed stacks: a second one, whose functions are
 * the frames' texts and nothing else. So frames, stacks and threads that read the same
 * become the same, and their samples one.
 */
#ifndef SPPROF_COLLAPSED_MAP_H
#define SPPROF_COLLAPSED_MAP_H

#include "export/exporter.h"

/*
 * Fills @texts, an empty profile. The threads have texts only with o->with_threads, else
 * there is one. 0, -ENOMEM, or -ERANGE: no reader takes a weight below 0.
 */
int collapsed_map(const struct profile *p, const struct export_options *o, struct profile *texts);

#endif
