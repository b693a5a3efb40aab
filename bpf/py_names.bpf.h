/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of code objects, copied when they are met for the first time: when user space
 * reads the sample, code object or process may be gone.
 */
#ifndef SPPROF_PY_NAMES_BPF_H
#define SPPROF_PY_NAMES_BPF_H

#include "scratch.bpf.h"

/* New code objects whose names one stack sends; the others wait for their next one. */
#ifndef CODES_A_STACK
#define CODES_A_STACK 8
#endif

/* Copies a text behind the first @used bytes of the record's. Returns the bytes copied. */
static __always_inline __u64 copy_text(const struct sp_pylayout *at, __u64 string,
				       struct sp_code *code, __u64 used, struct sp_text *text)
{
	__u64 length = 0, stored;
	__u32 state = 0, width;

	text->width = 0;
	text->stored = 0;
	if (sp_read_target(&length, sizeof(length), string + at->unicode_length) ||
	    sp_read_target(&state, sizeof(state), string + at->unicode_state))
		return 0;
	text->length = length;
	state >>= at->unicode_kind & 31;
	width = state & 7; /* kind:3, compact:1, ascii:1 */
	if ((width != 1 && width != 2 && width != 4) || !(state & 1 << 3))
		return 0;
	stored = length > SP_TEXT_BYTES ? SP_TEXT_BYTES : length * width;
	SP_BARRIER(stored);
	if (stored > SP_TEXT_BYTES)
		stored = SP_TEXT_BYTES;
	SP_BARRIER(used);
	if (used > SP_TEXT_BYTES)
		return 0;
	string += state & 1 << 4 ? at->ascii_size : at->compact_size;
	if (sp_read_target(code->bytes + used, stored, string))
		return 0;
	text->width = width;
	text->stored = stored;
	return stored;
}

static __always_inline __u64 copy_linetable(const struct sp_pylayout *at, __u64 table,
					    struct sp_code *code, __u64 used)
{
	__u64 length = 0, stored;

	if (sp_read_target(&length, sizeof(length), table + at->var_size))
		return 0;
	stored = length;
	SP_BARRIER(stored);
	if (stored > SP_LINETABLE_BYTES)
		stored = SP_LINETABLE_BYTES;
	SP_BARRIER(used);
	if (used > 2 * SP_TEXT_BYTES)
		return 0;
	if (sp_read_target(code->bytes + used, stored, table + at->bytes_data))
		return 0;
	code->linetable_length = length;
	code->linetable_stored = stored;
	code->has_linetable = 1;
	return stored;
}

/* Sends the names of the code object of the sample's frame @i. 0, or 1: the ring is full. */
__noinline int send_code(__u64 i, __u32 layout)
{
	const struct sp_pylayout *at = bpf_map_lookup_elem(&layouts, &layout);
	struct scratch *s = this_scratch();
	const struct sp_sample *sample;
	__u64 file = 0, name = 0, table = 0, address;
	struct sp_code *code;
	__u64 used;

	SP_BARRIER(i);
	if (!at || !s || i >= SP_MAX_FRAMES)
		return 0;
	sample = sample_in(s);
	code = (struct sp_code *)s->code;
	code->head = sample->head;
	code->code = sample->frames[i].code;
	code->key = sample->frames[i].key;
	address = SP_CODE_ADDRESS(code->code);
	code->epoch = sample->epoch;
	code->first_line = 0;
	code->linetable_stored = 0;
	code->linetable_length = 0;
	code->has_linetable = 0;
	sp_read_target(&code->first_line, sizeof(code->first_line), address + at->code_firstlineno);
	sp_read_target(&file, sizeof(file), address + at->code_filename);
	sp_read_target(&name, sizeof(name), address + at->code_qualname);
	sp_read_target(&table, sizeof(table), address + at->code_linetable);
	used = copy_text(at, name, code, 0, &code->name);
	used += copy_text(at, file, code, used, &code->file);
	used += copy_linetable(at, table, code, used);
	used += sizeof(*code);
	SP_BARRIER(used);
	if (used > CODE_BYTES)
		return 0;
	code->head.kind = SP_EVENT_CODE;
	code->head.size = used;
	return bpf_ringbuf_output(&events, code, used, wake_flags()) != 0;
}

/* Atomically: a tick may interrupt the program of a probe here. */
static __always_inline void count_codes(struct sp_cpu *cpu, enum sp_tick_counter counter)
{
	__sync_fetch_and_add(&cpu->count[counter], 1);
}

/*
 * Sends the names of the @i-th frame that user space was not told of. 1: enough for this
 * stack.
 */
__noinline int send_fresh(__u64 i, __u32 layout)
{
	struct scratch *s = this_scratch();
	struct sp_cpu *cpu = this_cpu();
	const struct sp_known *known;
	const struct sp_frame *f;
	__u64 n;

	SP_BARRIER(i);
	if (!s || !cpu || i >= SP_FRESH_MOST)
		return 1;
	n = s->walk.keys.fresh[i];
	SP_BARRIER(n);
	if (n >= SP_MAX_FRAMES)
		return 1;
	f = &sample_in(s)->frames[n];
	known = sp_find_known(&s->walk.keys, SP_CODE_ADDRESS(f->code));
	if (known && known->key == sp_frame_key(f))
		return 0; /* it is in this stack twice */
	if (i == CODES_A_STACK) {
		count_codes(cpu, SP_COUNT_CODES_DEFERRED);
		return 1;
	}
	if (send_code(n, layout)) {
		count_codes(cpu, SP_COUNT_CODE_RING_FULL);
		return 1;
	}
	sp_remember(&s->walk.keys, SP_CODE_ADDRESS(f->code), sp_frame_key(f));
	count_codes(cpu, SP_COUNT_CODE_RECORDS);
	return 0;
}

static __always_inline void send_new_codes(struct scratch *s)
{
	__u32 layout = s->target.layout;

	for (__u32 i = 0; i < SP_FRESH_MOST; i++)
		if (i >= s->walk.keys.fresh_count || send_fresh(i, layout))
			break;
}

#endif
