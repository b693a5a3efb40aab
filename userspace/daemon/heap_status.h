/* SPDX-License-Identifier: Apache-2.0 */
/* heap_status - a session as the control API tells it. */
#ifndef SPPROF_HEAP_STATUS_H
#define SPPROF_HEAP_STATUS_H

#include "daemon/heap_session.h"

#include <jansson.h>

/* NULL when out of memory. */
json_t *heap_status_json(const struct heap_session *s, uint64_t now_ns);

#endif
