/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/heap_probes.h"

#include "collect/heap_programs.h"
#include "collect/perf_open.h"
#include "heap.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#define ARGUMENTS 4 /* that the programs can read */

struct heap_link {
	int probes; /* the map that has @at; lives as long as the collector */
	struct sp_probe_at at;
	struct bpf_link *entry;
	struct bpf_link *at_return; /* NULL: not asked for */
};

/* Whatever allocates is known by what it returns; the rest is known at once. */
static bool is_possible(const struct heap_probe *p)
{
	bool is_entry_only = p->what.kind == SP_PROBE_REFILL || p->what.kind == SP_PROBE_FREE;
	unsigned int least = p->what.kind == SP_PROBE_REALLOC ? 2 : 1;
	unsigned int most = p->what.kind == SP_PROBE_CALLOC ? ARGUMENTS - 1 : ARGUMENTS;

	return p->what.kind <= SP_PROBE_FREE && p->what.size >= least && p->what.size <= most &&
	       p->has_return == !is_entry_only;
}

/* NULL and *@err on failure. The event is the link's from then on, and closed with it. */
static struct bpf_link *attach(const struct bpf_program *program, int opener,
			       const struct heap_probe *probe, bool is_return, int *err)
{
	struct perf_uprobe at = { .pid = probe->pid,
				  .offset = probe->offset,
				  .is_return = is_return };
	OWNS_FD int event = perf_open_uprobe(opener, probe->file, &at);
	struct bpf_link *link = NULL;

	if (event < 0) {
		*err = event;
		return NULL;
	}
	link = bpf_program__attach_perf_event(program, event);
	*err = link ? 0 : -errno;
	if (link)
		(void)TAKE_FD(event);
	return link;
}

/*
 * The return comes first and goes last: a call whose entry was seen is seen to return, but for
 * those that are under way when the second one goes.
 */
static int attach_both(struct heap_link *link, const struct heap_bpf *bpf, int opener,
		       const struct heap_probe *probe)
{
	int err = 0;

	if (probe->has_return)
		link->at_return = attach(bpf->progs.on_heap_return, opener, probe, true, &err);
	if (!err)
		link->entry = attach(bpf->progs.on_heap_probe, opener, probe, false, &err);
	return err;
}

static int add_probe(int probes, const struct heap_link *link, const struct sp_probe *what)
{
	if (!bpf_map_update_elem(probes, &link->at, what, BPF_NOEXIST))
		return 0;
	return errno == E2BIG ? -ENOSPC : -errno;
}

struct heap_link *heap_link_new(struct collector *c, int opener, const struct heap_probe *probe,
				int *err)
{
	struct heap_bpf *bpf = heap_programs_load(collector_heap_programs(c), err);
	OWNS(heap_link) struct heap_link *link = bpf ? calloc(1, sizeof(*link)) : NULL;
	int probes;

	if (!bpf)
		return NULL;
	*err = link ? 0 : -ENOMEM;
	if (link && !is_possible(probe))
		*err = -EINVAL;
	if (*err)
		return NULL;
	probes = bpf_map__fd(bpf->maps.probes);
	link->at = (struct sp_probe_at){ .ip = probe->ip, .pid = probe->pid };
	link->probes = -1;
	*err = add_probe(probes, link, &probe->what);
	if (*err)
		return NULL;
	link->probes = probes;
	*err = attach_both(link, bpf, opener, probe);
	return *err ? NULL : TAKE(link);
}

void heap_link_free(struct heap_link *link)
{
	if (!link)
		return;
	bpf_link__destroy(link->entry);
	bpf_link__destroy(link->at_return);
	if (link->probes >= 0)
		(void)bpf_map_delete_elem(link->probes, &link->at);
	free(link);
}

int heap_probes_follow(struct collector *c, pid_t pid, const struct sp_heap_target *target)
{
	uint32_t key = pid;
	int err;
	const struct heap_bpf *bpf = heap_programs_load(collector_heap_programs(c), &err);

	if (!bpf)
		return err;
	if (target->session >= SP_HEAP_SESSIONS)
		return -EINVAL;
	if (!bpf_map_update_elem(bpf_map__fd(bpf->maps.heap_targets), &key, target, BPF_ANY))
		return 0;
	return errno == E2BIG ? -ENOSPC : -errno;
}

