/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_report_reader - a perf report on its way into a profile, entry by entry.
 *
 * An entry is a function in one command and object, and the graph of its chains. In caller
 * order these are whole stacks of the samples in which it ran itself, and what begins with
 * its outermost call in those in which another did.
 *
 * The event's text is read again when something turns up that it should have been read by:
 * the reader then returns -EAGAIN.
 */
#ifndef SPPROF_PERF_REPORT_READER_H
#define SPPROF_PERF_REPORT_READER_H

#include "import/import_file.h"
#include "import/perf_report_line.h"
#include "import/stack_builder.h"
#include "import/text_cache.h"

#define REPORT_EVENT "# Samples: " /* begins the header of an event */
#define REPORT_WHOLE 10000	   /* in hundredths of a percent */

#define REPORT_FRACTAL "a fractal report does not tell what functions ran themselves"

/* perf cuts the symbols of a graph at this many bytes, those of entries not. */
#define REPORT_MAX_SYMBOL 1023

enum report_column {
	REPORT_CHILDREN,
	REPORT_SELF,
	REPORT_SAMPLES,
	REPORT_PERIOD,
	REPORT_COMMAND,
	REPORT_THREAD, /* `pid:command` */
	REPORT_OBJECT,
	REPORT_SYMBOL,
	REPORT_COLUMNS,
};

struct report_columns {
	struct report_span {
		uint32_t start, end; /* 0: there is none; UINT32_MAX: to the end of the line */
	} of[REPORT_COLUMNS];
	bool has_ruler;
	bool lacks_first; /* chains without values leave out their first function: -s sym */
};

enum report_unit { REPORT_UNIT_UNSAID, REPORT_UNIT_PERCENT, REPORT_UNIT_COUNT, REPORT_UNIT_PERIOD };

/* What the event's text is read by. */
struct report_plan {
	enum report_unit unit;
	enum import_order order;
	bool keeps_own;	      /* for pruned->own, and entries */
	bool has_seen_caller; /* for sure */
};

struct report_node {
	profile_id frame;
	uint32_t parent;  /* UINT32_MAX: none */
	uint32_t depth;	  /* functions above it */
	uint32_t callees; /* that have a value of their own */
	int64_t value;
	int64_t below; /* Σ of callees' */
	bool is_inlined;
	bool is_end; /* may be where a whole stack ends */
};

struct report_graph {
	struct report_node *nodes; /* parents before children */
	uint32_t *path;		   /* of the nodes above one and itself, by depth */
	uint32_t count, room;
	uint32_t *last; /* of the nodes above and at the last, by level */
	size_t levels;
	uint32_t header_count; /* nodes of the chain that prints no value */
	struct report_place place;
	bool is_open; /* an entry's graph may follow, or go on */
};

struct report_entry {
	struct perf_text symbol, command, thread, object;
	int64_t children, self; /* percentages; -1: there is none, as in the next */
	int64_t samples, period;
	int64_t own;		      /* its own samples, in the plan's unit; or -1 */
	profile_id frame, thread_row; /* in the profile */
	int low_bits;		      /* of an address that has no symbol; else -1 */
	bool is_in_object; /* then: an address that counts from where its object begins */
	char address[24];  /* then: else, as graphs print it */
	bool is_here;
};

/* Samples on their way: who has read on knows whether they are all there are. */
struct report_sample {
	profile_id stack, thread;
	int64_t weight;
	uint32_t numbers; /* printed ones it was reckoned from */
};

struct report_samples {
	struct report_sample *rows;
	size_t count, room;
};

struct report_own {
	struct profile *profile;
	struct stack_builder builder;
	profile_id *frames; /* of it, by those of the other, plus 1; 0: not there yet */
	uint32_t frame_room;
	uint32_t built; /* of the graph's path, how much is in the builder */
};

/* What the entries up to here show. */
struct report_seen {
	uint64_t entries;
	int64_t own;	   /* Σ of what they should show of whole stacks */
	int64_t shown;	   /* Σ of what they do */
	bool has_unproven; /* some entry does not show all that it should */
	bool has_children; /* a column of them */
	bool is_caller, is_callee;
	bool has_one;		  /* a chain of one sample was not too small to be shown */
	bool has_unequal_periods; /* samples differ in weight, or may do so */
	bool has_cut_symbols;
	bool has_plain_symbols; /* some are not followed by their source line */
};

