/* SPDX-License-Identifier: Apache-2.0 */
/* Sample types, times, and the comments of profile/pprof_names.h. */
#include "export/pprof_writer.h"
#include "profile/pprof_names.h"
#include "spprof_api.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Of memory, as the tools know it: inuse_space in bytes, and inuse_objects. */
static bool put_memory_types(struct pprof_writer *w, pb_value_type *count, pb_value_type *weight,
			     pb_value_type *period)
{
	const struct profile_about *about = profile_about_get(w->profile);
	const char *space = profile_string(w->profile, about->weighed);
	size_t len = profile_string_len(w->profile, about->weighed);
	size_t before = len < strlen(PPROF_SPACE) ? 0 : len - strlen(PPROF_SPACE);
	struct buffer objects OWNS(buffer) = { 0 };

	if (!before || strcmp(space + before, PPROF_SPACE) != 0)
		return false;
	buffer_add(&objects, space, before);
	buffer_add_text(&objects, PPROF_OBJECTS);
	if (buffer_error(&objects)) {
		w->sink.err = -ENOMEM;
		return true;
	}
	count->type = pprof_put_string(w, objects.data, objects.len);
	weight->type = about->weighed;
	period->type = pprof_put_text(w, "space");
	period->unit = about->unit;
	return true;
}

static void put_facts(struct pprof_writer *w)
{
	const struct profile_about *about = profile_about_get(w->profile);
	bool is_time = strcmp(profile_string(w->profile, about->unit), "nanoseconds") == 0;
	pb_value_type samples = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
	pb_value_type weight = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
	pb_value_type *types[] = { &samples, &weight };
	pb_value_type period = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
	pb_profile part = PB_PROFILE_INIT;

	samples.unit = pprof_put_text(w, "count");
	weight.unit = about->unit;
	if (!put_memory_types(w, &samples, &weight, &period)) {
		samples.type = pprof_put_text(w, "samples");
		weight.type = pprof_put_text(w, is_time ? "cpu" : "weight");
		period.type = pprof_put_text(w, "cpu");
		period.unit = pprof_put_text(w, "nanoseconds");
	}
	part.n_sample_type = 2;
	part.sample_type = types;
	part.default_sample_type = weight.type;
	part.period_type = &period;
	part.period = about->interval_ns;
	part.time_nanos = about->start_ns;
	part.duration_nanos = about->duration_ns;
	pprof_put(w, &part);
}

static void put_comment(struct pprof_writer *w, const char *key, const char *value, size_t len)
{
	struct buffer text OWNS(buffer) = { 0 };
	pb_profile part = PB_PROFILE_INIT;
	int64_t comment;

	buffer_add_text(&text, key);
	buffer_add(&text, value, len);
	if (buffer_error(&text)) {
		w->sink.err = -ENOMEM;
		return;
	}
	comment = pprof_put_string(w, text.data, text.len);
	part.n_comment = 1;
	part.comment = &comment;
	pprof_put(w, &part);
}

static void put_comment_id(struct pprof_writer *w, const char *key, profile_id value)
{
	put_comment(w, key, profile_string(w->profile, value),
		    profile_string_len(w->profile, value));
}

static void put_comment_count(struct pprof_writer *w, const char *key, uint64_t value)
{
	char digits[24];

	put_comment(w, key, digits, snprintf(digits, sizeof(digits), "%" PRIu64, value));
}

static void put_losses(struct pprof_writer *w)
{
	uint32_t count;
	const struct profile_loss *losses = profile_losses(w->profile, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct buffer key OWNS(buffer) = { 0 };

		buffer_print(&key, "%s%s=", PPROF_COMMENT_LOSS,
			     profile_string(w->profile, losses[i].name));
		if (buffer_error(&key))
			w->sink.err = -ENOMEM;
		else
			put_comment_count(w, key.data, losses[i].count);
	}
}

static void put_comments(struct pprof_writer *w)
{
	const struct profile_about *about = profile_about_get(w->profile);

	put_comment(w, PPROF_COMMENT_VERSION, SPPROF_VERSION, strlen(SPPROF_VERSION));
	put_comment_id(w, PPROF_COMMENT_PYTHON, about->python);
	put_comment_id(w, PPROF_COMMENT_PLATFORM, about->platform);
	put_comment_id(w, PPROF_COMMENT_RATES, about->rates);
	put_comment_count(w, PPROF_COMMENT_TAKEN, about->taken);
	put_comment_count(w, PPROF_COMMENT_LOST, about->lost);
	put_losses(w);
	if (about->decimals)
		put_comment_count(w, PPROF_COMMENT_DECIMALS, about->decimals);
	if (about->keeps_order)
		put_comment(w, PPROF_COMMENT_ORDER, "", 0);
}

void pprof_put_about(struct pprof_writer *w)
{
	put_facts(w);
	put_comments(w);
}
