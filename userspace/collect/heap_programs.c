/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/heap_programs.h"

#include "heap.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define FILTER_BYTES (SP_FILTER_SIDES * sizeof(struct sp_filter))

struct heap_programs {
	struct heap_programs_of of;
	pthread_mutex_t loading;
	_Atomic(struct heap_bpf *) bpf; /* NULL: not loaded; what it is then, it stays */
	struct heap_filter filter;
};

struct heap_programs *heap_programs_new(const struct heap_programs_of *of)
{
	struct heap_programs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->of = *of;
	pthread_mutex_init(&p->loading, NULL);
	return p;
}

void heap_programs_free(struct heap_programs *p)
{
	if (!p)
		return;
	if (p->filter.sides)
		munmap(p->filter.sides, FILTER_BYTES);
	heap_bpf__destroy(p->bpf);
	pthread_mutex_destroy(&p->loading);
	free(p);
}

/* All but the scratches, which a tick must not share with what it interrupts. */
static int share_maps(struct heap_bpf *bpf, struct bpf_object *others)
{
	struct bpf_map *map, *other;

	bpf_object__for_each_map(map, bpf->obj)
	{
		if (bpf_map__is_internal(map) || map == bpf->maps.scratches)
			continue;
		other = bpf_object__find_map_by_name(others, bpf_map__name(map));
		if (other && bpf_map__reuse_fd(map, bpf_map__fd(other)))
			return -errno;
	}
	return 0;
}

static int map_filter(struct heap_programs *p, struct heap_bpf *bpf)
{
	void *sides = mmap(NULL, FILTER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			   bpf_map__fd(bpf->maps.heap_filter), 0);

	if (sides == MAP_FAILED)
		return -errno;
	p->filter.sides = sides;
	return 0;
}

static int prepare(struct heap_programs *p, struct heap_bpf *bpf)
{
	int err;

	bpf->rodata->cfg_pidns = p->of.pidns;
	bpf->rodata->cfg_stack_depth = p->of.stack_depth;
	bpf_map__set_max_entries(bpf->maps.scratches, p->of.cpu_count);
	err = share_maps(bpf, p->of.maps);
	if (!err)
		err = heap_bpf__load(bpf);
	return err ? err : map_filter(p, bpf);
}

/* A verifier that does not know what they use has many errors for it. */
static int reason(int err)
{
	return err == -EPERM || err == -ENOMEM ? err : -ENOTSUP;
}

static int load(struct heap_programs *p)
{
	struct heap_bpf *bpf = heap_bpf__open();
	int err = bpf ? prepare(p, bpf) : -errno;

	if (err) {
		heap_bpf__destroy(bpf);
		return reason(err);
	}
	p->bpf = bpf;
	return 0;
}

struct heap_bpf *heap_programs_load(struct heap_programs *p, int *err)
{
	pthread_mutex_lock(&p->loading);
	*err = p->bpf ? 0 : load(p);
	pthread_mutex_unlock(&p->loading);
	return p->bpf;
}

struct heap_bpf *heap_programs_loaded(struct heap_programs *p)
{
	return p->bpf;
}

int heap_programs_cpu_count(const struct heap_programs *p)
{
	return p->of.cpu_count;
}

struct heap_filter *heap_programs_filter(struct heap_programs *p)
{
	return heap_programs_loaded(p) ? &p->filter : NULL;
}

void heap_filter_set(struct sp_filter *side, pid_t pid, uint64_t address)
{
	struct sp_filter_places places;

	sp_filter_find(pid, address, &places);
	for (int i = 0; i < SP_FILTER_HASHES; i++)
		*(volatile __u8 *)&side->is_set[places.at[i]] = 1;
}

void heap_filter_note(struct heap_filter *f, pid_t pid, uint64_t address)
{
	for (int side = 0; side < SP_FILTER_SIDES; side++)
		heap_filter_set(&f->sides[side], pid, address);
	f->added++;
}
