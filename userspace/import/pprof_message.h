/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_message - an unpacked pprof of hostile bytes, whose rows are found by their ids.
 *
 * Everything that a row refers to is there, so that who turns it into a profile needs
 * no checks; but for the samples, which are not unpacked: import/pprof_samples.c.
 */
#ifndef SPPROF_PPROF_MESSAGE_H
#define SPPROF_PPROF_MESSAGE_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/hash_index.h"
#include "pprof.pb-c.h"

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__ValueType pb_value_type;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Label pb_label;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Line pb_line;
typedef Perftools__Profiles__Function pb_function;

#define PPROF_MAX_BYTES (1ull << 30) /* of a message */
#define PPROF_FIELD_SAMPLE 2	     /* of Profile in profile.proto */

struct pprof_message {
	pb_profile *pb;	     /* without samples */
	struct buffer raw;   /* of a gzip file, what it holds */
	struct cursor bytes; /* all of the message */
	bool is_numbered;    /* locations have the ids 1, 2, 3… in order */
	struct hash_index mappings, locations, functions;
};

/* The file at @data, gzip or not. NULL, *@err and @why: see import/pprof.h. */
struct pprof_message *pprof_message_new(const void *data, size_t len, int *err, struct buffer *why);
void pprof_message_free(struct pprof_message *m); /* NULL is fine */
DEFINE_OWNS(pprof_message);

/* Index of the row with @id, or UINT32_MAX if there is none. */
uint32_t pprof_find_mapping(const struct pprof_message *m, uint64_t id);
uint32_t pprof_find_location(const struct pprof_message *m, uint64_t id);
uint32_t pprof_find_function(const struct pprof_message *m, uint64_t id);

#endif
