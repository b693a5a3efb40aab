/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pylayout.h"

#include "python/debug_offsets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#define OLDEST_MINOR 8
#define FIRST_THREAD_LOCAL 15
#define NEWEST_MINOR 15
#define LEVEL_FINAL 0xf
#define VERSION_BEHIND_LINE 24 /* co_version from co_firstlineno; it is in no table */

/*
 * PyASCIIObject.state: interned, then kind, compact, ascii. Of two bits, but in free-threaded
 * builds from 3.14 on a byte, as it changes while others read.
 */
#define KIND_BIT 2
#define KIND_BIT_BEHIND_BYTE 8
#define FIRST_INTERNED_BYTE 14

/* All but free-threaded builds from 3.14 on have one copy of a code object's bytecode. */
#define ONE_BYTECODE .frame_tlbc_index = SP_NO_FIELD, .code_tlbc = SP_NO_FIELD

/* 3.8 to 3.10 agree in these, and a code object has no more names than co_name. */
#define OLD_THREADS                                                                  \
	.runtime_interpreters_head = 32, .interp_threads_head = 8, .tstate_prev = 0, \
	.tstate_next = 8, .tstate_interp = 16, .tstate_cframe = SP_NO_FIELD,         \
	.tstate_current_frame = 24, /* frame */                                      \
		.tstate_thread_id = 176, .tstate_native_thread_id = SP_NO_FIELD,     \
	.tstate_datastack_chunk = SP_NO_FIELD, .cframe_current_frame = SP_NO_FIELD
#define OLD_OBJECTS                                                                               \
	.frame_executable = 32,	      /* f_code */                                                \
		.frame_previous = 24, /* f_back */                                                \
		.frame_owner = SP_NO_FIELD, ONE_BYTECODE, .code_firstlineno = 40,                 \
	.code_filename = 104, .code_qualname = 112, /* co_name */                                 \
		.code_linetable = 120, .code_bytecode = SP_NO_FIELD, .code_version = SP_NO_FIELD, \
	.object_type = 8, .var_size = 16, .bytes_data = 32, .unicode_length = 16,                 \
	.unicode_state = 32, .ascii_size = 48, .compact_size = 72, .unicode_kind = KIND_BIT,      \
	.owner_shim = SP_OWNER_NONE

