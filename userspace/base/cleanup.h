/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership, visible in the declaration:
 *
 *	OWNS(buffer) struct buffer *b = buffer_new();	freed at the end of the scope
 *	OWNS_FD int fd = -1;				closed there
 *	return TAKE(b);					handed to the caller
 *
 * A module with a `type_free(struct type *)` says DEFINE_OWNS(type) in its header.
 */
#ifndef SPPROF_CLEANUP_H
#define SPPROF_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OWNS(type) __attribute__((cleanup(type##_cleanup)))
#define OWNS_FD __attribute__((cleanup(fd_cleanup)))
#define OWNS_MEM __attribute__((cleanup(mem_cleanup)))
#define OWNS_FILE __attribute__((cleanup(file_cleanup)))

#define TAKE(p)                            \
	({                                 \
		__typeof__(p) take_ = (p); \
		(p) = NULL;                \
		take_;                     \
	})
#define TAKE_FD(fd)               \
	({                        \
		int take_ = (fd); \
		(fd) = -1;        \
		take_;            \
	})

#define DEFINE_OWNS(type)                                  \
	static inline void type##_cleanup(struct type **p) \
	{                                                  \
		type##_free(*p);                           \
	}                                                  \
	_Static_assert(1, "takes the semicolon")

static inline void fd_cleanup(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void mem_cleanup(void *p)
{
	free(*(void **)p);
}

static inline void file_cleanup(FILE **f)
{
	if (*f)
		fclose(*f);
}

#endif
