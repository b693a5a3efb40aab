/* SPDX-License-Identifier: Apache-2.0 */
/* What every reader of a format promises, whatever the bytes. */
#ifndef FUZZ_IMPORTED_H
#define FUZZ_IMPORTED_H

#include "export/exporter.h"
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef int import_function(const void *bytes, size_t len, struct profile *out, struct buffer *why);

/* An error has a reason of one line; what was read can be written, and be read again. */
static inline void fuzz_import(import_function *read, const uint8_t *data, size_t len)
{
	static const struct export_options usual;
	OWNS(profile) struct profile *p = profile_new(), *again = profile_new();
	struct buffer why OWNS(buffer) = { 0 }, file OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	int err = read(data, len, p, &why);

	if (err && (!why.len || memchr(why.data, '\n', why.len)))
		abort();
	if (err && err != -EBADMSG && err != -E2BIG && err != -ENOTSUP)
		abort();
	if (err || export_pprof.write(p, &usual, &file))
		return;
	why.len = 0;
	if (import_profile(file.data, file.len, NULL, again, &facts, &why) ||
	    facts.kind != IMPORT_PPROF)
		abort();
}

#endif