static const struct pylayout_row {
	unsigned int minor;
	const char *source; /* where a reviewer can check the numbers */
	struct sp_pylayout at;
} rows[] = {
	{
		.minor = 8,
		.source = "cpython v3.8.0 Include/internal/pycore_runtime.h, pycore_pystate.h, "
			  "Include/cpython/pystate.h, unicodeobject.h, Include/code.h, frameobject.h",
		.at = {
			OLD_THREADS,
			.runtime_autotsskey = 1392,
			.runtime_tstate_current = 1368,
			OLD_OBJECTS,
			.frame_instr = 104, /* f_lasti */
			.frame_instr_kind = SP_INSTR_LASTI_BYTES,
		},
	},
	{
		.minor = 9,
		.source = "cpython v3.9.0 Include/internal/pycore_runtime.h, pycore_interp.h, "
			  "Include/cpython/pystate.h, code.h, frameobject.h, unicodeobject.h",
		.at = {
			OLD_THREADS,
			.runtime_autotsskey = 584,
			.runtime_tstate_current = 568,
			OLD_OBJECTS,
			.frame_instr = 104, /* f_lasti */
			.frame_instr_kind = SP_INSTR_LASTI_BYTES,
		},
	},
	{
		.minor = 10,
		.source = "cpython v3.10.0 Include/internal/pycore_runtime.h, pycore_interp.h, "
			  "Include/cpython/pystate.h, code.h, frameobject.h, unicodeobject.h",
		.at = {
			OLD_THREADS,
			.runtime_autotsskey = 584,
			.runtime_tstate_current = 568,
			OLD_OBJECTS,
			.frame_instr = 96, /* f_lasti */
			.frame_instr_kind = SP_INSTR_LASTI_UNITS,
		},
	},
	{
		.minor = 11,
		.source = "cpython v3.11.0 Include/internal/pycore_runtime.h, pycore_interp.h, "
			  "pycore_frame.h, Include/cpython/pystate.h, code.h, unicodeobject.h",
		.at = {
			.runtime_interpreters_head = 40,
			.runtime_autotsskey = 592,
			.runtime_tstate_current = 576,
			.interp_threads_head = 16,
			.tstate_prev = 0,
			.tstate_next = 8,
			.tstate_interp = 16,
			.tstate_cframe = 56,
			.tstate_current_frame = SP_NO_FIELD,
			.tstate_thread_id = 152,
			.tstate_native_thread_id = 160,
			.tstate_datastack_chunk = 296,
			.cframe_current_frame = 8,
			.frame_executable = 32, /* f_code */
			.frame_previous = 48,
			.frame_instr = 56,
			.frame_owner = SP_NO_FIELD,
			ONE_BYTECODE,
			.code_firstlineno = 72,
			.code_filename = 112,
			.code_qualname = 128,
			.code_linetable = 136,
			.code_bytecode = 184,
			.code_version = SP_NO_FIELD,
			.object_type = 8,
			.var_size = 16,
			.bytes_data = 32,
			.unicode_length = 16,
			.unicode_state = 32,
			.ascii_size = 48,
			.compact_size = 72,
			.unicode_kind = KIND_BIT,
			.owner_shim = SP_OWNER_NONE,
		},
	},
	{
		.minor = 12,
		.source = "cpython v3.12.0 Include/internal/pycore_runtime.h, pycore_interp.h, "
			  "pycore_frame.h, Include/cpython/pystate.h, code.h, unicodeobject.h",
		.at = {
			.runtime_interpreters_head = 40,
			.runtime_autotsskey = 1544,
			.interp_threads_head = 72,
			.tstate_prev = 0,
			.tstate_next = 8,
			.tstate_interp = 16,
			.tstate_cframe = 56,
			.tstate_current_frame = SP_NO_FIELD,
			.tstate_thread_id = 136,
			.tstate_native_thread_id = 144,
			.tstate_datastack_chunk = 232,
			.cframe_current_frame = 0,
			.frame_executable = 0, /* f_code */
			.frame_previous = 8,
			.frame_instr = 56,
			.frame_owner = 70,
			ONE_BYTECODE,
			.code_firstlineno = 68,
			.code_filename = 112,
			.code_qualname = 128,
			.code_linetable = 136,
			.code_bytecode = 192,
			.code_version = 92,
			.object_type = 8,
			.var_size = 16,
			.bytes_data = 32,
			.unicode_length = 16,
			.unicode_state = 32,
			.ascii_size = 40,
			.compact_size = 56,
			.unicode_kind = KIND_BIT,
			.owner_shim = 3, /* FRAME_OWNED_BY_CSTACK */
		},
	},
};

void pylayout_version_text(const struct sp_pylayout *at, char text[16])
{
	static const char *const levels[16] = { [0xa] = "a", [0xb] = "b", [0xc] = "rc" };
	uint32_t version = at->version;
	unsigned int level = version >> 4 & 15;
	int len = snprintf(text, 16, "%u.%u", version >> 24, version >> 16 & 255);

	if (version & 0xffff)
		len += snprintf(text + len, 16 - len, ".%u", version >> 8 & 255);
	if (levels[level])
		len += snprintf(text + len, 16 - len, "%s%u", levels[level], version & 15);
	if (at->is_free_threaded && len < 15)
		snprintf(text + len, 16 - len, "t");
}

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -ENOTSUP;
}

/* Why there is no layout for Python 3.@minor: by its number, as far as one can tell ahead. */
static const char *unsupported(unsigned int minor)
{
	static const char *const reasons[] = {
		[16] = "Python 3.16 is newer than 3.15, the newest that is supported",
		[17] = "Python 3.17 is newer than 3.15, the newest that is supported",
		[18] = "Python 3.18 is newer than 3.15, the newest that is supported",
	};

	if (minor < sizeof(reasons) / sizeof(reasons[0]) && reasons[minor])
		return reasons[minor];
	return minor < OLDEST_MINOR ? "Python before 3.8 is not supported"
				    : "it is newer than Python 3.15, the newest that is supported";
}

static int find_row(unsigned int minor, struct sp_pylayout *out, const char **why)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].minor == minor) {
			*out = rows[i].at;
			return 0;
		}
	return refuse(why, "its version does not fit what its memory holds");
}

