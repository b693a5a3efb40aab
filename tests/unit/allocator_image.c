/* SPDX-License-Identifier: Apache-2.0 */
#include "allocator_image.h"

#include "python/pymalloc_arena.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DYNAMIC 0x400
#define HASH 0x800
#define SYMBOLS 0xa00
#define STRINGS 0xc00
#define FUNCTIONS 0x700 /* from AI_CODE */
#define ENTRY PYMALLOC_ARENA_OBJECT_BYTES

static int read_image(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct allocator_image *m = ctx;
	uint64_t arena = (address - AI_ARENAS) / AI_ARENA_STEP;
	uint64_t within = (address - AI_ARENAS) % AI_ARENA_STEP;

	m->reads++;
	if (m->fails_with)
		return m->fails_with;
	if (address >= AI_BASE && address < AI_END && len <= AI_END - address) {
		memcpy(dst, m->bytes + (address - AI_BASE), len);
		return 0;
	}
	if (address < AI_ARENAS || arena >= AI_MOST_ARENAS || within >= sizeof(m->pages[0]) ||
	    len > sizeof(m->pages[0]) - within)
		return -EFAULT;
	memcpy(dst, m->pages[arena] + within, len);
	return 0;
}

struct target_reader allocator_image_reader(struct allocator_image *m)
{
	return (struct target_reader){ .read = read_image, .ctx = m };
}

struct allocator_image *allocator_image_new(void)
{
	struct allocator_image *m = calloc(1, sizeof(*m));

	m->code[0] = (struct place){ AI_CODE, AI_FOREIGN };
	m->code[1] = (struct place){ AI_FOREIGN, AI_RUNTIME };
	m->places = (struct allocator_places){ .runtime = AI_RUNTIME,
					       .base = AI_BASE,
					       .end = AI_HEAP,
					       .has_runtime = true,
					       .data = { { AI_RUNTIME, AI_STATICS },
							 { AI_STATICS, AI_HEAP } },
					       .data_count = 2,
					       .code = m->code,
					       .code_count = 2,
					       .own_code_end = 1 };
	return m;
}

void allocator_image_put(struct allocator_image *m, uint64_t address, uint64_t word)
{
	memcpy(m->bytes + (address - AI_BASE), &word, sizeof(word));
}

void allocator_image_put_u32(struct allocator_image *m, uint64_t address, uint32_t value)
{
	memcpy(m->bytes + (address - AI_BASE), &value, sizeof(value));
}

void allocator_image_table(struct allocator_image *m, uint64_t address, uint64_t ctx,
			   uint64_t functions)
{
	allocator_image_put(m, address, ctx);
	for (uint64_t i = 0; i < 4; i++)
		allocator_image_put(m, address + 8 + i * 8, functions + i * 16);
}

void allocator_image_tables(struct allocator_image *m, uint64_t address, uint64_t functions)
{
	static const char ids[] = "rmo";

	for (uint64_t i = 0; i < 3; i++) {
		uint64_t of = i ? functions : AI_MALLOC;

		allocator_image_table(m, address + i * 40, 0, of);
		allocator_image_put(m, address + 120 + i * 48, ids[i]);
		allocator_image_table(m, address + 128 + i * 48, 0, of);
	}
}

/* An arena whose first pool has blocks of 32 bytes. */
static void put_arena(struct allocator_image *m, const struct allocator_array *a, uint32_t i)
{
	uint64_t entry = a->at + (uint64_t)i * ENTRY;
	uint64_t arena = a->first_arena + i;
	uint64_t address = AI_ARENAS + arena % AI_MOST_ARENAS * AI_ARENA_STEP + a->moved;
	uint64_t first = (address + a->pool_bytes - 1) & ~(a->pool_bytes - 1ull);
	uint32_t pools = a->arena_bytes / a->pool_bytes - (first != address);
	const uint32_t pool[] = { 3, 0, 0, 0, 0, 0, 0, 0, i, 1, 48 + 4 * 32, a->pool_bytes - 32 };

	allocator_image_put(m, entry, address);
	allocator_image_put(m, entry + 8, first + a->pool_bytes);
	allocator_image_put_u32(m, entry + 16, pools - 1);
	allocator_image_put_u32(m, entry + 20, pools);
	if (arena < AI_MOST_ARENAS)
		memcpy(m->pages[arena] + (first - AI_ARENAS) % AI_ARENA_STEP, pool, sizeof(pool));
}

