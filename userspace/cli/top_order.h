/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that `spprofctl top` sorts by: keys 1 to 4, and the values of --sort. */
#ifndef SPPROF_CLI_TOP_ORDER_H
#define SPPROF_CLI_TOP_ORDER_H

enum top_order { TOP_BY_OWN, TOP_BY_TOTAL, TOP_BY_OWN_TIME, TOP_BY_TOTAL_TIME, TOP_ORDERS };

/* "own", "total", "own-time", "total-time". */
const char *top_order_name(enum top_order order);

#endif
