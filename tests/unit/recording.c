/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include <criterion/criterion.h>
#include <string.h>
#include <zstd.h>

#define COMPRESSED2 83

struct recording recording_of_clock(void)
{
	return (struct recording){
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_ID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.attrs = { { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 0, 7, "cpu-clock" } },
		.attr_count = 1,
	};
}

void recording_cleanup(struct recording *r)
{
	buffer_fini(&r->records);
}

void recording_word(const struct recording *r, struct buffer *out, uint64_t value)
{
	value = r->is_swapped ? __builtin_bswap64(value) : value;
	buffer_add(out, &value, sizeof(value));
}

void recording_half(const struct recording *r, struct buffer *out, uint32_t value)
{
	value = r->is_swapped ? __builtin_bswap32(value) : value;
	buffer_add(out, &value, sizeof(value));
}

static void add_short(const struct recording *r, struct buffer *out, uint16_t value)
{
	value = r->is_swapped ? __builtin_bswap16(value) : value;
	buffer_add(out, &value, sizeof(value));
}

/* With a NUL, up to a word's end. */
static void add_text(struct buffer *out, const char *text)
{
	buffer_add(out, text, strlen(text));
	buffer_add(out, "\0\0\0\0\0\0\0", 8 - strlen(text) % 8);
}

void recording_add(struct recording *r, uint32_t type, uint16_t misc, const struct buffer *body)
{
	recording_half(r, &r->records, type);
	add_short(r, &r->records, misc);
	add_short(r, &r->records, 8 + body->len);
	buffer_add(&r->records, body->data, body->len);
}

/* struct sample_id of linux/perf_event.h */
static void add_id(const struct recording *r, struct buffer *body, uint32_t pid, uint64_t time)
{
	if (r->sample_type & PERF_SAMPLE_TID) {
		recording_half(r, body, pid);
		recording_half(r, body, pid);
	}
	if (r->sample_type & PERF_SAMPLE_TIME)
		recording_word(r, body, time);
	if (r->sample_type & PERF_SAMPLE_ID)
		recording_word(r, body, time ? r->attrs[0].id : 0);
	if (r->sample_type & PERF_SAMPLE_IDENTIFIER)
		recording_word(r, body, time ? r->attrs[0].id : 0);
}

static void start_map(const struct recording *r, struct buffer *body, uint32_t pid, uint64_t start,
		      uint64_t len, uint64_t offset)
{
	recording_half(r, body, pid);
	recording_half(r, body, pid);
	recording_word(r, body, start);
	recording_word(r, body, len);
	recording_word(r, body, offset);
}

void recording_mmap(struct recording *r, uint64_t time, uint32_t pid, uint64_t start, uint64_t len,
		    const char *path)
{
	struct buffer body OWNS(buffer) = { 0 };

	start_map(r, &body, pid, start, len, 0x1000);
	add_text(&body, path);
	add_id(r, &body, pid, time);
	recording_add(r, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, &body);
}

void recording_kernel(struct recording *r, uint64_t start, uint64_t len, const char *path)
{
	struct buffer body OWNS(buffer) = { 0 };

	start_map(r, &body, UINT32_MAX, start, len, start);
	add_text(&body, path);
	add_id(r, &body, 0, 0);
	recording_add(r, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &body);
}

void recording_mmap2(struct recording *r, uint64_t time, uint32_t pid, uint64_t start, uint64_t len,
		     const char *path, const uint8_t build_id[20])
{
	struct buffer body OWNS(buffer) = { 0 };

	start_map(r, &body, pid, start, len, 0x1000);
	buffer_add(&body, "\x14\0\0\0", 4);
	buffer_add(&body, build_id, 20);
	recording_half(r, &body, 5);
	recording_half(r, &body, 2);
	add_text(&body, path);
	add_id(r, &body, pid, time);
	recording_add(r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
		      &body);
}

void recording_comm(struct recording *r, uint64_t time, uint32_t pid, uint32_t tid,
		    const char *comm)
{
	struct buffer body OWNS(buffer) = { 0 };

	recording_half(r, &body, pid);
	recording_half(r, &body, tid);
	add_text(&body, comm);
	add_id(r, &body, pid, time);
	recording_add(r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &body);
}

void recording_fork(struct recording *r, uint64_t time, uint32_t pid, uint32_t tid, uint32_t ppid,
		    uint32_t ptid)
{
	struct buffer body OWNS(buffer) = { 0 };

	recording_half(r, &body, pid);
	recording_half(r, &body, ppid);
	recording_half(r, &body, tid);
	recording_half(r, &body, ptid);
	recording_word(r, &body, time);
	add_id(r, &body, ppid, time);
	recording_add(r, PERF_RECORD_FORK, 0, &body);
}

static void add_counters(const struct recording *r, struct buffer *body,
			 const struct recording_sample *s)
{
	recording_word(r, body, 2); /* a group: two values with their ids */
	recording_word(r, body, s->period);
	recording_word(r, body, r->attrs[0].id);
	recording_word(r, body, 2 * s->period);
	recording_word(r, body, r->attrs[1].id);
}

void recording_sample(struct recording *r, const struct recording_sample *s)
{
	struct buffer body OWNS(buffer) = { 0 };
	uint64_t ip = s->chain_len > 1 ? s->chain[1] : s->chain[0];
	uint64_t id = s->id ? s->id : r->attrs[0].id;

	if (r->sample_type & PERF_SAMPLE_IDENTIFIER)
		recording_word(r, &body, id);
	recording_word(r, &body, ip);
	recording_half(r, &body, s->pid);
	recording_half(r, &body, s->tid);
	if (r->sample_type & PERF_SAMPLE_TIME)
		recording_word(r, &body, s->time);
	if (r->sample_type & PERF_SAMPLE_ID)
		recording_word(r, &body, id);
	if (r->sample_type & PERF_SAMPLE_PERIOD)
		recording_word(r, &body, s->period);
	if (r->sample_type & PERF_SAMPLE_READ)
		add_counters(r, &body, s);
	if (r->sample_type & PERF_SAMPLE_CALLCHAIN) {
		recording_word(r, &body, s->chain_len);
		for (size_t i = 0; i < s->chain_len; i++)
			recording_word(r, &body, s->chain[i]);
	}
	recording_add(r, PERF_RECORD_SAMPLE, s->misc ? s->misc : PERF_RECORD_MISC_USER, &body);
}

static void add_compressed(struct recording *r, uint32_t type, const void *data, size_t len)
{
	struct buffer body OWNS(buffer) = { 0 };

	if (type == COMPRESSED2)
		recording_word(r, &body, len);
	buffer_add(&body, data, len);
	if (type == COMPRESSED2)
		buffer_add(&body, "\0\0\0\0\0\0\0", -len % 8);
	recording_add(r, type, 0, &body);
}

void recording_compress(struct recording *r, uint32_t type, size_t piece)
{
	struct buffer plain OWNS(buffer) = r->records;
	ZSTD_CStream *stream = ZSTD_createCStream();
	char room[1 << 14];

	r->records = (struct buffer){ 0 };
	for (size_t at = 0; at < plain.len; at += piece) {
		ZSTD_inBuffer in = { plain.data + at,
				     at + piece < plain.len ? piece : plain.len - at, 0 };
		ZSTD_outBuffer out = { room, sizeof(room), 0 };

		cr_assert(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush) == 0);
		add_compressed(r, type, room, out.pos);
	}
	ZSTD_freeCStream(stream);
}