/*
 * The place of _PyRuntime.autoTSSkey is in no table and may move between patch releases, as
 * that of its neighbours did: 0 asks resolve/ to search for it.
 */
static int find_offsets(unsigned int minor, bool is_free_threaded, const uint8_t *head, size_t len,
			struct sp_pylayout *out, const char **why)
{
	int err = debug_offsets_read(head, len, minor, out);

	if (err == -ENOTSUP)
		return refuse(why, "its version does not fit what its memory holds");
	if (err) {
		*why = "its table of debug offsets cannot be right";
		return err;
	}
	out->runtime_autotsskey = minor >= FIRST_THREAD_LOCAL ? SP_NO_KEY : 0;
	out->code_version = out->code_firstlineno + VERSION_BEHIND_LINE;
	out->is_free_threaded = is_free_threaded;
	out->unicode_kind =
		is_free_threaded && minor >= FIRST_INTERNED_BYTE ? KIND_BIT_BEHIND_BYTE : KIND_BIT;
	out->owner_shim = 3; /* FRAME_OWNED_BY_CSTACK, from 3.14 FRAME_OWNED_BY_INTERPRETER */
	return 0;
}

int pylayout_find(uint32_t version, const uint8_t *head, size_t len, struct sp_pylayout *out,
		  const char **why)
{
	struct debug_offsets_head own;
	bool has_offsets = !debug_offsets_head(head, len, &own);
	struct sp_pylayout found;
	unsigned int minor;
	int err;

	if (has_offsets)
		version = own.version;
	minor = version >> 16 & 255;
	if (!version)
		return refuse(why, "it is older than Python 3.8, the oldest that is supported");
	if (version >> 24 != 3)
		return refuse(why, "only Python 3 is supported");
	if (minor < OLDEST_MINOR || minor > NEWEST_MINOR)
		return refuse(why, unsupported(minor));
	if (version & 0xffff && (version >> 4 & 15) != LEVEL_FINAL)
		return refuse(why, "pre-releases are not supported: their layout changes at will");
	err = has_offsets ? find_offsets(minor, own.is_free_threaded, head, len, &found, why)
			  : find_row(minor, &found, why);
	if (err)
		return err;
	found.version = version;
	if (pylayout_validate(&found)) {
		*why = "its table of debug offsets cannot be right";
		return -EBADMSG;
	}
	*out = found;
	return 0;
}

/* Whether the fields of 3.11 and later are there, or are all missing, as up to 3.10. */
static bool is_of_its_time(const struct sp_pylayout *at)
{
	const uint16_t since_3_11[] = { at->tstate_native_thread_id, at->tstate_datastack_chunk,
					at->code_bytecode };
	bool is_old = at->frame_instr_kind != SP_INSTR_POINTER;

	if (at->frame_instr_kind > SP_INSTR_LASTI_UNITS)
		return false;
	for (size_t i = 0; i < sizeof(since_3_11) / sizeof(since_3_11[0]); i++)
		if ((since_3_11[i] == SP_NO_FIELD) != is_old)
			return false;
	return !is_old || (at->frame_owner == SP_NO_FIELD && at->tstate_cframe == SP_NO_FIELD &&
			   at->frame_instr >= SP_GEN_BEFORE_LASTI);
}

/* A field that this version does not have may lie anywhere. */
static uint32_t offset_or_0(uint16_t field)
{
	return field == SP_NO_FIELD ? 0 : field;
}

static bool is_aligned(const struct sp_pylayout *at)
{
	uint32_t all = at->runtime_interpreters_head | at->interp_threads_head |
		       at->interp_code_generation | at->tstate_prev | at->tstate_next |
		       at->tstate_interp | at->tstate_thread_id | at->frame_executable |
		       at->frame_previous | at->frame_instr | at->code_filename |
		       at->code_qualname | at->code_linetable | at->object_type | at->var_size |
		       at->bytes_data | at->unicode_length | at->unicode_state | at->ascii_size |
		       at->compact_size;

	all |= offset_or_0(at->tstate_native_thread_id) | offset_or_0(at->tstate_datastack_chunk) |
	       offset_or_0(at->code_bytecode) | offset_or_0(at->code_tlbc);

	/* threads_fit() sees to it that one of the two ways is there. */
	if (at->tstate_cframe != SP_NO_FIELD)
		all |= at->tstate_cframe | at->cframe_current_frame;
	else
		all |= at->tstate_current_frame;
	return !(all & 7) && !(at->code_firstlineno & 3) && !(at->interp_tlbc_generation & 3) &&
	       !(offset_or_0(at->frame_tlbc_index) & 3) &&
	       (at->runtime_autotsskey == SP_NO_KEY || !(at->runtime_autotsskey & 3));
}

