/* SPDX-License-Identifier: Apache-2.0 */
/* Texts into profiles, and what is in these, as lines of text. */
#ifndef TEST_IMPORTED_H
#define TEST_IMPORTED_H

#include "import/import.h"

struct import_row {
	char name[64];
	char text[400]; /* the file */
	char expect[400];
	int err;
};

/*
 * Reads @len bytes at @text; fails the test unless that gives @err. Where it is 0, @out
 * gets the format, the unit and a line for each sample in order, as
 * `comm pid/tid| f{python /a.py 3} f 12`, frames root first, without what is not known.
 * Else the reason.
 */
void imported_describe(const char *text, size_t len, int err, struct buffer *out);

/* The lines of the samples alone. */
void imported_describe_samples(const struct profile *p, struct buffer *out);

/* Expects of @row what it says. */
void imported_expect(const struct import_row *row);

/* All of a file of tests/data. */
void imported_file(const char *name, struct buffer *out);

#endif
