/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A uprobe is put into a file, and comes up wherever the file is mapped: so it must be the very
 * one, and what is decoded are its bytes.
 */
#include "resolve/heap_sites_parts.h"

#include "base/file_read.h"
#include "native/probe_site.h"
#include "resolve/function_extent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FUNCTION_MOST 65536 /* bytes that are looked at */

const char heap_sites_gone[] = "the file of its allocator was deleted or replaced on disk";

static int refuse(struct heap_sites_search *s, const char *why)
{
	*s->why = why;
	return -ENOTSUP;
}

/* Opens the file that is mapped at @m. A descriptor, or as heap_sites_add(). */
static int open_mapped(struct heap_sites_search *s, const struct code_mapping *m)
{
	OWNS_FD int named = target_name_mapping(s->pid, &m->at);
	OWNS_FD int fd = -1;
	struct stat st;

	if (named == -ENOENT || named == -ESTALE || named == -ENOTDIR)
		return refuse(s, heap_sites_gone);
	if (named < 0)
		return named == -EACCES ? -EPERM : named;
	if (fstat(named, &st))
		return -errno;
	if (!st.st_nlink)
		return refuse(s, heap_sites_gone);
	fd = target_open_named(named);
	if (fd == -EACCES)
		return refuse(s, "the file of its allocator may not be read");
	return TAKE_FD(fd);
}

/* The number of @m's file among those of the sites, or as heap_sites_add(). */
static int take_file(struct heap_sites_search *s, const struct code_mapping *m)
{
	struct heap_sites *out = s->out;
	int fd;

	for (size_t i = 0; i < out->file_count; i++)
		if (code_mapping_is_same_file(s->files[i], m))
			return i;
	if (out->file_count == HEAP_SITES_MOST_FILES)
		return refuse(s, "its allocator is in too many files");
	fd = open_mapped(s, m);
	if (fd < 0)
		return fd;
	out->files[out->file_count] = fd;
	s->files[out->file_count] = m;
	return out->file_count++;
}

/* How far the function goes, and not out of @m. */
static int find_bytes(struct heap_sites_search *s, const struct heap_function *f,
		      const struct code_mapping *m, uint64_t *bytes)
{
	struct function_extent extent = { f->address, f->bytes };
	int err = 0;

	if (!f->bytes)
		err = function_extent_find(&s->memory, m->base, f->address, &extent);
	if (err == -ENOENT || (!err && extent.start != f->address))
		return refuse(s, "where the functions of its allocator end is not known");
	*bytes = extent.bytes;
	if (*bytes > m->at.end - f->address)
		*bytes = m->at.end - f->address;
	if (*bytes > FUNCTION_MOST)
		*bytes = FUNCTION_MOST;
	return err;
}

static const struct code_mapping *find_mapping(struct heap_sites_search *s, uint64_t address)
{
	const struct code_mapping *m = code_map_find(&s->code, address);

	if (!m)
		(void)refuse(s, "its allocator's code is not in a file");
	return m;
}

static uint64_t offset_of(const struct code_mapping *m, uint64_t address)
{
	return address - m->at.start + m->at.offset;
}

int heap_sites_read_code(struct heap_sites_search *s, const struct heap_function *f, uint8_t **code,
			 size_t *bytes)
{
	const struct code_mapping *m = find_mapping(s, f->address);
	OWNS_MEM uint8_t *read = NULL;
	uint64_t len;
	ssize_t got;
	int file, err;

	if (!m)
		return -ENOTSUP;
	err = find_bytes(s, f, m, &len);
	file = err ? err : take_file(s, m);
	if (file < 0)
		return file;
	read = malloc(len ? len : 1);
	if (!read)
		return -ENOMEM;
	got = file_read_at(s->out->files[file], offset_of(m, f->address), read, len);
	if (got < 0)
		return got;
	*bytes = got;
	*code = TAKE(read);
	return 0;
}

/* What must be unchanged at a site of @what. */
static unsigned int wanted_of(const struct sp_probe *what)
{
	unsigned int size = PROBE_SITE_ARGUMENT(what->size);

	switch (what->kind) {
	case SP_PROBE_CALLOC:
		return PROBE_SITE_STACK | size | PROBE_SITE_ARGUMENT(what->size + 1);
	case SP_PROBE_REALLOC:
		return PROBE_SITE_STACK | size | PROBE_SITE_ARGUMENT(what->size - 1);
	case SP_PROBE_POSIX_MEMALIGN:
		return PROBE_SITE_STACK | size | PROBE_SITE_ARGUMENT(1);
	case SP_PROBE_MALLOC:
		return PROBE_SITE_STACK | size;
	}
	return size;
}

static bool is_there(const struct heap_sites *out, uint64_t ip)
{
	for (size_t i = 0; i < out->count; i++)
		if (out->site[i].ip == ip)
			return true;
	return false;
}

static int place(struct heap_sites_search *s, const struct heap_function *f,
		 const struct probe_site *at)
{
	const struct code_mapping *m = code_map_find(&s->code, f->address);
	struct heap_site *site = &s->out->site[s->out->count];

	if (is_there(s->out, f->address + at->offset))
		return 0;
	if (s->out->count == HEAP_SITES_MOST)
		return refuse(s, "its allocator has too many functions");
	*site = (struct heap_site){ .file = take_file(s, m),
				    .ip = f->address + at->offset,
				    .has_return = wanted_of(&f->what) & PROBE_SITE_STACK,
				    .what = f->what };
	site->offset = offset_of(m, site->ip);
	site->what.is_stepped = !at->is_emulated;
	snprintf(site->function, sizeof(site->function), "%s", f->name);
	s->out->count++;
	return 0;
}

int heap_sites_add(struct heap_sites_search *s, const struct heap_function *f)
{
	OWNS_MEM uint8_t *code = NULL;
	struct probe_site at;
	uint64_t bytes;
	int err = heap_sites_read_code(s, f, &code, &bytes);

	if (err)
		return err;
	err = probe_site_find(code, bytes, f->address, wanted_of(&f->what), &at);
	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(s, "a function of its allocator has no place for a probe");
	return place(s, f, &at);
}
