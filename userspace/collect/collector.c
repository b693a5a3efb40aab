/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/collector.h"

#include "base/clock.h"
#include "collect/heap_programs.h"
#include "collect/perf_open.h"
#include "spprof.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

/* Inode of the first PID namespace: PROC_PID_INIT_INO of include/linux/proc_ns.h. */
#define FIRST_PIDNS_INODE 0xEFFFFFFCu

#define IDLE_PERIOD_NS 10000000 /* of a clock that was never started */

struct drained {
	uint64_t taken;	    /* by this processor, as of its last record */
	uint64_t ring_full; /* likewise */
};

struct collector {
	struct spprof_bpf *bpf;
	struct heap_programs *heap;
	struct ring_buffer *ring;
	struct collector_sink sink;
	int cpu_count; /* possible processors */
	int *clocks;   /* perf event of each, -1 if it is offline */
	struct bpf_link **links;
	struct drained *drained;
	uint64_t delivered;
	uint64_t malformed;
	uint64_t period_ns; /* of the running clock, 0: stopped */
	struct sp_pylayout layouts[SP_MAX_LAYOUTS];
	uint32_t layout_count;
};

static void take_sample(struct collector *c, const struct sp_sample *s, size_t size)
{
	if (size < sizeof(*s) || s->frame_count > SP_MAX_FRAMES ||
	    size != sizeof(*s) + s->frame_count * sizeof(s->frames[0]) ||
	    s->cpu >= (uint32_t)c->cpu_count) {
		c->malformed++;
		return;
	}
	c->drained[s->cpu] = (struct drained){ .taken = s->taken, .ring_full = s->ring_full };
	c->delivered++;
	c->sink.on_sample(s, c->sink.ctx);
}

static bool is_sound(const struct collector *c, const struct sp_alloc *a, size_t size)
{
	bool is_refill = a->head.kind == SP_EVENT_REFILL;

	if (size < sizeof(*a) || a->sample.frame_count > SP_MAX_FRAMES ||
	    size != sizeof(*a) + a->sample.frame_count * sizeof(a->sample.frames[0]))
		return false;
	return a->native_count <= SP_NATIVE_FRAMES && a->session < SP_HEAP_SESSIONS &&
	       a->domain <= SP_DOMAIN_LIBC && a->sample.cpu < (uint32_t)c->cpu_count && a->rate &&
	       (!is_refill || a->size < SP_SIZE_CLASSES);
}

static void take_alloc(struct collector *c, const struct sp_alloc *a, size_t size)
{
	struct heap_filter *filter = heap_programs_filter(c->heap);

	if (!is_sound(c, a, size)) {
		c->malformed++;
		return;
	}
	if (a->head.kind == SP_EVENT_ALLOC && filter)
		heap_filter_note(filter, a->head.pid, a->address);
	if (c->sink.on_alloc)
		c->sink.on_alloc(a, c->sink.ctx);
}

static void take_free(struct collector *c, const struct sp_free *f, size_t size)
{
	if (size != sizeof(*f) || f->session >= SP_HEAP_SESSIONS)
		c->malformed++;
	else if (c->sink.on_free)
		c->sink.on_free(f, c->sink.ctx);
}

static int take_record(void *ctx, void *data, size_t size)
{
	const struct sp_event *head = data;
	struct collector *c = ctx;

	if (size < sizeof(*head) || head->size != size)
		c->malformed++;
	else if (head->kind == SP_EVENT_SAMPLE)
		take_sample(c, data, size);
	else if (head->kind == SP_EVENT_ALLOC || head->kind == SP_EVENT_REFILL)
		take_alloc(c, data, size);
	else if (head->kind == SP_EVENT_FREE)
		take_free(c, data, size);
	else if (head->kind == SP_EVENT_CODE && size >= sizeof(struct sp_code))
		c->sink.on_code(data, c->sink.ctx);
	else if (head->kind <= SP_EVENT_SEEN && size == sizeof(struct sp_process))
		c->sink.on_process(data, c->sink.ctx);
	else
		c->malformed++;
	return 0;
}