static bool threads_fit(const struct sp_pylayout *at)
{
	const uint16_t fields[] = { at->tstate_prev,
				    at->tstate_next,
				    at->tstate_interp,
				    at->tstate_thread_id,
				    offset_or_0(at->tstate_native_thread_id),
				    offset_or_0(at->tstate_datastack_chunk),
				    at->tstate_cframe != SP_NO_FIELD ? at->tstate_cframe
								     : at->tstate_current_frame };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i] > SP_TSTATE_BYTES - 8)
			return false;
	/* Were they the same, any list of threads would look like a list of one. */
	if (at->tstate_next == at->tstate_prev)
		return false;
	if (at->tstate_cframe == SP_NO_FIELD)
		return at->cframe_current_frame == SP_NO_FIELD;
	return at->tstate_current_frame == SP_NO_FIELD && at->cframe_current_frame < 64;
}

static bool frames_fit(const struct sp_pylayout *at)
{
	return at->frame_executable <= SP_IFRAME_BYTES - 8 &&
	       at->frame_previous <= SP_IFRAME_BYTES - 8 &&
	       at->frame_instr <= SP_IFRAME_BYTES - 8 &&
	       (at->frame_owner == SP_NO_FIELD ? at->owner_shim == SP_OWNER_NONE
					       : at->frame_owner < SP_IFRAME_BYTES);
}

/* Threads have copies of the bytecode, of which a frame says which; or there are none at all. */
static bool copies_fit(const struct sp_pylayout *at)
{
	if (at->code_tlbc == SP_NO_FIELD)
		return at->frame_tlbc_index == SP_NO_FIELD && !at->interp_tlbc_generation;
	return at->interp_tlbc_generation && at->interp_code_generation &&
	       at->frame_tlbc_index > at->frame_instr && at->frame_tlbc_index < at->frame_owner &&
	       at->code_tlbc > at->code_linetable && at->code_tlbc < at->code_bytecode;
}

/* co_filename, co_name, from 3.11 co_qualname, and co_linetable follow each other. */
static bool code_fits(const struct sp_pylayout *at)
{
	bool is_old = at->frame_instr_kind != SP_INSTR_POINTER;

	return at->code_filename + (is_old ? 8 : 16) == at->code_qualname &&
	       at->code_qualname + 8 == at->code_linetable &&
	       at->code_firstlineno < at->code_filename &&
	       (at->code_version == SP_NO_FIELD ||
		at->code_version == at->code_firstlineno + VERSION_BEHIND_LINE) &&
	       at->code_linetable + 8 - (at->code_firstlineno & ~7u) < SP_CODE_KEY_BYTES &&
	       (is_old || (at->code_bytecode > at->code_linetable && at->code_bytecode < 4096));
}

/* Between PyASCIIObject and PyCompactUnicodeObject: utf8_length, utf8, wstr_length to 3.11. */
static bool texts_fit(const struct sp_pylayout *at)
{
	unsigned int minor = at->version >> 16 & 255;

	return at->compact_size - at->ascii_size == (minor <= 11 ? 24 : 16) &&
	       at->compact_size < 256 && at->unicode_length < at->unicode_state &&
	       at->unicode_state < at->ascii_size && at->var_size < at->bytes_data &&
	       at->bytes_data < 256 && at->object_type < at->var_size &&
	       (at->unicode_kind == KIND_BIT || at->unicode_kind == KIND_BIT_BEHIND_BYTE);
}

int pylayout_validate(const struct sp_pylayout *at)
{
	bool is_sound = is_of_its_time(at) && is_aligned(at) && threads_fit(at) && frames_fit(at) &&
			code_fits(at) && copies_fit(at) && texts_fit(at);

	return is_sound ? 0 : -EBADMSG;
}
