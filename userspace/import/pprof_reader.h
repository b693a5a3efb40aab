/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_reader - a checked pprof on its way into a profile. */
#ifndef SPPROF_PPROF_READER_H
#define SPPROF_PPROF_READER_H

#include "import/pprof_message.h"
#include "import/stack_builder.h"
#include "profile/profile.h"

#include <stdbool.h>

/* A sample as it is read; the memory is kept for the next one. */
struct pprof_sample {
	uint64_t *locations; /* leaf first */
	size_t location_count, location_room;
	int64_t *values; /* one for each sample type */
	size_t value_count;
	struct profile_thread thread;
	uint64_t timestamp_ns;
};

struct pprof_reader {
	const struct pprof_message *m;
	struct profile *profile;
	bool is_ours;	     /* spprof wrote it */
	profile_id *strings; /* by index in string_table; PROFILE_NONE: not added yet */
	profile_id *frames;  /* of all locations, root first in each */
	size_t *first;	     /* of each location in @frames; one more for the end */
	uint64_t frames_left;
	struct stack_builder builder;
	struct pprof_sample sample;
	size_t weight_at; /* sample type */
	size_t count_at;  /* sample type, SIZE_MAX if there is none */
};

/* Strings and locations: import/pprof_locations.c. Each returns 0 or -ENOMEM. */

/* The profile's id of string_table[@index], made valid UTF-8. */
int pprof_add_string(struct pprof_reader *r, int64_t index, profile_id *id);

/* Fills r->frames and r->first. */
int pprof_add_locations(struct pprof_reader *r);

/* All samples of the message: import/pprof_samples.c. 0 or an error, and @why. */
int pprof_add_samples(struct pprof_reader *r, struct buffer *why);

bool pprof_is_text(const ProtobufCBinaryData *string, const char *text);

#endif
