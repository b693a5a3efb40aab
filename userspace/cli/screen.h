/* SPDX-License-Identifier: Apache-2.0 */
/* screen - the terminal that a text is for: its width and its colours. */
#ifndef SPPROF_CLI_SCREEN_H
#define SPPROF_CLI_SCREEN_H

#include "base/buffer.h"
#include "profile/profile.h"

struct screen {
	int columns; /* 0: none, nothing is cut */
	bool has_colours;
};

/* Of standard output; sets the locale by which a terminal's characters are counted. */
struct screen screen_of_stdout(void);

/*
 * Appends @name (visible), a function of @kind, in its colour, and a newline; what does not
 * fit behind the first @used columns is cut in its middle.
 */
void screen_add_name(const struct screen *screen, const char *name, enum profile_kind kind,
		     int used, struct buffer *out);

#endif