static uint32_t our_pidns(void)
{
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) || ns.st_ino == FIRST_PIDNS_INODE)
		return 0;
	return ns.st_ino;
}

static int load(struct collector *c, unsigned int stack_depth)
{
	struct spprof_bpf *bpf = c->bpf = spprof_bpf__open();
	int err;

	if (!bpf)
		return -errno;
	bpf->rodata->cfg_pidns = our_pidns();
	bpf->rodata->cfg_stack_depth = stack_depth;
	bpf_map__set_max_entries(bpf->maps.scratches, c->cpu_count);
	err = spprof_bpf__load(bpf);
	return err == -EACCES ? -ENOTSUP : err; /* who may not is told -EPERM */
}

static struct heap_programs *new_heap_programs(const struct collector *c)
{
	struct heap_programs_of of = { .maps = c->bpf->obj,
				       .pidns = c->bpf->rodata->cfg_pidns,
				       .stack_depth = c->bpf->rodata->cfg_stack_depth,
				       .cpu_count = c->cpu_count };

	return heap_programs_new(&of);
}

static int attach_scheduler_events(struct spprof_bpf *bpf)
{
	bpf->links.on_fork = bpf_program__attach(bpf->progs.on_fork);
	bpf->links.on_exec = bpf_program__attach(bpf->progs.on_exec);
	bpf->links.on_exit = bpf_program__attach(bpf->progs.on_exit);
	bpf->links.on_switch = bpf_program__attach(bpf->progs.on_switch);
	if (!bpf->links.on_fork || !bpf->links.on_exec || !bpf->links.on_exit ||
	    !bpf->links.on_switch)
		return -errno;
	return 0;
}

/* Opens the clock of every online processor. Attaching enables it, so it is stopped again. */
static int attach_clocks(struct collector *c, int opener)
{
	int online = 0;

	for (int cpu = 0; cpu < c->cpu_count; cpu++) {
		int fd = perf_open_cpu_clock(opener, cpu, IDLE_PERIOD_NS);

		if (fd == -ENODEV)
			continue;
		if (fd < 0)
			return fd;
		c->links[cpu] = bpf_program__attach_perf_event(c->bpf->progs.on_tick, fd);
		if (!c->links[cpu]) {
			int err = -errno;

			close(fd);
			return err;
		}
		c->clocks[cpu] = fd; /* the link's from now on */
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		online++;
	}
	return online ? 0 : -ENODEV;
}

static int start(struct collector *c, int opener, unsigned int stack_depth)
{
	int err;

	c->cpu_count = libbpf_num_possible_cpus();
	if (c->cpu_count < 0)
		return c->cpu_count;
	c->clocks = malloc(c->cpu_count * sizeof(*c->clocks));
	c->links = calloc(c->cpu_count, sizeof(struct bpf_link *));
	c->drained = calloc(c->cpu_count, sizeof(*c->drained));
	if (!c->clocks || !c->links || !c->drained)
		return -ENOMEM;
	for (int cpu = 0; cpu < c->cpu_count; cpu++)
		c->clocks[cpu] = -1;
	err = load(c, stack_depth);
	if (err)
		return err;
	c->heap = new_heap_programs(c);
	if (!c->heap)
		return -ENOMEM;
	c->ring = ring_buffer__new(bpf_map__fd(c->bpf->maps.events), take_record, c, NULL);
	if (!c->ring)
		return -errno;
	err = attach_scheduler_events(c->bpf);
	return err ? err : attach_clocks(c, opener);
}

struct collector *collector_new(int opener, unsigned int stack_depth,
				const struct collector_sink *sink, int *err)
{
	OWNS(collector) struct collector *c = calloc(1, sizeof(*c));

	if (!c) {
		*err = -ENOMEM;
		return NULL;
	}
	libbpf_set_print(NULL); /* the caller says what failed, in one line */
	c->sink = *sink;
	*err = start(c, opener, stack_depth);
	return *err ? NULL : TAKE(c);
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	for (int cpu = 0; c->links && cpu < c->cpu_count; cpu++)
		bpf_link__destroy(c->links[cpu]);
	ring_buffer__free(c->ring);
	heap_programs_free(c->heap);
	spprof_bpf__destroy(c->bpf);
	free(c->drained);
	free(c->links);
	free(c->clocks);
	free(c);
}

