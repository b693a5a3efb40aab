/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of a flame graph, the same in the page and in the picture. */
#ifndef SPPROF_FLAME_COLOURS_H
#define SPPROF_FLAME_COLOURS_H

#include "base/buffer.h"

struct flame_colour {
	const char *name;	  /* of the CSS variable and the class */
	const char *light, *dark; /* "#rrggbb" */
};

/* In order, up to NULL; those of the kinds come first, by enum profile_kind. */
const struct flame_colour *flame_colour_at(unsigned int i);

/* Appends "--python: #…;" and so on for light, or for dark. */
void flame_add_light(struct buffer *out);
void flame_add_dark(struct buffer *out);

/* Functions of one file look alike: 0 to FLAME_SHADES - 1, the lightest first. */
#define FLAME_SHADES 4
unsigned int flame_shade(const char *file, size_t len);

#endif
