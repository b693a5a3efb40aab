/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_reader - a checked pprof on its way into a profile. */
#ifndef SPPROF_PPROF_READER_H
#define SPPROF_PPROF_READER_H

#include "import/pprof_message.h"
#include "profile/profile.h"

#include <stdbool.h>

struct pprof_reader {
	const struct pprof_message *m;
	struct profile *profile;
	profile_id *strings; /* by index in string_table; PROFILE_NONE: not added yet */
	profile_id *frames;  /* of all locations, root first in each */
	size_t *first;	     /* of each location in @frames; one more for the end */
	uint64_t frames_left;
	size_t weight_at; /* sample type */
	size_t count_at;  /* sample type, SIZE_MAX if there is none */
};

/* Strings and locations: import/pprof_locations.c. Each returns 0 or -ENOMEM. */

/* The profile's id of string_table[@index], made valid UTF-8. */
int pprof_add_string(struct pprof_reader *r, int64_t index, profile_id *id);

/* Fills r->frames and r->first. */
int pprof_add_locations(struct pprof_reader *r);

bool pprof_is_text(const ProtobufCBinaryData *string, const char *text);

#endif
