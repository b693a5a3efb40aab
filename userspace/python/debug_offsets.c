/* SPDX-License-Identifier: Apache-2.0 */
#include "python/debug_offsets.h"

#include "python/debug_table.h"

#include <errno.h>
#include <string.h>

#define COOKIE "xdebugpy"
#define VERSION_AT 8
#define FREE_THREADED_AT 16

/*
 * Where each version's table keeps the offset of what we need, in bytes from its start.
 * Source: cpython Include/internal/pycore_debug_offsets.h of 3.13.5 (pycore_runtime.h up
 * to 3.13.0), 3.14.7 and 3.15.2; read back from those builds. 3.15's table has
 * compactunicodeobject_size; before, it is what PyASCIIObject is and 16 bytes more.
 */
struct places {
	unsigned int minor;
	uint16_t interpreters_head, threads_head, code_object_generation; /* 0: not there */
	uint16_t tlbc_generation, tlbc_index, co_tlbc;			  /* 0: not in this table */
	uint16_t prev, next, interp, current_frame, thread_id, native_thread_id, datastack_chunk;
	uint16_t previous, executable, instr_ptr, owner;
	uint16_t filename, qualname, linetable, firstlineno, co_code_adaptive;
	uint16_t ob_type, bytes_ob_size, bytes_ob_sval;
	uint16_t unicode_state, unicode_length, asciiobject_size;
	uint16_t compactunicodeobject_size; /* 0: not in this table */
};

static const struct places tables[] = {
	{
		.minor = 13,
		.interpreters_head = 40,
		.threads_head = 72,
		.prev = 160,
		.next = 168,
		.interp = 176,
		.current_frame = 184,
		.thread_id = 192,
		.native_thread_id = 200,
		.datastack_chunk = 208,
		.previous = 232,
		.executable = 240,
		.instr_ptr = 248,
		.owner = 264,
		.filename = 280,
		.qualname = 296,
		.linetable = 304,
		.firstlineno = 312,
		.co_code_adaptive = 344,
		.ob_type = 360,
		.bytes_ob_size = 520,
		.bytes_ob_sval = 528,
		.unicode_state = 544,
		.unicode_length = 552,
		.asciiobject_size = 560,
	},
	{
		.minor = 14,
		.interpreters_head = 40,
		.threads_head = 72,
		.code_object_generation = 160,
		.tlbc_generation = 168,
		.prev = 184,
		.next = 192,
		.interp = 200,
		.current_frame = 208,
		.thread_id = 216,
		.native_thread_id = 224,
		.datastack_chunk = 232,
		.previous = 256,
		.executable = 264,
		.instr_ptr = 272,
		.owner = 288,
		.tlbc_index = 304,
		.filename = 320,
		.qualname = 336,
		.linetable = 344,
		.firstlineno = 352,
		.co_code_adaptive = 384,
		.co_tlbc = 392,
		.ob_type = 408,
		.bytes_ob_size = 600,
		.bytes_ob_sval = 608,
		.unicode_state = 624,
		.unicode_length = 632,
		.asciiobject_size = 640,
	},
	{
		.minor = 15,
		.interpreters_head = 40,
		.threads_head = 72,
		.code_object_generation = 160,
		.tlbc_generation = 168,
		.prev = 184,
		.next = 192,
		.interp = 200,
		.current_frame = 208,
		.thread_id = 240,
		.native_thread_id = 248,
		.datastack_chunk = 256,
		.previous = 320,
		.executable = 328,
		.instr_ptr = 336,
		.owner = 352,
		.tlbc_index = 368,
		.filename = 384,
		.qualname = 400,
		.linetable = 408,
		.firstlineno = 416,
		.co_code_adaptive = 448,
		.co_tlbc = 456,
		.ob_type = 472,
		.bytes_ob_size = 696,
		.bytes_ob_sval = 704,
		.unicode_state = 720,
		.unicode_length = 728,
		.asciiobject_size = 736,
		.compactunicodeobject_size = 744,
	},
};

static const struct places *find_places(unsigned int minor)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].minor == minor)
			return &tables[i];
	return NULL;
}

