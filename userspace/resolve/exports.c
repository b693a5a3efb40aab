/* SPDX-License-Identifier: Apache-2.0 */
/* Source: ELF gABI; the hash table is DT_GNU_HASH, as described in binutils and glibc. */
#include "resolve/exports.h"

#include "resolve/mapped_elf.h"

#include <errno.h>
#include <string.h>

#define MOST_DYNAMIC 256
#define MOST_CHAIN 4096 /* symbols in one bucket; usual are 1 to 4 */
#define LONGEST_NAME 64

static int read_at(const struct target_reader *memory, uint64_t address, void *out, size_t len)
{
	return memory->read(memory->ctx, address, out, len);
}

/* An address in the dynamic section: ld.so adds the bias to it, but not in every libc. */
static uint64_t moved(const struct exports *x, uint64_t address)
{
	return address < x->bias ? address + x->bias : address;
}

static void take_entry(struct exports *x, const Elf64_Dyn *d)
{
	switch (d->d_tag) {
	case DT_GNU_HASH:
		x->hash = moved(x, d->d_un.d_ptr);
		break;
	case DT_SYMTAB:
		x->symbols = moved(x, d->d_un.d_ptr);
		break;
	case DT_STRTAB:
		x->strings = moved(x, d->d_un.d_ptr);
		break;
	case DT_DEBUG:
		x->linker = d->d_un.d_ptr;
		break;
	}
}

int exports_open(const struct target_reader *memory, uint64_t base, struct exports *out)
{
	const Elf64_Phdr *dynamic;
	struct mapped_elf elf;
	Elf64_Dyn d;
	int err = mapped_elf_read(memory, base, &elf);

	*out = (struct exports){ .memory = memory };
	if (err)
		return err;
	out->bias = elf.bias;
	dynamic = mapped_elf_segment(&elf, PT_DYNAMIC);
	if (!dynamic)
		return -ENOENT;
	for (unsigned int i = 0; i < MOST_DYNAMIC; i++) {
		err = read_at(memory, out->bias + dynamic->p_vaddr + i * sizeof(d), &d, sizeof(d));
		if (err || d.d_tag == DT_NULL)
			break;
		take_entry(out, &d);
	}
	if (!err && (!out->hash || !out->symbols || !out->strings))
		err = -ENOENT;
	return err;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static int take_symbol(const struct exports *x, uint64_t index, const char *name, uint64_t *address,
		       uint64_t *bytes)
{
	char text[LONGEST_NAME];
	Elf64_Sym sym;
	size_t len = strlen(name) + 1;
	int err = read_at(x->memory, x->symbols + index * sizeof(sym), &sym, sizeof(sym));

	if (!err && (len > sizeof(text) || ELF64_ST_TYPE(sym.st_info) != STT_FUNC ||
		     sym.st_shndx == SHN_UNDEF))
		return -ENOENT;
	if (!err)
		err = read_at(x->memory, x->strings + sym.st_name, text, len);
	if (err || memcmp(text, name, len))
		return err ? err : -ENOENT;
	*address = x->bias + sym.st_value;
	*bytes = sym.st_size;
	return 0;
}

int exports_find(const struct exports *x, const char *name, uint64_t *address, uint64_t *bytes)
{
	uint32_t head[4]; /* buckets, first symbol, words of the bloom filter, its shift */
	uint32_t hash = hash_of(name), index, value;
	uint64_t buckets;
	int err = read_at(x->memory, x->hash, head, sizeof(head));

	if (!err && !head[0])
		return -ENOENT;
	buckets = x->hash + sizeof(head) + head[2] * 8ull;
	if (!err)
		err = read_at(x->memory, buckets + hash % head[0] * 4ull, &index, sizeof(index));
	if (!err && index < head[1])
		return -ENOENT;
	for (unsigned int i = 0; !err && i < MOST_CHAIN; i++, index++) {
		uint64_t at = buckets + (head[0] + (uint64_t)index - head[1]) * 4;

		err = read_at(x->memory, at, &value, sizeof(value));
		if (!err && (value | 1) == (hash | 1)) {
			int found = take_symbol(x, index, name, address, bytes);

			if (found != -ENOENT)
				return found;
		}
		if (!err && (value & 1))
			break;
	}
	return err ? err : -ENOENT;
}