void allocator_image_array(struct allocator_image *m, const struct allocator_array *a)
{
	for (uint32_t i = 0; i < a->entries; i++) {
		uint64_t entry = a->at + (uint64_t)i * ENTRY;

		for (uint64_t k = 0; k < ENTRY; k += 8) /* malloc's memory is not zeroed */
			allocator_image_put(m, entry + k, 0x6b6b6b6b6b6b6b6bull);
		allocator_image_put(m, entry, 0);
		allocator_image_put(m, entry + 24, 0);
		allocator_image_put(m, entry + 32, i + 1 < a->entries ? entry + ENTRY : 0);
		if (i < a->used)
			put_arena(m, a, i);
	}
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* mov rdi, [rip+table] ; jmp [rip+table+8] */
static void put_code(struct allocator_image *m, uint64_t at, uint64_t table)
{
	static const uint8_t mov[] = { 0x48, 0x8b, 0x3d }, jmp[] = { 0xff, 0x25 };

	memcpy(m->bytes + (at - AI_BASE), mov, sizeof(mov));
	allocator_image_put_u32(m, at + 3, table - (at + 7));
	memcpy(m->bytes + (at + 7 - AI_BASE), jmp, sizeof(jmp));
	allocator_image_put_u32(m, at + 9, table + 8 - (at + 13));
}

void allocator_image_exports(struct allocator_image *m)
{
	static const char names[3][16] = { "PyMem_RawMalloc", "PyMem_Malloc", "PyObject_Malloc" };
	const Elf64_Dyn dynamic[] = { { DT_GNU_HASH, { AI_BASE + HASH } },
				      { DT_SYMTAB, { AI_BASE + SYMBOLS } },
				      { DT_STRTAB, { AI_BASE + STRINGS } },
				      { DT_NULL, { 0 } } };
	const uint32_t hash[] = { 1, 1, 1, 0, ~0u, ~0u, 1 }; /* one bucket, its first symbol */
	const Elf64_Phdr parts[] = { { .p_type = PT_LOAD, .p_vaddr = AI_BASE },
				     { .p_type = PT_DYNAMIC, .p_vaddr = AI_BASE + DYNAMIC } };
	Elf64_Ehdr head = { .e_ident = ELFMAG,
			    .e_phoff = sizeof(head),
			    .e_phentsize = sizeof(parts[0]),
			    .e_phnum = 2 };

	memcpy(m->bytes, &head, sizeof(head));
	memcpy(m->bytes + sizeof(head), parts, sizeof(parts));
	memcpy(m->bytes + DYNAMIC, dynamic, sizeof(dynamic));
	memcpy(m->bytes + HASH, hash, sizeof(hash));
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t code = AI_CODE + FUNCTIONS + i * 32;
		Elf64_Sym symbol = { .st_name = 1 + i * sizeof(names[0]),
				     .st_info = STT_FUNC,
				     .st_shndx = 1,
				     .st_value = code,
				     .st_size = 13 };
		uint32_t value = (hash_of(names[i]) & ~1u) | (i == 2);

		memcpy(m->bytes + STRINGS + symbol.st_name, names[i], sizeof(names[i]));
		memcpy(m->bytes + SYMBOLS + (i + 1) * sizeof(symbol), &symbol, sizeof(symbol));
		memcpy(m->bytes + HASH + sizeof(hash) + i * 4, &value, sizeof(value));
		put_code(m, code, AI_STATICS + i * 40);
	}
}
