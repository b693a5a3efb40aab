/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of anybody in a page and in a picture. Control characters and bidirectional controls
 * become visible (\xNN, \uNNNN) in both, so neither shows anything but text.
 */
#ifndef SPPROF_FLAME_TEXT_H
#define SPPROF_FLAME_TEXT_H

#include "base/buffer.h"
#include "profile/profile.h"

/* Appends @text (valid UTF-8, NULs allowed), visible. */
void flame_add_visible(struct buffer *out, const char *text, size_t len);

/* Appends a string of @p, visible. */
void flame_add_string(struct buffer *out, const struct profile *p, profile_id string);

/* Appends visible @text as XML or HTML text, or between quotes there. */
void flame_add_markup(struct buffer *out, const char *text, size_t len);

/* Appends visible @text as a JSON string, in quotes, that cannot end a script element. */
void flame_add_json(struct buffer *out, const char *text, size_t len);

#endif
