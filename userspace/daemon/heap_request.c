/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_request.h"

#include "daemon/query.h"
#include "spprof_api.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int read_tier(const char *text, enum heap_tier_asked *out)
{
	static const char *const names[] = {
		[HEAP_ASK_AUTO] = "auto",
		[HEAP_ASK_GROWTH] = "growth",
		[HEAP_ASK_TRACE] = "trace",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i]))
			return *out = i, 0;
	return -EINVAL;
}

int heap_request_read(const struct heap_words *words, struct heap_request *out, char *why,
		      size_t room)
{
	struct heap_request r = { .tier = HEAP_ASK_AUTO };
	uint64_t overhead = 0, seconds = 0;

	if (words->tier && read_tier(words->tier, &r.tier))
		snprintf(why, room, "tier= is growth, trace or auto");
	else if (words->rate && query_number(words->rate, 1, UINT32_MAX, &r.rate))
		snprintf(why, room, "rate= is a number of bytes from 1 to %u", UINT32_MAX);
	else if (words->max_overhead &&
		 query_number(words->max_overhead, 1, HEAP_REQUEST_OVERHEAD_MOST, &overhead))
		snprintf(why, room, "max_overhead= is a percentage from 1 to %d",
			 HEAP_REQUEST_OVERHEAD_MOST);
	else if (words->seconds && query_number(words->seconds, 1, SPPROF_SECONDS_MAX, &seconds))
		snprintf(why, room, "seconds= is from 1 to %d", SPPROF_SECONDS_MAX);
	else if (words->discard && strcmp(words->discard, "1"))
		snprintf(why, room, "discard= is 1 or not there");
	else {
		r.max_overhead = overhead;
		r.seconds = seconds;
		r.discards = words->discard != NULL;
		*out = r;
		return 0;
	}
	return -EINVAL;
}
