/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

void buffer_fini(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){ 0 };
}

/* Makes room for @more bytes and a NUL: 0, or the error, which stays. */
static int make_room(struct buffer *b, size_t more)
{
	size_t need = b->len + more + 1; /* wraps only where @more is no length of an object */
	size_t room = b->room ? b->room : 256;
	char *grown;

	if (b->err)
		return b->err;
	if (more <= PTRDIFF_MAX && need <= b->room)
		return 0;
	while (room < need && room <= SIZE_MAX / 2)
		room *= 2;
	grown = more <= PTRDIFF_MAX && room >= need ? realloc(b->data, room) : NULL;
	if (!grown)
		return b->err = -ENOMEM;
	b->data = grown;
	b->room = room;
	return 0;
}

void buffer_add(struct buffer *b, const void *data, size_t len)
{
	if (make_room(b, len))
		return;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buffer_add_text(struct buffer *b, const char *text)
{
	buffer_add(b, text, strlen(text));
}

void buffer_print(struct buffer *b, const char *format, ...)
{
	va_list args, again;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		b->err = -ENOMEM;
	else if (!make_room(b, len))
		b->len += vsnprintf(b->data + b->len, b->room - b->len, format, again);
	va_end(again);
}

int buffer_error(const struct buffer *b)
{
	return b->err;
}
