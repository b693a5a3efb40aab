/* SPDX-License-Identifier: Apache-2.0 */
/* First pass: what the kernel's records say of tasks. */
#include "import/perf_data_reader.h"

#define LOST_TO_FILTER (1u << 15) /* samples that nobody wanted */
#define MAP2_ID_BYTES 24	  /* a build-id and its length, or an inode */

static int refuse(struct perf_data *d, const struct perf_record *record)
{
	return perf_data_refuse(d, -EBADMSG, record->at, "a damaged record");
}

static int add_text(struct perf_data *d, const struct perf_wire *w, uint32_t *text)
{
	return strings_add(&d->strings, (const char *)w->c.at, perf_text_len(w), text);
}

/* Without times in all records, the order in the file is all that there is. */
static void choose_clock(struct perf_data *d)
{
	d->clock = PERF_CLOCK_TIME;
	for (uint32_t i = 0; i < d->attr_count; i++)
		if (!(d->attrs[i].sample_type & PERF_SAMPLE_TIME) ||
		    !(d->attrs[i].flags >> PERF_ATTR_SAMPLE_ID_ALL & 1))
			d->clock = PERF_CLOCK_ORDER;
}

/* The @place-th word from the end; 1 is the last. */
static uint64_t word_at_end(struct perf_wire w, unsigned int place)
{
	size_t left = cursor_left(&w.c), bytes = place * sizeof(uint64_t);

	perf_skip(&w, bytes <= left ? left - bytes : left + 1);
	return perf_take_u64(&w);
}

/* Records end with the same as samples have. Source: struct sample_id in
 * linux/perf_event.h */
