/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of perf script: `comm pid/tid [cpu] time: period event: ` begins a sample, and
 * `\tip symbol+0xoff (module)` is a frame of it. Commands and symbols hold blanks, colons,
 * digits and parentheses as they like, so both are read from the right.
 */
#ifndef SPPROF_IMPORT_PERF_LINE_H
#define SPPROF_IMPORT_PERF_LINE_H

#include "profile/profile.h"

#include <string.h>

/* A piece of a line. */
struct perf_text {
	const char *text;
	size_t len;
};

struct perf_header {
	struct perf_text comm;
	struct perf_text pid, tid; /* digits; pid may be empty */
	struct perf_text period;   /* digits, or empty */
	struct perf_text event;	   /* without its colon; empty: none is told */
	struct perf_text rest;	   /* after the event, without blanks around it */
};

struct perf_frame {
	struct perf_text symbol; /* without its offset */
	struct perf_text module; /* empty: none, or `[unknown]` */
	bool has_module;	 /* the line has something in parentheses */
	bool is_inlined, is_kernel_address;
	bool is_as_printed; /* see struct import_request */
};

/* False if the line from @text to @end is no such line. */
bool perf_read_header(const char *text, const char *end, struct perf_header *h);
bool perf_read_frame(const char *text, const char *end, struct perf_frame *f);

/* Where the symbol begins: after the address and a blank. NULL: there is no address. */
const char *perf_find_symbol(const char *text, const char *end);

/* A row of @p for @f. 0, -ENOMEM or -E2BIG. */
int perf_add_frame(struct profile *p, const struct perf_frame *f, profile_id *frame);

/* What the period of @event counts: nanoseconds for the clocks, else the event. */
struct perf_text perf_event_unit(const struct perf_text *event);

static inline bool perf_text_is(const struct perf_text *t, const char *text)
{
	return t->len == strlen(text) && memcmp(t->text, text, t->len) == 0;
}

static inline bool perf_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool perf_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
