/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles to test with: built by hand in a few calls, or at random. */
#ifndef TEST_PROFILES_H
#define TEST_PROFILES_H

#include "base/buffer.h"
#include "export/exporter.h"
#include "profile/profile.h"

struct test_frame {
	const char *name, *file;
	uint32_t first_line, line;
	enum profile_kind kind;
};

/* These fail the Criterion test where the model returns an error. */
profile_id test_string(struct profile *p, const char *text);
profile_id test_stack(struct profile *p, profile_id prefix, const struct test_frame *frame);
profile_id test_thread(struct profile *p, uint32_t pid, uint32_t tid, const char *process,
		       const char *name);
void test_sample(struct profile *p, profile_id stack, profile_id thread, int64_t weight,
		 uint64_t count);

/* Two threads, Python and native frames, losses: what a small recording holds. */
struct profile *test_small_profile(void);

/* Any profile that the model can hold. Every row of it is used by a sample. */
struct profile *test_random_profile(uint64_t seed);

/* All that @p says, one line a fact, sorted; equal texts mean equal profiles. */
void test_describe(const struct profile *p, struct buffer *out);

/* What the format @name makes of @p; fails the test unless that is @err. */
void test_export(const char *name, const struct profile *p, const struct export_options *o, int err,
		 struct buffer *out);

#endif