void heap_probes_unfollow(struct collector *c, pid_t pid)
{
	const struct heap_bpf *bpf = heap_programs_loaded(collector_heap_programs(c));
	uint32_t key = pid;

	if (bpf)
		(void)bpf_map_delete_elem(bpf_map__fd(bpf->maps.heap_targets), &key);
}

static void add_counts(const struct sp_heap_counts *cpu, struct sp_heap_counts *sum)
{
	for (int i = 0; i < SP_HEAP_COUNT_MAX; i++)
		sum->count[i] += cpu->count[i];
	for (int i = 0; i < SP_HEAP_LOST_MAX; i++)
		sum->lost[i] += cpu->lost[i];
}

int heap_probes_counts(struct collector *c, uint32_t session, struct sp_heap_counts *out)
{
	struct heap_programs *p = collector_heap_programs(c);
	const struct heap_bpf *bpf = heap_programs_loaded(p);
	int cpu_count = heap_programs_cpu_count(p);
	OWNS_MEM struct sp_heap_counts *cpus = calloc(cpu_count, sizeof(*cpus));

	memset(out, 0, sizeof(*out));
	if (!cpus)
		return -ENOMEM;
	if (!bpf)
		return 0;
	if (bpf_map_lookup_elem(bpf_map__fd(bpf->maps.heap_counts), &session, cpus))
		return -errno;
	for (int cpu = 0; cpu < cpu_count; cpu++)
		add_counts(&cpus[cpu], out);
	return 0;
}

int heap_probes_reset_counts(struct collector *c, uint32_t session)
{
	struct heap_programs *p = collector_heap_programs(c);
	const struct heap_bpf *bpf = heap_programs_loaded(p);
	OWNS_MEM struct sp_heap_counts *zeros = calloc(heap_programs_cpu_count(p), sizeof(*zeros));
	int map;

	if (!zeros)
		return -ENOMEM;
	if (!bpf)
		return 0;
	map = bpf_map__fd(bpf->maps.heap_counts);
	return bpf_map_update_elem(map, &session, zeros, BPF_ANY) ? -errno : 0;
}

/* Where what lives alone makes so many ones, it is due when as much again was added. */
bool heap_probes_filter_is_full(struct collector *c)
{
	const struct heap_filter *f = heap_programs_filter(collector_heap_programs(c));

	return f && f->kept + f->added > SP_FILTER_HALF && f->added >= f->kept;
}

static volatile __u32 *answering_side(struct heap_programs *p)
{
	return &heap_programs_loaded(p)->bss->heap_filter_side;
}

static struct sp_filter *side_in_the_making(struct heap_programs *p)
{
	return &heap_programs_filter(p)->sides[!*answering_side(p)];
}

/*
 * The programs send a sample first and then add it to both sides: one that added it to what is
 * cleared here sent it before that, and the ring has it. Of what is still being written into the
 * ring, the collector makes sure when it arrives: heap_filter_note().
 */
int heap_probes_filter_begin(struct collector *c)
{
	struct heap_programs *p = collector_heap_programs(c);
	struct heap_filter *f = heap_programs_filter(p);

	if (!f)
		return -ENOENT;
	memset(side_in_the_making(p), 0, sizeof(struct sp_filter));
	atomic_thread_fence(memory_order_seq_cst);
	f->kept = 0;
	f->added = 0;
	return 0;
}

void heap_probes_filter_keep(struct collector *c, pid_t pid, uint64_t address)
{
	struct heap_programs *p = collector_heap_programs(c);

	heap_filter_set(side_in_the_making(p), pid, address);
	heap_programs_filter(p)->kept++;
}

void heap_probes_filter_end(struct collector *c)
{
	volatile __u32 *side = answering_side(collector_heap_programs(c));

	atomic_thread_fence(memory_order_seq_cst);
	*side = !*side;
}
