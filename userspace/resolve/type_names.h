/* SPDX-License-Identifier: Apache-2.0 */
/* type_names - what types are called, and the modules that they say they are of. */
#ifndef SPPROF_TYPE_NAMES_H
#define SPPROF_TYPE_NAMES_H

#include "base/buffer.h"
#include "resolve/pyobjects.h"
#include "resolve/type_table.h"

#define TYPE_NAMES_MOST_CHARS 256 /* of each; longer ones are cut there */

struct type_names {
	struct pyobjects objects; /* to look __module__ up with */
	uint32_t hint;
	uint32_t looks_left; /* entries of dicts, in all */
};

/*
 * Appends the names, each with a NUL, both valid UTF-8: what __name__ says, and behind it the
 * module's, which is empty if it is not known. 0; -EFAULT or -EBADMSG if they are not there any
 * more; -ENOMEM, -ESRCH, -EPERM.
 */
int type_names_read(struct type_names *n, const struct object_type *type, struct buffer *out);

/* Of what tp_name says: "a.b.C" is C of a.b, "int" is int of builtins. As type_names_read(). */
void type_names_split(const char *full, size_t len, struct buffer *name, struct buffer *module);

#endif
