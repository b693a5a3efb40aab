/* SPDX-License-Identifier: Apache-2.0 */
/* The process runs on meanwhile: a key, computed twice, vouches for what was read between. */
#include "resolve/code_reader.h"

#include "python/pytext.h"
#include "resolve/text_reader.h"
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

static int read_linetable(const struct sp_pylayout *at, uint64_t table, struct buffer *out)
{
	OWNS_MEM uint8_t *bytes = NULL;
	uint64_t length;

	if (sp_read_target(&length, sizeof(length), table + at->var_size))
		return -EFAULT;
	if (length > MOST_LINETABLE_BYTES)
		return -EBADMSG;
	bytes = malloc(length + 1); /* up to 3.9 it may have none */
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
	err = text_read(&walk_seam.reader, at, name, PYTEXT_MAX_CHARS, &out->name);
	if (!err)
		err = text_read(&walk_seam.reader, at, file, PYTEXT_MAX_CHARS, &out->file);
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
