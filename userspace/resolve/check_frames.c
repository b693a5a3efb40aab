/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-check, frames: a thread's chain leads from its newest frame down to the end, over
 * code objects only, and lies in the chunks of its data stack; up to 3.10 its frames are
 * objects, and say so.
 * Source: CPython Python/pystate.c (push_chunk), Include/internal/pycore_frame.h.
 */
#include "resolve/check_parts.h"

#include "resolve/walk_target.h"

#include <errno.h>
#include <stddef.h>

#define MOST_FRAMES 20000 /* a longer chain is believed unfinished */
#define MOST_CHUNKS 32
#define CHUNK_PAGE 4096
#define CHUNK_HEADER 24		       /* previous, size, top */
#define CHUNK_FIRST (CHUNK_HEADER + 8) /* the first frame of the first chunk: one word is skipped */
#define OWNED_BY_THREAD 0
#define VERSION_3_15 0x030f0000

struct chain {
	struct {
		uint64_t start, bytes;
	} chunks[MOST_CHUNKS]; /* newest first */
	size_t chunk_count;
	bool chunks_are_all; /* the last one is the stack's first */

	uint64_t oldest_in_chunk; /* frame; 0: none */
	bool oldest_is_shim;
	uint8_t oldest_owner;
	struct sp_walk walk;
};

static int check_chunks(struct check *c, uint64_t chunk, struct chain *chain)
{
	struct {
		uint64_t previous, bytes, top;
	} head;

	chain->chunk_count = 0;
	while (chunk && chain->chunk_count < MOST_CHUNKS) {
		if (chunk % CHUNK_PAGE || check_read(c, chunk, &head, sizeof(head)) ||
		    !head.bytes || head.bytes % CHUNK_PAGE || head.bytes >> 40)
			return REFUSE(c, NOT_THERE("datastack_chunk"));
		chain->chunks[chain->chunk_count].start = chunk;
		chain->chunks[chain->chunk_count++].bytes = head.bytes;
		chunk = head.previous;
	}
	chain->chunks_are_all = !chunk;
	return 0;
}

static bool in_chunks(const struct chain *chain, uint64_t frame)
{
	for (size_t i = 0; i < chain->chunk_count; i++)
		if (frame - chain->chunks[i].start < chain->chunks[i].bytes)
			return true;
	return false;
}

/* Where in the bytecode the frame is, in bytes; -2: about to begin. */
static int64_t instr_bytes(const struct sp_pylayout *at, uint64_t instr, uint64_t code)
{
	int32_t lasti = (int32_t)instr;

	if (at->frame_instr_kind == SP_INSTR_POINTER)
		return instr - code - at->code_bytecode;
	if (lasti < 0)
		return lasti == -1 ? -2 : INT64_MIN;
	return at->frame_instr_kind == SP_INSTR_LASTI_BYTES ? lasti : (int64_t)lasti * 2;
}

/*
 * Where the frame's copy of the bytecode starts, told as if it were in the code object: @instr
 * moved there. The first of the copies is the one in the code object, which tells co_tlbc.
 */
static int check_copy(struct check *c, uint64_t code, uint32_t index, uint64_t *instr)
{
	uint64_t first = code + c->at->code_bytecode, array, copy;
	struct {
		int64_t size;
		uint64_t first;
	} copies; /* _PyCodeArray */

	if (check_read(c, code + c->at->code_tlbc, &array, sizeof(array)) ||
	    check_read(c, array, &copies, sizeof(copies)) || copies.first != first)
		return REFUSE(c, NOT_THERE("co_tlbc"));
	if (index >= copies.size ||
	    check_read(c, array + SP_TLBC_ENTRIES + index * 8ull, &copy, sizeof(copy)) || !copy)
		return REFUSE(c, NOT_THERE("tlbc_index of a frame"));
	*instr += first - copy;
	return 0;
}

static int check_instr(struct check *c, uint64_t instr, uint64_t code, int64_t units)
{
	int64_t bytes = instr_bytes(c->at, instr, code);

	if (bytes & 1 || bytes < -2 || bytes >= units * 2)
		return REFUSE(c, NOT_THERE("the instruction of a frame"));
	return 0;
}

