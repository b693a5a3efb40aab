/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer - bytes that grow.
 *
 * The error is sticky: after a failed addition every later one does nothing, so
 * a writer adds without looking and asks buffer_error() once, at the end.
 */
#ifndef SPPROF_BUFFER_H
#define SPPROF_BUFFER_H

#include "base/cleanup.h"

#include <stddef.h>

struct buffer {
	char *data; /* NULL while empty; always has a NUL after @len bytes */
	size_t len;
	size_t room;
	int err; /* 0 or -ENOMEM */
};

/* Zeroed memory is an empty buffer. */
void buffer_fini(struct buffer *b);
void buffer_add(struct buffer *b, const void *data, size_t len);
void buffer_add_text(struct buffer *b, const char *text);
void buffer_print(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 0 or -ENOMEM: whether everything that was added is there. */
int buffer_error(const struct buffer *b);

static inline void buffer_cleanup(struct buffer *b)
{
	buffer_fini(b);
}

#endif
