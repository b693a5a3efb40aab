/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope_reader - a speedscope file on its way into a profile. */
#ifndef SPPROF_SPEEDSCOPE_READER_H
#define SPPROF_SPEEDSCOPE_READER_H

#include "import/json_reader.h"
#include "import/stack_builder.h"
#include "import/weights.h"

/* One of the file's profiles: where its parts are in the text. NULL: it has none such. */
struct speedscope_part {
	struct json_text name, unit, type;
	const char *samples, *weights, *events;
};

struct speedscope_reader {
	struct json json;
	struct profile *profile;
	struct stack_builder builder;
	struct weights weights;
	profile_id *frames; /* by their index in the file */
	uint32_t frame_count;
	struct speedscope_part *parts;
	size_t part_count;
};

/* `shared.frames` of the object at hand. 0 or an error. */
int speedscope_add_frames(struct speedscope_reader *r);

/* What the numbers of @part need, in units of 10^@power. 0 or an error. */
int speedscope_see_part(struct speedscope_reader *r, const struct speedscope_part *part, int power);

/* The samples of @part. 0 or an error. */
int speedscope_add_part(struct speedscope_reader *r, const struct speedscope_part *part, int power);

/* @text without its escapes as a string of the profile. */
int speedscope_add_text(struct speedscope_reader *r, const struct json_text *text, profile_id *id);

#endif