/* A frame that is Python's own, copied to @where in the walk's window. */
static int check_python_frame(struct check *c, struct chain *chain, uint64_t frame, uint32_t where)
{
	const struct sp_pylayout *at = c->at;
	uint64_t code = sp_frame_field(&chain->walk, where, at->frame_executable) & ~SP_REF_TAGS;
	uint64_t instr = sp_frame_field(&chain->walk, where, at->frame_instr);
	uint8_t owner = sp_frame_owner(at, &chain->walk, where);
	int64_t units;
	int err;

	chain->oldest_owner = owner;
	if (in_chunks(chain, frame)) {
		chain->oldest_in_chunk = frame;
		c->frames_in_chunks++;
	} else if (at->frame_owner != SP_NO_FIELD && owner == OWNED_BY_THREAD &&
		   chain->chunks_are_all)
		return REFUSE(c, "a frame does not lie in the thread's data stack");
	err = check_code(c, code, &units);
	if (!err && at->frame_tlbc_index != SP_NO_FIELD)
		err = check_copy(c, code, sp_frame_field(&chain->walk, where, at->frame_tlbc_index),
				 &instr);
	return err ? err : check_instr(c, instr, code, units);
}

static int check_one(struct check *c, struct chain *chain, uint64_t frame, uint64_t *previous)
{
	const struct sp_pylayout *at = c->at;
	uint64_t where;

	if (frame & 7)
		return REFUSE(c, NOT_THERE("the chain of frames"));
	if (has_frame_objects(c)) {
		int err = check_frame_object(c, frame);

		if (err)
			return err;
	}
	where = sp_load_frame(at, &chain->walk, frame);
	if (where > SP_WINDOW_BYTES)
		return REFUSE(c, NOT_THERE("the chain of frames"));
	*previous = sp_frame_field(&chain->walk, where, at->frame_previous);
	chain->oldest_owner = sp_frame_owner(at, &chain->walk, where);
	chain->oldest_is_shim = chain->oldest_owner >= at->owner_shim;
	if (!chain->oldest_is_shim)
		return check_python_frame(c, chain, frame, where);
	if (in_chunks(chain, frame))
		return REFUSE(c, NOT_THERE("the owner of a frame"));
	return 0;
}

/* The chain ended: is that frame the one a thread begins with? */
static int check_oldest(struct check *c, const struct chain *chain)
{
	const struct sp_pylayout *at = c->at;
	size_t last = chain->chunk_count - 1;

	if (has_frame_objects(c))
		return 0;
	if (at->frame_owner != SP_NO_FIELD) {
		if (!chain->oldest_is_shim ||
		    (chain->oldest_owner != at->owner_shim && at->version < VERSION_3_15))
			return REFUSE(c, NOT_THERE("the owner of a frame"));
		return 0;
	}
	if (!chain->chunk_count || !chain->chunks_are_all)
		return 0;
	if (!chain->oldest_in_chunk)
		return REFUSE(c, NOT_THERE("datastack_chunk"));
	if (chain->oldest_in_chunk != chain->chunks[last].start + CHUNK_FIRST)
		return REFUSE(c, NOT_THERE("the previous frame"));
	return 0;
}

static int check_chain(struct check *c, const struct sp_thread *thread, struct chain *chain)
{
	struct sp_walk *w = &chain->walk;
	uint64_t frame = thread->frame;
	int err = check_chunks(c, thread->chunk, chain);

	w->chunk = thread->chunk;
	w->chunk_bytes = SP_CHUNK_BYTES;
	for (uint32_t i = 0; frame && !err; i++) {
		if (i == MOST_FRAMES)
			return 0;
		err = check_one(c, chain, frame, &frame);
	}
	return err ? err : check_oldest(c, chain);
}

/* A thread without a frame has nothing on its data stack: datastack_top follows the chunk. */
static int check_frameless(struct check *c, const struct sp_thread *thread, struct chain *chain)
{
	int err = check_chunks(c, thread->chunk, chain);
	uint64_t top;

	if (err)
		return err;
	if (!chain->chunk_count)
		return -ENOENT;
	if (check_read(c, thread->tstate + c->at->tstate_datastack_chunk + 8, &top, sizeof(top)) ||
	    top != chain->chunks[chain->chunk_count - 1].start + CHUNK_FIRST)
		return REFUSE(c, NOT_THERE("the thread's newest frame"));
	return -ENOENT;
}

int check_frames(struct check *c, const struct check_thread *thread)
{
	struct chain chain = { .chunk_count = 0 };
	struct sp_thread before, after;
	int err;

	walk_from(c->target->memory);
	if (sp_read_thread(c->at, thread->tstate, &chain.walk, &before))
		return REFUSE(c, NOT_THERE("the thread's newest frame"));
	err = before.frame ? check_chain(c, &before, &chain) : check_frameless(c, &before, &chain);
	if (err != -ENOTSUP)
		return err;
	if (sp_read_thread(c->at, thread->tstate, &chain.walk, &after) ||
	    after.frame != before.frame || after.chunk != before.chunk)
		return -EBUSY;
	return err;
}
