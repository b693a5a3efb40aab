/* SPDX-License-Identifier: Apache-2.0 */
/* What a heap profiler takes when everything in it is full, as the kernel counts it. */
#include "heap/heap_profiler.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SOMEWHERE 0x7f0000000000ull
#define MOST_BYTES 60000000
#define FRAMES_OF_A_STACK 40 /* on average, as stack_table.h counts on */

#if defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

static uint64_t resident_bytes(void)
{
	OWNS_FILE FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	cr_assert(f != NULL);
	cr_assert(eq(int, fscanf(f, "%*u %lu", &pages), 1));
	return pages * sysconf(_SC_PAGESIZE);
}

/* Each is another one, and all frames come up. */
static uint32_t stack_of(struct heap_profiler *p, uint64_t i)
{
	struct stack_frame frames[FRAMES_OF_A_STACK];
	int64_t id;

	for (uint32_t f = 0; f < FRAMES_OF_A_STACK; f++)
		frames[f] = (struct stack_frame){ .address = (i * 2 + f) % FRAME_TABLE_MOST };
	id = stack_table_intern(heap_profiler_stacks(p), frames, FRAMES_OF_A_STACK, 0);
	return id < 0 ? HEAP_NO_STACK : (uint32_t)id;
}

static void fill_samples(struct heap_profiler *p, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct heap_allocation a = { .address = SOMEWHERE + i * 16, .size = 100 };

		heap_profiler_sample_stack(p, &a,
					   i < STACK_TABLE_MOST ? stack_of(p, i) : HEAP_NO_STACK);
	}
}

static void fill_names(struct heap_profiler *p)
{
	struct frame_table *frames = stack_table_frames(heap_profiler_stacks(p));
	struct frame_names names = { .line = 1 };
	char text[64];

	for (uint32_t i = 0; i < frame_table_count(frames); i++) {
		snprintf(text, sizeof(text), "a_name_of_some_length_and_its_number_%u", i);
		names.function = names.file = text;
		frame_table_name(frames, i, &names);
	}
	cr_expect(frame_table_dropped_names(frames) > 0);
}

static void fill_freed(struct heap_profiler *p)
{
	for (uint64_t i = 0; i < 2 * FREED_LOG_CAPACITY; i++)
		heap_profiler_freed(p, 0, SOMEWHERE + i * 16, 0);
}

static void fill_and_measure(void)
{
	uint64_t before = resident_bytes(), used;
	OWNS(heap_profiler) struct heap_profiler *p = heap_profiler_new();
	struct buffer why OWNS(buffer) = { 0 };
	struct heap_statistics s;

	cr_assert(eq(int,
		     heap_profiler_init(p, &(struct heap_settings){ .sampling_rate = 1 }, &why),
		     0));
	cr_assert(eq(int, heap_profiler_start(p, &why), 0));
	fill_samples(p, HEAP_MAP_CAPACITY);
	cr_assert(eq(int, heap_profiler_maintain(p), 0));
	fill_names(p);
	fill_freed(p);
	fill_samples(p, FREED_LOG_CAPACITY);
	used = resident_bytes() - before;
	s = heap_profiler_statistics(p);
	cr_log_info("%lu bytes", used);
	cr_expect(le(u64, used, MOST_BYTES));
	cr_expect(ge(u64, used, 50000000)); /* else something was not filled */
	cr_expect(s.heap_map_insertions > HEAP_MAP_CAPACITY * 95ull / 100);
	cr_expect(s.heap_map_full_drops > 0);
	cr_expect(eq(u64, s.bloom_rebuilds, 1));
	cr_expect(eq(u64, stack_table_stats(heap_profiler_stacks(p)).stacks, STACK_TABLE_MOST));
}

Test(heap_memory, all_of_it_full_takes_60_megabytes_at_most)
{
	if (!IS_SANITIZED) /* the sanitizer's own memory would count, too */
		fill_and_measure();
}
