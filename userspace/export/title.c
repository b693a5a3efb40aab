/* SPDX-License-Identifier: Apache-2.0 */
#include "export/title.h"

#include <inttypes.h>

static void add_string(struct buffer *out, const struct profile *p, profile_id string)
{
	buffer_add(out, profile_string(p, string), profile_string_len(p, string));
}

void title_add(struct buffer *out, const struct profile *p)
{
	uint32_t count;
	const struct profile_thread *threads = profile_threads(p, &count);
	bool is_one_process = count > 0;

	for (uint32_t i = 1; i < count; i++)
		if (threads[i].pid != threads[0].pid)
			is_one_process = false;
	if (!is_one_process) {
		buffer_add_text(out, count ? "several processes" : "no samples");
		return;
	}
	add_string(out, p, threads[0].process);
	buffer_print(out, "%s%" PRIu32, threads[0].process ? " " : "", threads[0].pid);
}

void title_add_thread(struct buffer *out, const struct profile *p, const struct profile_thread *t)
{
	if (t->process) {
		add_string(out, p, t->process);
		buffer_add_text(out, " ");
	}
	buffer_print(out, "%" PRIu32 "/%" PRIu32, t->pid, t->tid);
	if (t->name) {
		buffer_add_text(out, " ");
		add_string(out, p, t->name);
	}
}
