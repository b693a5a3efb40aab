/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/simple_name.h"
#include "calltree/operator_name.h"

#include <string.h>

/* Whether the first @len bytes of @simple leave no bracket open. */
static bool is_outside(const char *simple, size_t len)
{
	size_t depth = 0, at = 0;

	while (at < len) {
		size_t operator_len = simple[at] == 'o' ? operator_name_len(simple, len, at) : 0;

		if (!operator_len && memchr("(<[{", simple[at], 4))
			depth++;
		else if (!operator_len && depth && memchr(")>]}", simple[at], 4))
			depth--;
		at += operator_len ? operator_len : 1;
	}
	return !depth;
}

bool simple_name_matches(const char *simple, size_t len, const char *target, size_t target_len)
{
	size_t at = len - target_len;

	if (!target_len || target_len > len || memcmp(simple + at, target, target_len))
		return false;
	if (!at)
		return true;
	if (simple[at - 1] != '.' && (at < 2 || memcmp(simple + at - 2, "::", 2)))
		return false;
	return is_outside(simple, at);
}
