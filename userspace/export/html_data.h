/* SPDX-License-Identifier: Apache-2.0 */
/* The profile as the page reads it: JSON of tables, columns of numbers (html_data.c says which). */
#ifndef SPPROF_HTML_DATA_H
#define SPPROF_HTML_DATA_H

#include "base/buffer.h"
#include "profile/profile.h"

/* More boxes than this would only make the page slow; nobody reads them. */
#define HTML_MOST_BOXES 50000

/* Appends @p. 0, -ENOMEM, -ERANGE for a weight below 0, -EOVERFLOW. */
int html_add_data(struct buffer *out, const struct profile *p);

#endif
