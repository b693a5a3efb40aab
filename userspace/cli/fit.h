/* SPDX-License-Identifier: Apache-2.0 */
/* fit - text for the columns of a terminal, as its locale (LC_CTYPE) counts and shows them. */
#ifndef SPPROF_CLI_FIT_H
#define SPPROF_CLI_FIT_H

#include <stddef.h>
#include <wchar.h>

/*
 * @text, valid UTF-8 and visible, in at most @columns, into @out of @room characters: what is
 * too long is cut in its middle. Where the locale's encoding is not UTF-8, what is not ASCII
 * becomes '?'. Returns the columns that it takes.
 */
int fit_middle(const char *text, int columns, wchar_t *out, size_t room);

#endif
