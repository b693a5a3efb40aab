/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-check, objects: types know their own sizes, so a code object, a string and a
 * table of lines say themselves where their contents begin.
 * Source: CPython Include/cpython/{object,code,unicodeobject,bytesobject}.h, 3.8 to 3.14.
 */
#include "resolve/check_objects.h"
#include "resolve/check_parts.h"

#include "base/cleanup.h"
#include "python/linetable.h"
#include "python/pytext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CODE_UNIT_BYTES 2
#define MOST_CODE_UNITS (1 << 24)
#define MOST_LINETABLE_BYTES (1 << 22)
#define MOST_FIRST_LINE (1 << 26)
#define TEXT_ROOM 256 /* longer texts are not looked into */
#define MODULE "<module>"

struct type_sizes {
	int64_t basic; /* tp_basicsize */
	int64_t item;  /* tp_itemsize */
};

/* Whether @object's type has that name. */
static bool is_of_type(const struct check *c, uint64_t object, const char *name,
		       struct type_sizes *sizes)
{
	struct {
		uint64_t name; /* tp_name follows PyObject_VAR_HEAD */
		struct type_sizes sizes;
	} type;
	char text[8];
	uint64_t at;
	size_t len = strlen(name) + 1;

	if (check_read(c, object + c->at->object_type, &at, sizeof(at)) || at & 7 ||
	    check_read(c, at + c->at->object_type + 16, &type, sizeof(type)) ||
	    len > sizeof(text) || check_read(c, type.name, text, len))
		return false;
	*sizes = type.sizes;
	return !memcmp(text, name, len);
}

static bool is_zero(const uint8_t *unit, uint8_t width)
{
	static const uint8_t zeros[4];

	return !memcmp(unit, zeros, width);
}

/* Any text is followed by a zero, and few have one inside: so it cannot lie 8 bytes off. */
static int check_text(struct check *c, uint64_t data, uint64_t length, uint8_t width,
		      char text[TEXT_ROOM])
{
	uint8_t units[TEXT_ROOM];
	uint64_t bytes = length * width;

	if (bytes + width > sizeof(units)) {
		if (check_read(c, data + bytes, units, width) || !is_zero(units, width))
			return REFUSE(c, NOT_THERE("the text of a string"));
		return 0;
	}
	if (check_read(c, data, units, bytes + width) || !is_zero(units + bytes, width))
		return REFUSE(c, NOT_THERE("the text of a string"));
	if (width == 1)
		memcpy(text, units, bytes + 1);
	for (uint64_t i = 0; i < bytes; i += width) {
		if (is_zero(units + i, width)) {
			c->torn_texts++;
			return 0;
		}
	}
	c->whole_texts++;
	return 0;
}

/* @text: the string's, if it is short and has one byte a character, else "". */
static int check_string(struct check *c, uint64_t string, const char *field, char text[TEXT_ROOM])
{
	struct pytext_state state;
	struct type_sizes sizes;
	uint64_t length;
	uint32_t word;

	text[0] = 0;
	if (!is_of_type(c, string, "str", &sizes))
		return REFUSE(c, field);
	if (sizes.basic != c->at->compact_size + 8) /* PyUnicodeObject adds one pointer */
		return REFUSE(c, NOT_THERE("the text of a compact string"));
	if (check_read(c, string + c->at->unicode_state, &word, sizeof(word)) ||
	    pytext_decode_state(word, c->at->unicode_kind, &state))
		return REFUSE(c, NOT_THERE("PyASCIIObject.state"));
	if (check_read(c, string + c->at->unicode_length, &length, sizeof(length)) ||
	    length > INT32_MAX)
		return REFUSE(c, NOT_THERE("PyASCIIObject.length"));
	if (!state.is_compact)
		return 0;
	string += state.is_ascii ? c->at->ascii_size : c->at->compact_size;
	return check_text(c, string, length, state.width, text);
}

static int check_bytes(struct check *c, uint64_t object, const char *field, int64_t *length)
{
	struct type_sizes sizes;

	if (!is_of_type(c, object, "bytes", &sizes))
		return REFUSE(c, field);
	if (sizes.basic != c->at->bytes_data + 1) /* ob_sval[1] */
		return REFUSE(c, NOT_THERE("PyBytesObject.ob_sval"));
	if (check_read(c, object + c->at->var_size, length, sizeof(*length)) || *length < 0)
		return REFUSE(c, NOT_THERE("PyVarObject.ob_size"));
	return 0;
}

