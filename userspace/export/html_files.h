/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page that are the same for every profile: files of export/flamegraph/. */
#ifndef SPPROF_HTML_FILES_H
#define SPPROF_HTML_FILES_H

#include <stddef.h>

struct html_file {
	const char *text; /* not NUL-terminated */
	size_t len;
};

struct html_file html_page(void);
struct html_file html_style(void);

/* The scripts in the order in which they run; one without text comes after the last. */
struct html_file html_script(unsigned int i);

#endif
