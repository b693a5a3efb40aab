/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/type_names.h"

#include "base/utf8.h"
#include "resolve/text_reader.h"

#include <errno.h>
#include <string.h>

#define MOST_BYTES (4 * TYPE_NAMES_MOST_CHARS)
#define READ_BYTES 64

void type_names_split(const char *full, size_t len, struct buffer *name, struct buffer *module)
{
	const char *dot = len ? memrchr(full, '.', len) : NULL;
	size_t before = dot ? (size_t)(dot - full) : 0;

	if (!dot || before + 1 == len) {
		utf8_repair(name, full, len);
		buffer_add_text(module, dot ? "" : "builtins");
		return;
	}
	utf8_repair(name, dot + 1, len - before - 1);
	utf8_repair(module, full, before);
}

/* The C string at @address, as far as it goes; what follows it may not be mapped. */
static int read_string(const struct target_reader *memory, uint64_t address, char *text,
		       size_t *len)
{
	for (*len = 0; *len < MOST_BYTES;) {
		size_t part = READ_BYTES - (address + *len) % READ_BYTES;
		const char *nul;
		int err;

		if (part > MOST_BYTES - *len)
			part = MOST_BYTES - *len;
		err = memory->read(memory->ctx, address + *len, text + *len, part);
		if (err)
			return err;
		nul = memchr(text + *len, 0, part);
		if (nul) {
			*len = nul - text;
			return *len ? 0 : -EBADMSG;
		}
		*len += part;
	}
	return 0;
}

/* What a class made by a class statement, or by PyType_FromSpec(), has for its __module__. */
static int read_module(struct type_names *n, uint64_t dict, struct buffer *out)
{
	struct pyobjects_dict open;
	uint64_t module;
	int err;

	if (!n->looks_left)
		return -EBADMSG;
	n->objects.looked_at = 0;
	err = pyobjects_open_dict(&n->objects, dict, &open);
	if (!err)
		err = pyobjects_find(&n->objects, &open, "__module__", &n->hint, &module);
	n->looks_left -=
		n->objects.looked_at < n->looks_left ? n->objects.looked_at : n->looks_left;
	if (!err)
		err = pyobjects_check_text(&n->objects, module);
	if (!err)
		err = text_read(&n->objects.memory, n->objects.layout, module,
				TYPE_NAMES_MOST_CHARS, out);
	return err;
}

static bool is_torn(int err)
{
	return err == -EBADMSG || err == -EFAULT || err == -ENOENT;
}

int type_names_read(struct type_names *n, const struct object_type *type, struct buffer *out)
{
	OWNS(buffer) struct buffer said = { .data = NULL }, kept = { .data = NULL };
	char full[MOST_BYTES];
	size_t len;
	int err = read_string(&n->objects.memory, type->name, full, &len);

	if (err)
		return err;
	type_names_split(full, len, out, &said);
	buffer_add(out, "", 1);
	err = type->flags & OBJECT_TYPE_ON_HEAP ? read_module(n, type->dict, &kept) : -ENOENT;
	if (err && !is_torn(err))
		return err;
	if (err && type->flags & OBJECT_TYPE_ON_HEAP && !memchr(full, '.', len))
		said.len = 0; /* not builtins */
	if (err)
		buffer_add(out, said.len ? said.data : "", said.len);
	else
		buffer_add(out, kept.len ? kept.data : "", kept.len);
	buffer_add(out, "", 1);
	return buffer_error(&said) ? buffer_error(&said) : buffer_error(out);
}
