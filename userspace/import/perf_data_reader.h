/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_data_reader - a perf.data on its way into a profile, in two passes: what
 * the file tells of events and processes, which is kept, and then the samples,
 * which are not.
 */
#ifndef SPPROF_PERF_DATA_READER_H
#define SPPROF_PERF_DATA_READER_H

#include "import/import_file.h"
#include "import/objects.h"
#include "import/perf_data_tasks.h"
#include "import/perf_data_wire.h"
#include "import/stack_builder.h"
#include "profile/strings.h"

#include <linux/perf_event.h>

#define PERF_MAGIC_BYTES 8
#define PERF_KERNEL_NAME "[kernel.kallsyms]"

/* Records that perf writes itself. Source: tools/lib/perf/include/perf/event.h
 */
enum {
	PERF_DATA_ATTR = 64,
	PERF_DATA_TRACING = 66,
	PERF_DATA_BUILD_ID = 67,
	PERF_DATA_AUXTRACE = 71,
	PERF_DATA_EVENT_UPDATE = 78,
	PERF_DATA_FEATURE = 80,
	PERF_DATA_COMPRESSED = 81,
	PERF_DATA_COMPRESSED2 = 83,
};

struct perf_attr {
	uint64_t config, period; /* period: 0: it varies */
	uint64_t sample_type, read_format;
	uint64_t flags; /* bits in the order of struct perf_event_attr */
	uint32_t type;
	uint32_t name; /* string; 0: the file has not told it */
	uint32_t unit; /* string: what a sample's weight counts */
	int event;     /* number in the facts; -1: it has no samples */
};

/* Bits of flags. */
enum {
	PERF_ATTR_EXCLUDE_USER = 4,
	PERF_ATTR_EXCLUDE_KERNEL = 5,
	PERF_ATTR_EXCLUDE_HV = 6,
	PERF_ATTR_FREQ = 10,
	PERF_ATTR_PRECISE = 15, /* two bits */
	PERF_ATTR_SAMPLE_ID_ALL = 18,
	PERF_ATTR_EXCLUDE_HOST = 19,
	PERF_ATTR_EXCLUDE_GUEST = 20,
};

/* A counter of an event: one per processor and thread. */
struct perf_counter {
	uint64_t id;
	uint64_t value; /* at the last sample, if samples tell it */
	uint32_t attr;
	uint32_t unused;
};

struct perf_record {
	uint32_t type;
	uint16_t misc;
	struct perf_wire body;
	uint64_t number; /* of all records, in the file's order */
	size_t at;	 /* in the file; where it is compressed, of what holds it */
};

struct perf_data {
	const struct import_file *file;
	struct profile *profile;
	struct import_facts *facts;
	struct buffer *why;
	bool is_swapped, is_pipe;
	bool is_cut;		  /* there should be more of the file */
	bool is_closed;		  /* perf wrote the header when it was done */
	size_t data_at, data_end; /* where the records are */
	struct strings strings;	  /* paths, commands and events; 0 is "" */
	struct perf_attr *attrs;
	uint32_t attr_count, attr_room;
	struct table counters; /* struct perf_counter */
	enum { PERF_CLOCK_UNSAID, PERF_CLOCK_TIME, PERF_CLOCK_ORDER } clock;
	struct perf_tasks tasks;
	uint32_t kernel_symbol; /* string: one of the kernel's, 0: none is told */
	uint64_t kernel_symbol_at;
	uint32_t kernel_release; /* string; 0: not told */
	uint64_t lost;		 /* samples that perf could not keep */
	uint64_t foreign;	 /* samples of a counter that no event has */
	/* Second pass: */
	struct objects *objects;
	int kernel;			/* its object */
	struct perf_address *addresses; /* 2^address_bits */
	unsigned int address_bits;
	struct stack_builder builder;
	profile_id *frames; /* of the sample at hand, leaf first */
	size_t frame_count, frame_room;
	struct perf_task task; /* of the sample before */
	profile_id thread;     /* the same */
	bool has_thread;
	uint64_t samples;
	int64_t sum;
	uint32_t unit;	 /* string; 0: no sample yet */
	bool is_mixed;	 /* samples of several units */
	bool has_stacks; /* there were copies of stacks, not walked */
};