/* An offset within a struct: below SP_NO_FIELD, which means something else. */
static uint16_t offset_at(struct debug_table *t, uint16_t place)
{
	return debug_table_value(t, place, SP_NO_FIELD - 1);
}

int debug_offsets_head(const uint8_t *head, size_t len, struct debug_offsets_head *out)
{
	struct debug_table t = { .data = head, .len = len };
	struct debug_offsets_head found;

	if (len < strlen(COOKIE) || memcmp(head, COOKIE, strlen(COOKIE)))
		return -ENOENT;
	found.version = debug_table_value(&t, VERSION_AT, UINT32_MAX);
	found.is_free_threaded = debug_table_value(&t, FREE_THREADED_AT, 1);
	if (t.is_bad)
		return -ENOENT;
	*out = found;
	return 0;
}

static void read_objects(struct debug_table *t, const struct places *at, struct sp_pylayout *out)
{
	out->object_type = offset_at(t, at->ob_type);
	out->var_size = offset_at(t, at->bytes_ob_size);
	out->bytes_data = offset_at(t, at->bytes_ob_sval);
	out->unicode_state = offset_at(t, at->unicode_state);
	out->unicode_length = offset_at(t, at->unicode_length);
	out->ascii_size = offset_at(t, at->asciiobject_size);
	out->compact_size = at->compactunicodeobject_size
				    ? offset_at(t, at->compactunicodeobject_size)
				    : out->ascii_size + 16; /* utf8_length, utf8 */
}

static void read_threads(struct debug_table *t, const struct places *at, struct sp_pylayout *out)
{
	out->runtime_interpreters_head = debug_table_value(t, at->interpreters_head, 1 << 24);
	out->interp_threads_head = debug_table_value(t, at->threads_head, 1 << 24);
	if (at->code_object_generation)
		out->interp_code_generation =
			debug_table_value(t, at->code_object_generation, 1 << 24);
	out->tstate_prev = offset_at(t, at->prev);
	out->tstate_next = offset_at(t, at->next);
	out->tstate_interp = offset_at(t, at->interp);
	out->tstate_current_frame = offset_at(t, at->current_frame);
	out->tstate_thread_id = offset_at(t, at->thread_id);
	out->tstate_native_thread_id = offset_at(t, at->native_thread_id);
	out->tstate_datastack_chunk = offset_at(t, at->datastack_chunk);
	out->tstate_cframe = out->cframe_current_frame = SP_NO_FIELD;
}

/*
 * Where each thread may have a copy of the bytecode of its own: free-threaded builds from 3.14 on.
 * The table has 0 in all three places where not.
 */
static void read_copies(struct debug_table *t, const struct places *at, struct sp_pylayout *out)
{
	bool has_copies = at->co_tlbc && debug_table_value(t, FREE_THREADED_AT, 1);

	out->code_tlbc = out->frame_tlbc_index = SP_NO_FIELD;
	if (!has_copies)
		return;
	out->code_tlbc = offset_at(t, at->co_tlbc);
	out->frame_tlbc_index = offset_at(t, at->tlbc_index);
	out->interp_tlbc_generation = debug_table_value(t, at->tlbc_generation, 1 << 24);
}

int debug_offsets_read(const uint8_t *head, size_t len, unsigned int minor, struct sp_pylayout *out)
{
	const struct places *at = find_places(minor);
	struct debug_table t = { .data = head, .len = len };
	struct sp_pylayout found = { 0 };

	if (!at)
		return -ENOTSUP;
	read_threads(&t, at, &found);
	read_objects(&t, at, &found);
	found.frame_previous = offset_at(&t, at->previous);
	found.frame_executable = offset_at(&t, at->executable);
	found.frame_instr = offset_at(&t, at->instr_ptr);
	found.frame_owner = offset_at(&t, at->owner);
	found.code_filename = offset_at(&t, at->filename);
	found.code_qualname = offset_at(&t, at->qualname);
	found.code_linetable = offset_at(&t, at->linetable);
	found.code_firstlineno = offset_at(&t, at->firstlineno);
	found.code_bytecode = offset_at(&t, at->co_code_adaptive);
	read_copies(&t, at, &found);
	if (t.is_bad)
		return -EBADMSG;
	*out = found;
	return 0;
}
