/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_writer - puts a pprof together from parts, each a Profile message of its own.
 *
 * protobuf takes parts of a message in a row for one message; that spares us a second
 * copy of the profile in memory.
 */
#ifndef SPPROF_PPROF_WRITER_H
#define SPPROF_PPROF_WRITER_H

#include "export/gzip_sink.h"
#include "pprof.pb-c.h"
#include "profile/profile.h"

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__ValueType pb_value_type;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Label pb_label;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Line pb_line;
typedef Perftools__Profiles__Function pb_function;

#define PB_PROFILE_INIT PERFTOOLS__PROFILES__PROFILE__INIT

/* A pprof on its way into a buffer. */
struct pprof_writer {
	ProtobufCBuffer base; /* first: protobuf-c hands it back */
	struct gzip_sink sink;
	const struct profile *profile;
	int64_t next_string; /* index of the next entry of string_table */
};

/* Opens a pprof of @p and puts all its strings in, under their own ids. 0 or -ENOMEM. */
int pprof_writer_init(struct pprof_writer *w, const struct profile *p, struct buffer *out);
void pprof_writer_fini(struct pprof_writer *w);

/* Errors are sticky and told at the end. */
void pprof_put(struct pprof_writer *w, const pb_profile *part);

/* Index of a new entry of string_table. */
int64_t pprof_put_string(struct pprof_writer *w, const char *text, size_t len);
int64_t pprof_put_text(struct pprof_writer *w, const char *text);

/* 0 or the first error of all. */
int pprof_writer_finish(struct pprof_writer *w);

/* What the profile says of itself (export/pprof_about.c). */
void pprof_put_about(struct pprof_writer *w);

static inline void pprof_writer_cleanup(struct pprof_writer *w)
{
	pprof_writer_fini(w);
}

#endif