/* Where in the file something is. */
struct perf_section {
	uint64_t at, len;
};

static inline struct perf_section perf_take_section(struct perf_wire *w)
{
	struct perf_section s = { .at = perf_take_u64(w) };

	s.len = perf_take_u64(w);
	return s;
}

/* What is not in the file makes a short read of the result. */
static inline struct perf_wire perf_data_open(const struct perf_data *d, struct perf_section s)
{
	struct perf_wire w = perf_wire_of(d->file->bytes, d->file->len, d->is_swapped);

	perf_skip(&w, s.at);
	return perf_take_part(&w, s.len);
}

/* @err, and a reason that says where in the file. */
#define perf_data_refuse(d, err, at, reason) \
	import_refuse((d)->why, (err), "byte %zu: %s", (size_t)(at), (reason))

/* @why gains a line. */
#define perf_data_warn(d, ...)                           \
	({                                               \
		if ((d)->why->len)                       \
			buffer_add_text((d)->why, "\n"); \
		buffer_print((d)->why, __VA_ARGS__);     \
	})

/* perf_data_header.c: what is before the records. */
int perf_data_read_header(struct perf_data *d);

/* perf_data_feature.c: what is behind them. */
int perf_data_read_features(struct perf_data *d);
int perf_data_read_feature(struct perf_data *d, uint32_t feature, struct perf_wire w);
int perf_data_add_build_ids(struct perf_data *d, struct perf_wire w);

/* perf_data_event.c: events and their counters. */
int perf_data_add_attr(struct perf_data *d, struct perf_wire *w, uint32_t *attr);
int perf_data_add_counters(struct perf_data *d, uint32_t attr, struct perf_wire w);
int perf_data_name_attr(struct perf_data *d, uint32_t attr, const char *name, size_t len);
int perf_data_name_events(struct perf_data *d);
struct perf_counter *perf_data_find_counter(const struct perf_data *d, uint64_t id);

/* The attr of a record of this id, 0 being perf's own. NULL: of none. */
const struct perf_attr *perf_data_find_attr(const struct perf_data *d, uint64_t id);

/* perf_data_event_name.c: what perf calls it. */
void perf_data_print_event(const struct perf_attr *attr, struct buffer *out);

/*
 * perf_data_record.c: calls @see for each record, of which the pass can change
 * nothing. 0 or what @see returned; -EBADMSG and a reason.
 */
typedef int perf_record_function(struct perf_data *d, const struct perf_record *record);
int perf_data_walk(struct perf_data *d, perf_record_function *see);

/* perf_data_note.c, perf_data_note_own.c: the first pass. */
int perf_data_note(struct perf_data *d, const struct perf_record *record);
int perf_data_note_own(struct perf_data *d, const struct perf_record *record);

struct perf_sample {
	uint64_t ip, time, period;
	uint32_t pid, tid;
	struct perf_wire counters; /* what is read of them */
	uint64_t chain_len;	   /* words */
	struct perf_wire chain;
};

/* perf_data_field.c: false, if it is damaged. The attr is NULL for one of no
 * event. */
const struct perf_attr *perf_data_attr_of(const struct perf_data *d,
					  const struct perf_record *record);
bool perf_take_sample(const struct perf_attr *attr, const struct perf_record *record,
		      struct perf_sample *s);
unsigned int perf_time_words(uint64_t format);

/* perf_data_sample.c: the second. */
int perf_data_add_sample(struct perf_data *d, const struct perf_record *record);

/* perf_data_frame.c: what is at @ip at @time; PERF_SPACE_… or a process's. */
int perf_data_find_frame(struct perf_data *d, uint32_t space, uint64_t ip, uint64_t time,
			 profile_id *frame);
int perf_data_prepare_frames(struct perf_data *d);

#endif
