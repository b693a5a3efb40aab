/* SPDX-License-Identifier: Apache-2.0 */
/* What import_pprof() takes must be a whole profile: every exporter can write it. */
#include "export/exporter.h"
#include "import/pprof.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct export_options all = { true, true, true };
	int err = 0;
	OWNS(profile) struct profile *p = import_pprof(data, len, &err);

	if ((p != NULL) == (err != 0))
		abort();
	for (unsigned int i = 0; p && exporter_at(i); i++) {
		struct buffer out OWNS(buffer) = { 0 };

		exporter_at(i)->write(p, &all, &out);
	}
	return 0;
}
