/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flame_colours.h"
#include "profile/profile.h"

#include <xxhash.h>

/* Text in --ink is readable on each of them: a contrast of 4.5 and more. */
static const struct flame_colour colours[] = {
	[PROFILE_PYTHON] = { "python", "#f5a742", "#8a4a0f" },
	[PROFILE_NATIVE] = { "native", "#6fb7e0", "#1d5a80" },
	[PROFILE_KERNEL] = { "kernel", "#c3a1ea", "#643d94" },
	[PROFILE_UNKNOWN] = { "unknown", "#b4bcc4", "#525a63" },
	{ "small", "#dcdcd6", "#3a3d40" },
	{ "match", "#ff7fc4", "#b01c78" },
	{ "paper", "#ffffff", "#17191c" },
	{ "ink", "#16181a", "#f2f3f4" },
};

const struct flame_colour *flame_colour_at(unsigned int i)
{
	return i < sizeof(colours) / sizeof(*colours) ? &colours[i] : NULL;
}

void flame_add_light(struct buffer *out)
{
	for (unsigned int i = 0; flame_colour_at(i); i++)
		buffer_print(out, "--%s: %s; ", colours[i].name, colours[i].light);
}

void flame_add_dark(struct buffer *out)
{
	for (unsigned int i = 0; flame_colour_at(i); i++)
		buffer_print(out, "--%s: %s; ", colours[i].name, colours[i].dark);
}

unsigned int flame_shade(const char *file, size_t len)
{
	return XXH3_64bits(file, len) % FLAME_SHADES;
}