struct heap_programs *collector_heap_programs(struct collector *c)
{
	return c->heap;
}

unsigned int collector_clock_count(const struct collector *c)
{
	unsigned int count = 0;

	for (int cpu = 0; cpu < c->cpu_count; cpu++)
		count += c->clocks[cpu] >= 0;
	return count;
}

int collector_fd(const struct collector *c)
{
	return ring_buffer__epoll_fd(c->ring);
}

int collector_drain(struct collector *c)
{
	int records = ring_buffer__consume(c->ring);

	return records < 0 ? records : 0;
}

int collector_set_clock(struct collector *c, uint64_t period_ns)
{
	if (!period_ns || !c->period_ns)
		c->bpf->bss->clock_start_ns = period_ns ? monotonic_ns() : 0;
	for (int cpu = 0; cpu < c->cpu_count; cpu++) {
		int fd = c->clocks[cpu];

		if (fd < 0)
			continue;
		if (period_ns && ioctl(fd, PERF_EVENT_IOC_PERIOD, &period_ns))
			return -errno;
		if (ioctl(fd, period_ns ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return -errno;
	}
	c->period_ns = period_ns;
	return 0;
}

int collector_follow(struct collector *c, pid_t pid, const struct sp_target *target)
{
	uint32_t key = pid;

	return bpf_map_update_elem(bpf_map__fd(c->bpf->maps.targets), &key, target, BPF_ANY)
		       ? -errno
		       : 0;
}

void collector_unfollow(struct collector *c, pid_t pid)
{
	uint32_t key = pid;

	(void)bpf_map_delete_elem(bpf_map__fd(c->bpf->maps.targets), &key);
}

int collector_target(const struct collector *c, pid_t pid, struct sp_target *target)
{
	uint32_t key = pid;

	return bpf_map_lookup_elem(bpf_map__fd(c->bpf->maps.targets), &key, target) ? -errno : 0;
}

uint32_t collector_new_epoch(void)
{
	uint32_t epoch = (uint32_t)(monotonic_ns() >> 10) & ~1u; /* the programs' are odd */

	return epoch ? epoch : 2; /* 0 means none */
}

int collector_add_layout(struct collector *c, const struct sp_pylayout *at)
{
	uint32_t n = c->layout_count;

	for (uint32_t i = 0; i < n; i++)
		if (!memcmp(&c->layouts[i], at, sizeof(*at)))
			return i;
	if (n == SP_MAX_LAYOUTS)
		return -ENOSPC;
	if (bpf_map_update_elem(bpf_map__fd(c->bpf->maps.layouts), &n, at, BPF_ANY))
		return -errno;
	c->layouts[c->layout_count++] = *at;
	return n;
}

const struct sp_pylayout *collector_layout(const struct collector *c, uint32_t number)
{
	return number < c->layout_count ? &c->layouts[number] : NULL;
}

int collector_add_binary(struct collector *c, const struct sp_binary_id *id,
			 const struct sp_binary *binary)
{
	return bpf_map_update_elem(bpf_map__fd(c->bpf->maps.binaries), id, binary, BPF_ANY) ? -errno
											    : 0;
}

int collector_read_counts(struct collector *c, struct collector_counts *out)
{
	OWNS_MEM struct sp_cpu *cpus = calloc(c->cpu_count, sizeof(*cpus));
	uint32_t zero = 0;

	if (!cpus)
		return -ENOMEM;
	if (bpf_map_lookup_elem(bpf_map__fd(c->bpf->maps.cpus), &zero, cpus))
		return -errno;
	*out = (struct collector_counts){ .delivered = c->delivered };
	out->lost[SP_LOST_MALFORMED] = c->malformed;
	for (int cpu = 0; cpu < c->cpu_count; cpu++) {
		out->taken += c->drained[cpu].taken;
		out->lost[SP_LOST_RING_FULL] += c->drained[cpu].ring_full;
		for (int i = 0; i < SP_COUNT_MAX; i++)
			out->count[i] += cpus[cpu].count[i];
	}
	return 0;
}
