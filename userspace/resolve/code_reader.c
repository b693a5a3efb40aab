/* SPDX-License-Identifier: Apache-2.0 */
/* The process runs on meanwhile: a key, computed twice, vouches for what was read between. */
#include "resolve/code_reader.h"

#include "python/pytext.h"
#include "resolve/walk_target.h"

#include <errno.h>
#include <string.h>

#define MOST_LINETABLE_BYTES (1 << 20)

void code_text_fini(struct code_text *t)
{
	buffer_fini(&t->name);
	buffer_fini(&t->file);
	buffer_fini(&t->linetable);
}

void code_text_add(struct buffer *out, const uint8_t *data, size_t stored, uint8_t width,
		   uint32_t length)
{
	OWNS(buffer) struct buffer text = { .data = NULL };
	const char *at, *nul;
	size_t left;

	pytext_add(&text, data, stored, width, length);
	at = text.data;
	left = text.len;
	while (left && (nul = memchr(at, 0, left))) {
		buffer_add(out, at, nul - at);
		buffer_add_text(out, "\xef\xbf\xbd"); /* U+FFFD */
		left -= nul + 1 - at;
		at = nul + 1;
	}
	if (left)
		buffer_add(out, at, left);
	if (buffer_error(&text))
		out->err = buffer_error(&text);
}

static int read_text(const struct sp_pylayout *at, uint64_t string, struct buffer *out)
{
	uint8_t data[PYTEXT_MAX_CHARS * 4];
	struct pytext_state state;
	uint64_t length, chars;
	uint32_t word;

	if (sp_read_target(&length, sizeof(length), string + at->unicode_length) ||
	    sp_read_target(&word, sizeof(word), string + at->unicode_state))
		return -EFAULT;
	if (length > INT32_MAX || pytext_decode_state(word, &state) || !state.is_compact)
		return -EBADMSG;
	chars = length > PYTEXT_MAX_CHARS ? PYTEXT_MAX_CHARS : length;
	string += state.is_ascii ? at->ascii_size : at->compact_size;
	if (sp_read_target(data, chars * state.width, string))
		return -EFAULT;
	code_text_add(out, data, chars * state.width, state.width, length);
	return buffer_error(out);
}

static int read_linetable(const struct sp_pylayout *at, uint64_t table, struct buffer *out)
{
	OWNS_MEM uint8_t *bytes = NULL;
	uint64_t length;

	if (sp_read_target(&length, sizeof(length), table + at->var_size))
		return -EFAULT;
	if (!length || length > MOST_LINETABLE_BYTES)
		return -EBADMSG;
	bytes = malloc(length);
	if (!bytes)
		return -ENOMEM;
	if (sp_read_target(bytes, length, table + at->bytes_data))
		return -EFAULT;
	buffer_add(out, bytes, length);
	return buffer_error(out);
}

static int read_fields(const struct sp_pylayout *at, uint64_t code, struct code_text *out)
{
	uint64_t name, file, table;
	int err;

	if (sp_read_target(&out->first_line, sizeof(out->first_line),
			   code + at->code_firstlineno) ||
	    sp_read_target(&name, sizeof(name), code + at->code_qualname) ||
	    sp_read_target(&file, sizeof(file), code + at->code_filename) ||
	    sp_read_target(&table, sizeof(table), code + at->code_linetable))
		return -EFAULT;
	err = read_text(at, name, &out->name);
	if (!err)
		err = read_text(at, file, &out->file);
	return err ? err : read_linetable(at, table, &out->linetable);
}

int code_read(pid_t pid, const struct sp_pylayout *at, uint64_t code, uint32_t key,
	      struct code_text *out)
{
	OWNS(code_text) struct code_text text = { .first_line = 0 };
	const struct sp_frame sampled = { .code = code, .key = key };
	uint64_t address = SP_CODE_ADDRESS(code), whole_key = sp_frame_key(&sampled);
	struct sp_keys keys;
	int err;

	walk_from(target_reader_of(&pid));
	if (!whole_key || sp_code_key(at, address, &keys) != whole_key)
		return walk_error() ? walk_error() : -ESTALE;
	err = read_fields(at, address, &text);
	if (err)
		return walk_error() ? walk_error() : err;
	if (sp_code_key(at, address, &keys) != whole_key)
		return -ESTALE;
	*out = text;
	text = (struct code_text){ .first_line = 0 };
	return 0;
}
