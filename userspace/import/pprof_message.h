/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_message - an unpacked pprof of hostile bytes, whose rows are found by their ids.
 *
 * Everything that a row refers to is there, so that who turns it into a profile needs
 * no checks.
 */
#ifndef SPPROF_PPROF_MESSAGE_H
#define SPPROF_PPROF_MESSAGE_H

#include "base/cleanup.h"
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

#define PPROF_MAX_BYTES (1ull << 30) /* of a message; and of the stacks that it names */

struct pprof_message {
	pb_profile *pb;
	size_t len; /* bytes it was unpacked from */
	struct hash_index mappings, locations, functions;
};

/* The file at @data, gzip or not. NULL and *@err: see import/pprof.h. */
struct pprof_message *pprof_message_new(const void *data, size_t len, int *err);
void pprof_message_free(struct pprof_message *m); /* NULL is fine */
DEFINE_OWNS(pprof_message);

/* Index of the row with @id, or UINT32_MAX if there is none. */
uint32_t pprof_find_mapping(const struct pprof_message *m, uint64_t id);
uint32_t pprof_find_location(const struct pprof_message *m, uint64_t id);
uint32_t pprof_find_function(const struct pprof_message *m, uint64_t id);

#endif