static int check_linetable(struct check *c, uint64_t table, int64_t units)
{
	enum linetable_kind kind = linetable_kind_of(c->at->version);
	OWNS_MEM uint8_t *bytes = NULL;
	int64_t length, told;
	int err = check_bytes(c, table, NOT_THERE("co_linetable"), &length);

	if (err)
		return err;
	if (length > MOST_LINETABLE_BYTES)
		return REFUSE(c, NOT_THERE("PyVarObject.ob_size"));
	bytes = malloc(length + 1);
	if (!bytes)
		return -ENOMEM;
	if (check_read(c, table + c->at->bytes_data, bytes, length))
		return REFUSE(c, NOT_THERE("PyBytesObject.ob_sval"));
	told = linetable_units(kind, bytes, length);
	if (told < 0 || told > units || (told < units && kind != LINETABLE_LNOTAB))
		return REFUSE(c, NOT_THERE("PyBytesObject.ob_sval"));
	return 0;
}

/* Names, table and first line of what is known to be a code object of @units units. */
static int check_code_fields(struct check *c, uint64_t code, int64_t units)
{
	const struct sp_pylayout *at = c->at;
	char name[TEXT_ROOM], file[TEXT_ROOM];
	uint64_t filename, qualname, linetable;
	int32_t first_line;
	int err;

	if (check_read(c, code + at->code_filename, &filename, sizeof(filename)) ||
	    check_read(c, code + at->code_qualname, &qualname, sizeof(qualname)) ||
	    check_read(c, code + at->code_linetable, &linetable, sizeof(linetable)) ||
	    check_read(c, code + at->code_firstlineno, &first_line, sizeof(first_line)))
		return REFUSE(c, "a code object cannot be read");
	err = check_string(c, filename, NOT_THERE("co_filename"), file);
	if (!err)
		err = check_string(c, qualname, NOT_THERE("co_qualname"), name);
	if (!err)
		err = check_linetable(c, linetable, units);
	if (err)
		return err;
	if (first_line < 0 || first_line > MOST_FIRST_LINE)
		return REFUSE(c, NOT_THERE("co_firstlineno"));
	if (!strcmp(name, MODULE)) {
		c->modules++;
		c->modules_at_one += first_line == 1;
		c->modules_in_file += strcmp(file, MODULE) != 0;
	}
	return 0;
}

static int check_bytecode(struct check *c, uint64_t code, const struct type_sizes *sizes,
			  int64_t *units)
{
	if (sizes->basic != c->at->code_bytecode || sizes->item != CODE_UNIT_BYTES)
		return REFUSE(c, NOT_THERE("co_code_adaptive"));
	if (check_read(c, code + c->at->var_size, units, sizeof(*units)))
		return REFUSE(c, NOT_THERE("PyVarObject.ob_size"));
	return 0;
}

/* Up to 3.10 it is an object of its own, which tells where its neighbour co_firstlineno is. */
static int check_old_bytecode(struct check *c, uint64_t code, const struct type_sizes *sizes,
			      int64_t *units)
{
	uint64_t bytecode;
	int err;

	if (sizes->basic != c->at->code_linetable + OLD_CODE_AFTER_LINETABLE)
		return REFUSE(c, NOT_THERE("co_linetable"));
	if (check_read(c, code + (c->at->code_firstlineno & ~7u) + OLD_CODE_BEHIND_LINE, &bytecode,
		       sizeof(bytecode)))
		return REFUSE(c, NOT_THERE("co_firstlineno"));
	err = check_bytes(c, bytecode, NOT_THERE("co_firstlineno"), units);
	*units /= CODE_UNIT_BYTES;
	return err;
}

int check_frame_object(struct check *c, uint64_t frame)
{
	struct type_sizes sizes;

	if (!is_of_type(c, frame, "frame", &sizes))
		return REFUSE(c, NOT_THERE("the chain of frames"));
	if (sizes.basic != c->at->frame_instr + OLD_FRAME_AFTER_LASTI)
		return REFUSE(c, NOT_THERE("the instruction of a frame"));
	return 0;
}

int check_code(struct check *c, uint64_t code, int64_t *units)
{
	size_t slot = (code >> 4) % CHECKED_CODES;
	struct type_sizes sizes;
	int err;

	if (c->codes[slot].code == code) {
		*units = c->codes[slot].units;
		return 0;
	}
	if (!is_of_type(c, code, "code", &sizes))
		return REFUSE(c, NOT_THERE("the code object of a frame"));
	err = has_frame_objects(c) ? check_old_bytecode(c, code, &sizes, units)
				   : check_bytecode(c, code, &sizes, units);
	if (err)
		return err;
	if (*units < 1 || *units > MOST_CODE_UNITS)
		return REFUSE(c, NOT_THERE("PyVarObject.ob_size"));
	err = check_code_fields(c, code, *units);
	if (err)
		return err;
	c->codes[slot].code = code;
	c->codes[slot].units = *units;
	return 0;
}
