/* SPDX-License-Identifier: Apache-2.0 */
/* import_file - a plain file of perf's, and what is asked of it. */
#ifndef SPPROF_IMPORT_FILE_H
#define SPPROF_IMPORT_FILE_H

#include "import/import.h"
#include "import/reason.h"

struct import_file {
	const char *bytes;
	size_t len;
	const struct import_request *request;
};

/* What is before @at will not be read again soon. To be called every megabyte or so. */
static inline void import_passed(const struct import_file *file, const char *at)
{
	if (file->request->passed)
		file->request->passed(file->request->passed_arg, at);
}

/* Number of the event called @name in @facts, which is added if it is not there; or -ENOMEM. */
int import_add_event(struct import_facts *facts, const char *name, size_t len);

/*
 * Chooses facts->event of all events, by what the request says: 0; or -ENOENT, and @why
 * names those there are.
 */
int import_choose_event(const struct import_file *file, struct import_facts *facts,
			struct buffer *why);

/* Appends to @why, if one event of several was chosen, which others there are. */
void import_warn_events(const struct import_file *file, const struct import_facts *facts,
			struct buffer *why);

/* The name of event @i. */
const char *import_event_name(const struct import_facts *facts, uint32_t i);

#endif
