/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pyobjects - dicts, attributes and ints of a running Python, read from outside. Every function
 * returns 0; -EBADMSG, or -EFAULT, if what is there is none of that kind, or changes meanwhile;
 * or what else the reader says.
 */
#ifndef SPPROF_PYOBJECTS_H
#define SPPROF_PYOBJECTS_H

#include "python/pynames_layout.h"
#include "resolve/target_memory.h"

#define PYOBJECTS_MOST_LOOKED_AT 50000 /* entries of dicts, in the life of a struct pyobjects */

/* One reading. */
struct pyobjects {
	struct target_reader memory;
	const struct sp_pylayout *layout;
	struct pynames_layout at;
	uint32_t looked_at;

	/* Met so far; 0: none. */
	uint64_t dict_type, text_type, int_type;
	struct pyobjects_type {
		uint64_t address;
		uint64_t flags;
		uint64_t basicsize;
		int64_t dictoffset;
		uint64_t cached_keys;
	} type;
};

struct pyobjects_dict {
	uint64_t entries;
	uint64_t values; /* 0: with the keys */
	struct pydict_keys keys;
};

int pyobjects_word(const struct pyobjects *r, uint64_t address, uint64_t *out);

/* The dict at @object, which may not be of a class of its own. */
int pyobjects_open_dict(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out);

/* What @object keeps its attributes in. */
int pyobjects_open_attributes(struct pyobjects *r, uint64_t object, struct pyobjects_dict *out);

/* Pointers to the key and the value of the entry number @i; one that is not in use has 0. */
int pyobjects_entry(struct pyobjects *r, const struct pyobjects_dict *d, uint32_t i, uint64_t *key,
		    uint64_t *value);

/*
 * The value of @name, which is ASCII. Also -ENOENT. *@hint is the number of the entry where it
 * was found last, and is tried first.
 */
int pyobjects_find(struct pyobjects *r, const struct pyobjects_dict *d, const char *name,
		   uint32_t *hint, uint64_t *value);

/* That it is a str. */
int pyobjects_check_text(struct pyobjects *r, uint64_t object);

/* The value of an int that is not negative. */
int pyobjects_int(struct pyobjects *r, uint64_t object, uint64_t *out);

#endif
