/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/mimalloc_segments.h"

#include "base/buffer.h"
#include "base/procfs_file.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#define PAGE_BYTES 4096
#define PAGE_IS_THERE (3ull << 62) /* present or swapped; source: proc_pid_pagemap(5) */

struct search {
	pid_t pid;
	const atomic_bool *is_cancelled;
	int pagemap; /* -1: kernels can do without it */
	struct buffer found;
	size_t left_out;
};

/* Reading what was never touched would give the target page tables for it. */
static bool is_touched(const struct search *s, uint64_t address)
{
	uint64_t entry;

	if (s->pagemap < 0)
		return true;
	return pread(s->pagemap, &entry, sizeof(entry),
		     (off_t)(address / PAGE_BYTES * sizeof(entry))) == sizeof(entry) &&
	       entry & PAGE_IS_THERE;
}

static int try_address(struct search *s, uint64_t address)
{
	uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES];
	struct mimalloc_segment one;
	int err;

	if (s->is_cancelled && atomic_load(s->is_cancelled))
		return -ECANCELED;
	if (!is_touched(s, address))
		return 0;
	err = target_read(s->pid, address, head, sizeof(head));
	if (err)
		return err == -EFAULT ? 0 : err;
	if (mimalloc_decode_segment(head, address, &one))
		return 0;
	if (s->found.len >= MIMALLOC_MOST_SEGMENTS * sizeof(one))
		s->left_out++;
	else
		buffer_add(&s->found, &one, sizeof(one));
	return buffer_error(&s->found);
}

#define MOST_BYTES (MIMALLOC_MOST_SEGMENTS * MIMALLOC_SEGMENT_BYTES)

/*
 * Files are none, but for the one that stands for anonymous memory in huge pages; neither is what
 * is larger than all that may be found: the shadow of AddressSanitizer (14 TiB), which would take
 * half a second.
 */
static bool may_have_segments(const struct proc_mapping *m)
{
	if (m->end - m->start > MOST_BYTES)
		return false;
	return !m->inode || !strncmp(m->path, "/anon_hugepage", strlen("/anon_hugepage"));
}

static int try_mapping(const struct proc_mapping *m, void *ctx)
{
	uint64_t address = (m->start + MIMALLOC_SEGMENT_BYTES - 1) & ~(MIMALLOC_SEGMENT_BYTES - 1);
	int err = 0;

	if (!may_have_segments(m))
		return 0;
	for (; !err && address < m->end && address >= m->start; address += MIMALLOC_SEGMENT_BYTES)
		err = try_address(ctx, address);
	return err;
}

static bool are_of_one(const struct mimalloc_segment *a, const struct mimalloc_segment *b)
{
	return a->key == b->key && a->version == b->version;
}

/* One of the mimalloc that has more than half of them, if there is such. */
static struct mimalloc_segment of_majority(const struct mimalloc_segment *all, size_t count)
{
	struct mimalloc_segment one = { .address = 0 };
	size_t lead = 0;

	for (size_t i = 0; i < count; i++) {
		if (!lead)
			one = all[i];
		lead = are_of_one(&all[i], &one) ? lead + 1 : lead - 1;
	}
	return one;
}

size_t mimalloc_segments_agree(struct mimalloc_segment *all, size_t count)
{
	struct mimalloc_segment one = of_majority(all, count);
	uint64_t end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!are_of_one(&all[i], &one) || all[i].address < end)
			continue;
		end = all[i].address + all[i].bytes;
		all[kept++] = all[i];
	}
	return kept;
}

int mimalloc_segments_find(pid_t pid, const atomic_bool *is_cancelled,
			   struct mimalloc_segments *out)
{
	struct search s = { .pid = pid, .is_cancelled = is_cancelled };
	OWNS_FD int pagemap = -1;
	char path[PROCFS_PATH_ROOM];
	int err;

	procfs_path(path, pid, 0, "pagemap");
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	s.pagemap = pagemap;
	err = proc_each_mapping(pid, try_mapping, &s);
	if (err) {
		buffer_fini(&s.found);
		return err;
	}
	out->all = (struct mimalloc_segment *)(void *)s.found.data;
	out->count = mimalloc_segments_agree(out->all, s.found.len / sizeof(*out->all));
	out->left_out = s.left_out;
	return 0;
}
