/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/allocations.h"

#include "tests/unit/samples.h"

#include <criterion/criterion.h>
#include <string.h>

#define STEP 16 /* from one code object to the next */
#define RATE 65536

static const struct sp_pylayout no_layout = { .version = 0x030b00f0 };

static void learn(struct process *p, uint32_t number)
{
	union {
		struct sp_code code;
		uint8_t bytes[sizeof(struct sp_code) + 64];
	} r = { .code = { .code = (uint64_t)STEP * number, .key = 1, .first_line = number } };
	uint8_t *text = r.code.bytes;
	int len = sprintf((char *)text, "f%uapp.py", number), name = len - 6;

	r.code.name = (struct sp_text){ .length = name, .stored = name, .width = 1 };
	r.code.file = (struct sp_text){ .length = 6, .stored = 6, .width = 1 };
	r.code.head.size = sizeof(r.code) + len;
	cr_assert(code_table_learn(p->codes, &r.code) == 0);
}

struct process *a_program(pid_t pid, uint32_t functions)
{
	struct process *p = a_process(pid, 1);

	p->codes = code_table_new(0, &no_layout); /* nothing is read of process 0 */
	for (uint32_t i = 1; i <= functions; i++)
		learn(p, i);
	return p;
}

struct sp_alloc *an_allocation(uint32_t n, uint64_t address, uint64_t size, const uint32_t *lines)
{
	static union {
		struct sp_alloc alloc;
		uint8_t room[sizeof(struct sp_alloc) + SP_MAX_FRAMES * sizeof(struct sp_frame)];
	} made;
	struct sp_sample *sample = &made.alloc.sample;

	memset(&made.alloc, 0, sizeof(made.alloc));
	made.alloc.head = (struct sp_event){ .kind = SP_EVENT_ALLOC, .time_ns = 1000 };
	made.alloc.address = address;
	made.alloc.size = size;
	made.alloc.rate = RATE;
	made.alloc.session = n;
	for (; *lines; lines++)
		sample->frames[sample->frame_count++] = (struct sp_frame){
			.code = (uint64_t)STEP * *lines, .instr = SP_INSTR_BEFORE, .key = 1
		};
	return &made.alloc;
}

struct sp_free *a_free(uint32_t n, uint64_t address, uint64_t time_ns)
{
	static struct sp_free made;

	made = (struct sp_free){ .head = { .kind = SP_EVENT_FREE, .time_ns = time_ns },
				 .address = address,
				 .session = n };
	return &made;
}

void tell_allocation(struct heap_tracker *t, const struct sp_alloc *a, struct process *p)
{
	struct sampled x = { .record = &a->sample, .process = p };

	heap_tracker_allocated(t, a, &x);
}

void tell_refill(struct heap_tracker *t, const struct sp_alloc *a, struct process *p)
{
	struct sampled x = { .record = &a->sample, .process = p };

	heap_tracker_refilled(t, a, &x);
}

json_t *a_page(struct heap_tracker *t, uint32_t n, uint64_t now_ns,
	       const struct heap_census *census)
{
	OWNS(heap_seen) struct heap_seen *seen = heap_tracker_see(t, n, now_ns);
	json_t *page = json_pack("{s{} s[]}", "coverage", "warnings");

	cr_assert(seen && page);
	if (census)
		cr_assert(heap_seen_add_scan(seen, now_ns, census) == 0);
	cr_assert(heap_seen_tell(seen, page) == 0);
	return page;
}
