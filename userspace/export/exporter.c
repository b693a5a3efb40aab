/* SPDX-License-Identifier: Apache-2.0 */
#include "export/exporter.h"

#include <string.h>

/* To add a format: write export/<name>.c, declare it in exporter.h, list it here. */
static const struct exporter *const exporters[] = {
	&export_speedscope, &export_collapsed, &export_pprof, &export_html, &export_svg,
};

#define EXPORTERS (sizeof(exporters) / sizeof(*exporters))

const struct exporter *exporter_at(unsigned int i)
{
	return i < EXPORTERS ? exporters[i] : NULL;
}

const struct exporter *exporter_find(const char *name)
{
	for (unsigned int i = 0; i < EXPORTERS; i++)
		if (strcmp(exporters[i]->name, name) == 0)
			return exporters[i];
	return NULL;
}
