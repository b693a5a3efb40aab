/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_order.h"

const char *top_order_name(enum top_order order)
{
	static const char *const names[] = { "own", "total", "own-time", "total-time" };

	return names[order];
}
