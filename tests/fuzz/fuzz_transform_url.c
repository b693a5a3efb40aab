/* SPDX-License-Identifier: Apache-2.0 */
/* What is read from a URL is written to one that reads the same, and can be applied. */
#include "calltree/history.h"
#include "calltree/transform_url.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 50

static profile_id add_text(struct profile *p, char letter, int number)
{
	char text[3] = { letter, 'A' + number, '\0' };
	profile_id id;

	if (profile_add_string(p, text, 2, &id))
		abort();
	return id;
}

/* One stack of functions, each with a category; two have one name. */
static struct history *make_history(void)
{
	static const struct tree_fill as_it_is = { 0 };
	struct profile *p OWNS(profile) = profile_new();
	struct profile_thread thread = { 0 };
	struct profile_sample sample = { .stack = PROFILE_NONE, .weight = 1, .count = 1 };

	if (profile_add_thread(p, &thread, &sample.thread))
		abort();
	for (int i = 0; i < FUNCTIONS; i++) {
		struct profile_function f = { .name = add_text(p, 'f', i ? i : 1),
					      .file = add_text(p, 'm', i / 4),
					      .kind = i % 3 };
		struct profile_frame frame = { .category = add_text(p, 'c', i / 3) };
		struct profile_stack row = { .prefix = sample.stack };

		f.file = i ? f.file : 0;
		if (profile_add_function(p, &f, &frame.function) ||
		    profile_add_frame(p, &frame, &row.frame) ||
		    profile_add_stack(p, &row, &sample.stack))
			abort();
	}
	if (profile_add_sample(p, &sample))
		abort();
	return history_new(p, &as_it_is);
}

static void apply_all(struct history *h, const struct transform_list *list)
{
	for (uint32_t i = 0; i < list->count && i < 8; i++) {
		struct buffer why OWNS(buffer) = { 0 };

		history_push(h, &list->transforms[i], TRANSFORM_MAY_MISS, &why);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct history *h OWNS(history) = make_history();
	const struct tree_stacks *first = history_first_stacks(h);
	struct transform_list list OWNS(transform_list) = { 0 };
	struct transform_list again OWNS(transform_list) = { 0 };
	struct buffer url OWNS(buffer) = { 0 };
	struct buffer url_again OWNS(buffer) = { 0 };
	uint32_t skipped;

	buffer_add_text(&url, "");
	buffer_add_text(&url_again, "");
	if (transform_url_read((const char *)data, len, first, &list) ||
	    transform_url_write(&list, first, &url, &skipped))
		abort();
	if (transform_url_read(url.data, url.len, first, &again) || again.skipped ||
	    again.count + skipped != list.count ||
	    transform_url_write(&again, first, &url_again, &skipped))
		abort();
	if (skipped || strcmp(url.data, url_again.data))
		abort();
	apply_all(h, &list);
	return 0;
}