static uint64_t time_of(const struct perf_data *d, const struct perf_record *record)
{
	const struct perf_attr *attr = d->attrs;
	uint64_t type = attr->sample_type, id = 0;

	if (d->clock == PERF_CLOCK_ORDER)
		return record->number;
	if (type & PERF_SAMPLE_IDENTIFIER)
		id = word_at_end(record->body, 1);
	else if (type & PERF_SAMPLE_ID)
		id = word_at_end(
			record->body,
			1 + __builtin_popcountll(type & (PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID)));
	attr = perf_data_find_attr(d, id);
	if (!attr)
		return 0;
	type = attr->sample_type &
	       (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	return word_at_end(record->body, 1 + __builtin_popcountll(type));
}

static bool has_build_id(const struct perf_record *record)
{
	return record->type == PERF_RECORD_MMAP2 && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
}

static int take_map_build(struct perf_data *d, struct perf_wire *w, struct perf_map *map)
{
	struct perf_wire part = perf_take_part(w, MAP2_ID_BYTES);
	const uint8_t *bytes = part.c.at;
	struct build_id id = { .len = 0 };
	int64_t build;

	if (w->c.short_read)
		return 0;
	id.len = bytes[0] <= BUILD_ID_MAX ? bytes[0] : BUILD_ID_MAX;
	memcpy(id.bytes, bytes + 4, id.len);
	build = perf_tasks_add_build_id(&d->tasks, &id);
	map->build = build > 0 ? build : 0;
	return build < 0 ? build : 0;
}

/*
 * `[kernel.kallsyms]_text` is the kernel, and where it had that symbol is in the place of an
 * offset. Modules are `[name]`, or files.
 */
static int add_kernel_path(struct perf_data *d, const struct perf_wire *w, struct perf_map *map)
{
	struct perf_wire symbol = *w;
	size_t len = strlen(PERF_KERNEL_NAME);
	int err;

	if (perf_text_len(w) < len || memcmp(w->c.at, PERF_KERNEL_NAME, len) != 0)
		return add_text(d, w, &map->path);
	perf_skip(&symbol, len);
	err = add_text(d, &symbol, &d->kernel_symbol);
	d->kernel_symbol_at = map->offset;
	return err ? err : strings_add(&d->strings, PERF_KERNEL_NAME, len, &map->path);
}

static uint64_t end_of(uint64_t start, uint64_t len)
{
	return len > UINT64_MAX - start ? UINT64_MAX : start + len;
}

static int note_map(struct perf_data *d, const struct perf_record *record)
{
	struct perf_task_event e = { .number = record->number, .kind = PERF_TASK_MAP };
	struct perf_wire w = record->body;
	unsigned int mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	int err = 0;

	if (mode != PERF_RECORD_MISC_USER && mode != PERF_RECORD_MISC_KERNEL)
		return 0; /* a guest's */
	e.is_kernel = mode == PERF_RECORD_MISC_KERNEL;
	e.pid = perf_take_u32(&w);
	e.tid = perf_take_u32(&w);
	e.map.start = perf_take_u64(&w);
	e.map.end = end_of(e.map.start, perf_take_u64(&w));
	e.map.offset = perf_take_u64(&w);
	if (has_build_id(record))
		err = take_map_build(d, &w, &e.map);
	else if (record->type == PERF_RECORD_MMAP2)
		perf_skip(&w, MAP2_ID_BYTES);
	if (record->type == PERF_RECORD_MMAP2)
		perf_skip(&w, 2 * sizeof(uint32_t)); /* protection and flags */
	if (w.c.short_read)
		return refuse(d, record);
	if (!err)
		err = e.is_kernel ? add_kernel_path(d, &w, &e.map) : add_text(d, &w, &e.map.path);
	e.time = time_of(d, record);
	return err ? err : perf_tasks_add(&d->tasks, &e);
}

static int note_comm(struct perf_data *d, const struct perf_record *record)
{
	struct perf_task_event e = { .number = record->number, .kind = PERF_TASK_COMM };
	struct perf_wire w = record->body;
	int err;

	e.pid = perf_take_u32(&w);
	e.tid = perf_take_u32(&w);
	if (w.c.short_read)
		return refuse(d, record);
	err = add_text(d, &w, &e.comm);
	e.time = time_of(d, record);
	return err ? err : perf_tasks_add(&d->tasks, &e);
}

static int note_fork(struct perf_data *d, const struct perf_record *record)
{
	struct perf_task_event e = { .number = record->number, .kind = PERF_TASK_FORK };
	struct perf_wire w = record->body;

	e.is_empty = record->misc & PERF_RECORD_MISC_FORK_EXEC;
	e.pid = perf_take_u32(&w);
	e.ppid = perf_take_u32(&w);
	e.tid = perf_take_u32(&w);
	e.ptid = perf_take_u32(&w);
	if (w.c.short_read)
		return refuse(d, record);
	e.time = time_of(d, record);
	return perf_tasks_add(&d->tasks, &e);
}

/* A piece of the kernel that came later: of BPF, mostly. */
static int note_symbol(struct perf_data *d, const struct perf_record *record)
{
	struct perf_task_event e = { .number = record->number, .kind = PERF_TASK_MAP };
	struct perf_wire w = record->body;
	uint16_t flags;
	int err;

	e.is_kernel = e.map.is_symbol = true;
	e.map.start = perf_take_u64(&w);
	e.map.end = end_of(e.map.start, perf_take_u32(&w));
	perf_skip(&w, sizeof(uint16_t)); /* type */
	flags = perf_take_u16(&w);
	if (w.c.short_read)
		return refuse(d, record);
	if (flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return 0;
	err = add_text(d, &w, &e.map.path);
	e.time = time_of(d, record);
	return err ? err : perf_tasks_add(&d->tasks, &e);
}

static int note_lost(struct perf_data *d, const struct perf_record *record)
{
	struct perf_wire w = record->body;
	uint64_t lost;

	if (record->type == PERF_RECORD_LOST)
		perf_skip(&w, sizeof(uint64_t)); /* id */
	lost = perf_take_u64(&w);
	if (record->misc & LOST_TO_FILTER)
		return 0;
	if (__builtin_add_overflow(d->lost, lost, &d->lost))
		d->lost = UINT64_MAX;
	return 0;
}

int perf_data_note(struct perf_data *d, const struct perf_record *record)
{
	if (record->type >= PERF_DATA_ATTR)
		return perf_data_note_own(d, record);
	if (!d->attr_count)
		return perf_data_refuse(d, -EBADMSG, record->at, "a record before any event");
	if (d->clock == PERF_CLOCK_UNSAID)
		choose_clock(d);
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return note_map(d, record);
	case PERF_RECORD_COMM:
		return note_comm(d, record);
	case PERF_RECORD_FORK:
		return note_fork(d, record);
	case PERF_RECORD_KSYMBOL:
		return note_symbol(d, record);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return note_lost(d, record);
	}
	return 0;
}
