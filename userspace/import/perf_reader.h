/* SPDX-License-Identifier: Apache-2.0 */
/* perf_reader - the text of perf script on its way into a profile, sample by sample. */
#ifndef SPPROF_PERF_READER_H
#define SPPROF_PERF_READER_H

#include "import/import_file.h"
#include "import/perf_line.h"
#include "import/stack_builder.h"
#include "import/text_cache.h"

#include <string.h>

struct perf_reader {
	const struct import_file *file;
	struct import_facts *facts;
	const char *at, *end;
	const char *passed; /* what import_passed() was told last */
	uint64_t line_number;
	struct buffer *why;
	struct profile *profile;
	struct stack_builder builder;
	struct text_cache cache;
	struct perf_header header; /* of the sample at hand */
	bool has_header;
	struct frame_line {
		struct perf_text all, symbol; /* from the symbol on */
		uint64_t hash;		      /* of @symbol */
	} * lines;			      /* its frames, leaf first */
	size_t count, room;
	bool has_modules;      /* some frame had something in parentheses */
	struct perf_text unit; /* empty: no sample yet */
	bool is_mixed;	       /* events of several units */
	int64_t sum;
	uint64_t samples, others; /* taken; of events that are not wanted */
	struct perf_text event;	  /* of the last sample */
	int first_event;
	bool has_event, is_wanted; /* of @event: it is known; its samples are taken */
	struct perf_header before; /* of @thread */
	profile_id thread;
};

/* @err, and the reason with the line's number. */
int perf_refuse(struct perf_reader *r, int err, const char *reason);

/* Adds a frame to the sample at hand; its symbol is at @symbol. 0 or -ENOMEM. */
int perf_take_line(struct perf_reader *r, const char *text, const char *symbol, const char *end);

/* Notes the event of the sample at hand, which has just begun. 0, -ENOMEM or -E2BIG. */
int perf_see_event(struct perf_reader *r);

/* The sample at hand, if there is one, is whole. 0 or an error. */
int perf_finish_sample(struct perf_reader *r);

static inline bool perf_is_same(const struct perf_text *a, const struct perf_text *b)
{
	return a->len == b->len && (!a->len || memcmp(a->text, b->text, a->len) == 0);
}

#endif
