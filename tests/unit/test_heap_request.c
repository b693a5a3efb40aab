/* SPDX-License-Identifier: Apache-2.0 */
/* Which sessions can be asked for. */
#include "daemon/heap_request.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

static const struct {
	struct heap_words words;
	struct heap_request request;
} fine[] = {
	{ { .tier = NULL }, { .tier = HEAP_ASK_AUTO } },
	{ { .tier = "auto" }, { .tier = HEAP_ASK_AUTO } },
	{ { .tier = "growth" }, { .tier = HEAP_ASK_GROWTH } },
	{ { .tier = "trace" }, { .tier = HEAP_ASK_TRACE } },
	{ { .rate = "1" }, { .rate = 1 } },
	{ { .rate = "4294967295" }, { .rate = UINT32_MAX } },
	{ { .max_overhead = "100000" }, { .max_overhead = 100000 } },
	{ { .seconds = "86400" }, { .seconds = 86400 } },
	{ { .discard = "1" }, { .discards = true } },
	{ { "trace", "65536", "50", "10", NULL },
	  { .tier = HEAP_ASK_TRACE, .rate = 65536, .max_overhead = 50, .seconds = 10 } },
};

Test(heap_request, what_is_not_said_is_left_open)
{
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
		const struct heap_request *expected = &fine[i].request;
		struct heap_request r = { 0 };
		char why[64] = "";

		cr_assert(heap_request_read(&fine[i].words, &r, why, sizeof(why)) == 0,
			  "row %zu: %s", i, why);
		cr_expect(r.tier == expected->tier && r.rate == expected->rate &&
				  r.max_overhead == expected->max_overhead &&
				  r.seconds == expected->seconds &&
				  r.discards == expected->discards,
			  "row %zu", i);
	}
}

static const struct {
	struct heap_words words;
	const char *why;
} wrong[] = {
	{ { .tier = "" }, "tier= is growth, trace or auto" },
	{ { .tier = "Growth" }, "tier= is growth, trace or auto" },
	{ { .rate = "0" }, "rate= is a number of bytes from 1 to 4294967295" },
	{ { .rate = "4294967296" }, "rate= is a number of bytes from 1 to 4294967295" },
	{ { .rate = "64k" }, "rate= is a number of bytes from 1 to 4294967295" },
	{ { .max_overhead = "0" }, "max_overhead= is a percentage from 1 to 100000" },
	{ { .max_overhead = "100001" }, "max_overhead= is a percentage from 1 to 100000" },
	{ { .max_overhead = "1.5" }, "max_overhead= is a percentage from 1 to 100000" },
	{ { .seconds = "0" }, "seconds= is from 1 to 86400" },
	{ { .seconds = "86401" }, "seconds= is from 1 to 86400" },
	{ { .discard = "0" }, "discard= is 1 or not there" },
	{ { .discard = "" }, "discard= is 1 or not there" },
};

Test(heap_request, what_is_wrong_is_said_and_changes_nothing)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct heap_request r = { .rate = 7 };
		char why[64] = "";

		cr_expect(
			eq(int, heap_request_read(&wrong[i].words, &r, why, sizeof(why)), -EINVAL),
			"row %zu", i);
		cr_expect(eq(str, why, (char *)wrong[i].why));
		cr_expect(r.rate == 7);
	}
}
