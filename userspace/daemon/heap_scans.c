/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_scans.h"

#include <errno.h>

int heap_scans_init(struct heap_scans *s)
{
	*s = (struct heap_scans){ .growth = growth_new() };
	return s->growth ? 0 : -ENOMEM;
}

void heap_scans_fini(struct heap_scans *s)
{
	growth_free(s->growth);
	*s = (struct heap_scans){ 0 };
}

int heap_scans_copy(const struct heap_scans *s, struct heap_scans *out)
{
	*out = *s;
	out->growth = growth_copy(s->growth);
	if (out->growth)
		return 0;
	*out = (struct heap_scans){ 0 };
	return -ENOMEM;
}

static int tell_types(struct growth *g, const struct heap_census *census)
{
	int err = 0;

	for (uint32_t i = 0; i < census->kind_count && !err; i++) {
		const struct heap_census_kind *k = &census->kinds[i];

		err = growth_typed(g, k->type, k->block_bytes, k->objects);
	}
	return err;
}

static int tell_live(struct growth *g, const struct heap_live *live)
{
	int err = 0;

	for (uint32_t i = 0; i < live->count && !err; i++) {
		const struct estimate *e = &live->rows[i].libc;

		if (e->samples)
			err = growth_sampled(
				g, live->rows[i].stack, e->bytes.seen + e->bytes.unseen,
				e->objects.seen + e->objects.unseen, e->bytes.variance);
	}
	return err;
}

static int tell_classes(struct growth *g, double seconds, const struct heap_census *census)
{
	OWNS_MEM struct growth_class *classes = calloc(census->size_count + 1, sizeof(*classes));
	size_t count = 0;

	if (!classes)
		return -ENOMEM;
	for (uint32_t i = 0; i < census->size_count && census->sizes[i].size <= UINT32_MAX; i++)
		classes[count++] =
			(struct growth_class){ .block_bytes = (uint32_t)census->sizes[i].size,
					       .live_blocks = census->sizes[i].blocks,
					       .freed_blocks = census->sizes[i].freed_blocks,
					       .pools = census->sizes[i].pools };
	return growth_scanned(g, seconds, classes, count);
}

int heap_scans_add(struct heap_scans *s, uint64_t at_ns, const struct heap_census *census,
		   const struct heap_live *live)
{
	int err;

	if (s->count && at_ns <= s->last_ns)
		return 0;
	if (!s->count) {
		s->first_ns = at_ns;
		s->first_live_bytes = census->live_bytes;
		s->first_seen_bytes = live->old_blocks_bytes;
	}
	s->count++;
	s->last_ns = at_ns;
	s->last_live_bytes = census->live_bytes;
	err = tell_types(s->growth, census);
	if (!err)
		err = tell_live(s->growth, live);
	return err ? err : tell_classes(s->growth, (double)(at_ns - s->first_ns) / 1e9, census);
}
