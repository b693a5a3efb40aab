/* SPDX-License-Identifier: Apache-2.0 */
#include "import/object_names.h"

#include "base/utf8.h"
#include "import/reason.h"
#include "native/demangle.h"

#include <string.h>

void object_names_fini(struct object_names *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->names[i]);
	free(n->names);
	*n = (struct object_names){ 0 };
}

static char *make(const char *name, const char *suffix, struct buffer *text)
{
	OWNS(buffer) struct buffer repaired = { 0 };

	text->len = 0;
	if (strnlen(name, IMPORT_MAX_NAME) == IMPORT_MAX_NAME)
		buffer_add(text, name, IMPORT_MAX_NAME);
	else
		(void)demangle_add(name, text);
	buffer_add_text(text, suffix);
	if (buffer_error(text))
		return NULL;
	if (utf8_is_valid(text->data, text->len))
		return strdup(text->data);
	utf8_repair(&repaired, text->data, text->len);
	return buffer_error(&repaired) ? NULL : strdup(repaired.data);
}

const char *object_names_get(struct object_names *n, uint32_t number, uint32_t count,
			     const char *name, const char *suffix, struct buffer *text)
{
	if (!n->names) {
		n->names = calloc(count, sizeof(*n->names));
		if (!n->names)
			return NULL;
		n->count = count;
		n->bytes = count * sizeof(*n->names);
	}
	if (!n->names[number]) {
		n->names[number] = make(name, suffix, text);
		n->bytes += n->names[number] ? strlen(n->names[number]) + 1 : 0;
	}
	return n->names[number];
}