struct report_reader {
	const struct import_file *file;
	const char *at, *end, *passed;
	uint64_t line_number;
	struct profile *profile;
	struct import_facts *facts;
	struct buffer *why;
	/* The event */
	uint64_t samples, samples_unit, period; /* as `# Samples:` has it, in 1, 1000, 10^6 */
	struct report_columns columns;
	struct report_plan plan;
	/* What was read of it */
	struct report_entry entry;
	struct report_graph graph;
	struct text_cache names;
	struct stack_builder builder;
	uint32_t built; /* of the graph's path, how much is in the builder */
	struct report_samples stacks;
	struct report_own own;
	struct profile_pruned *pruned;
	struct report_seen seen;
	uint32_t empty_lines; /* just before */
	bool ended_with_graph;
};

/* perf_report_refusal.c: @err and the reason; of -ENOTSUP with the command to use. */
int report_refuse(struct report_reader *r, int err, const char *reason);
int report_refuse_mode(struct report_reader *r, enum import_mode mode, const char *reason);

/* perf_report_event.c: of the event that r->at is in, all. */
int report_read_event(struct report_reader *r);

/* perf_report_header.c: up to the ruler; and an error if @text tells of a filter. */
int report_read_header(struct report_reader *r);
int report_check_filter(struct report_reader *r, const char *text, const char *end);

/* perf_report_columns.c: from the titles and the ruler below them; and a line of them. */
int report_read_ruler(struct report_reader *r, struct perf_text titles, struct perf_text ruler);
int report_read_columns(struct report_reader *r, const char *text, const char *end);

/* perf_report_graph.c: a line of the entry's graph. */
int report_take_line(struct report_reader *r, const char *text, const char *end);
void report_start_graph(struct report_reader *r);

/* Whether a number that is printed in a graph can be what the plan takes it for; or -EAGAIN. */
int report_check_unit(struct report_reader *r, const struct report_value *value);

/* perf_report_frames.c: frame of the function @symbol, and whether it is marked as inlined. */
int report_find_frame(struct report_reader *r, struct perf_text symbol, profile_id *frame,
		      bool *is_inlined);
/* The last bits of an address that stands for a symbol; -1: it is a symbol. */
int report_low_bits(struct perf_text symbol);

/* perf_report_entry.c: its columns are read; it is whole, and what is in it is handed over. */
int report_start_entry(struct report_reader *r);
int report_finish_entry(struct report_reader *r);
/* The entry's children column in the plan's unit, or -1. */
int64_t report_children(const struct report_reader *r);

/* perf_report_evidence.c: which order it is; -EAGAIN, if not the plan's. And are periods equal? */
void report_see_order(struct report_reader *r);
int report_check_order(struct report_reader *r);
void report_see_periods(struct report_reader *r);

/* perf_report_stacks.c: where perf_report_entry.c puts what an entry has. */
int report_add_stacks(struct report_reader *r);

/* perf_report_own.c: @weight of pruned->own is for the stack from a root to node @at. */
int report_add_own(struct report_reader *r, uint32_t at, int64_t weight, uint32_t numbers);
int report_add_entry(struct report_reader *r);
void report_reset_own(struct report_reader *r);

/* perf_report_result.c: the event is read; what of it is right? */
int report_finish_event(struct report_reader *r);

static inline bool report_starts_with(const char *text, const char *end, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(end - text) >= len && memcmp(text, what, len) == 0;
}

static inline bool report_has(const struct report_reader *r, enum report_column column)
{
	return r->columns.of[column].end;
}

/* How far off a sum of @numbers printed ones may be. */
static inline int64_t report_slack(const struct report_reader *r, uint32_t numbers)
{
	if (r->plan.unit == REPORT_UNIT_PERCENT)
		return (numbers + 1) / 2;
	if (r->plan.unit == REPORT_UNIT_PERIOD && r->plan.keeps_own)
		return (int64_t)(r->period / (2 * REPORT_WHOLE) + 1) * numbers;
	return 0;
}

/* The next line without its end, or NULL at the end of the file. */
const char *report_next_line(struct report_reader *r, const char **end);

#endif
