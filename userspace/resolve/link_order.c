/* SPDX-License-Identifier: Apache-2.0 */
/* Source: <link.h> of glibc and musl: struct r_debug, struct link_map. */
#include "resolve/link_order.h"

#include "base/cleanup.h"
#include "resolve/mapped_elf.h"

#include <errno.h>
#include <link.h>

#define MOST_FILES 4096 /* of a list that may be forged, or change while it is read */

/* Whether there is none, so that the next one may be looked at. */
static bool is_none(int err)
{
	return err == -ENOENT || err == -EBADMSG || err == -EFAULT;
}

/* The exports of @m's file, if they have a function called @name. */
static int open_one(const struct target_reader *memory, const struct code_mapping *m,
		    const char *name, struct exports *out)
{
	uint64_t address, bytes;
	int err = exports_open(memory, m->base, out);

	return err ? err : exports_find(out, name, &address, &bytes);
}

/* What each of @code was moved by, in the same order; UINT64_MAX: it is no file of ELF. */
static uint64_t *read_biases(const struct target_reader *memory, const struct code_map *code)
{
	uint64_t *biases = calloc(code->count + 1, sizeof(*biases));

	for (size_t i = 0; biases && i < code->count; i++) {
		struct mapped_elf elf;

		biases[i] = UINT64_MAX;
		if (i && code->rows[i].base == code->rows[i - 1].base)
			biases[i] = biases[i - 1];
		else if (!mapped_elf_read(memory, code->rows[i].base, &elf))
			biases[i] = elf.bias;
	}
	return biases;
}

/* Where the first file's struct link_map is; 0: there is none. */
static uint64_t first_of_list(const struct target_reader *memory, const struct code_map *code)
{
	struct r_debug debug;
	struct exports x;

	for (size_t i = 0; i < code->count; i++) {
		(void)exports_open(memory, code->rows[i].base, &x);
		if (x.linker && !memory->read(memory->ctx, x.linker, &debug, sizeof(debug)))
			return (uintptr_t)debug.r_map;
	}
	return 0;
}

/* In the file that @map is of. */
static int find_in_one(const struct target_reader *memory, const struct code_map *code,
		       const uint64_t *biases, const struct link_map *map, const char *name,
		       struct exports *out)
{
	for (size_t i = 0; i < code->count; i++)
		if (biases[i] == map->l_addr)
			return open_one(memory, &code->rows[i], name, out);
	return -ENOENT;
}

static int find_in_list(const struct target_reader *memory, const struct code_map *code,
			uint64_t at, const char *name, struct exports *out)
{
	OWNS_MEM uint64_t *biases = read_biases(memory, code);
	int err = biases ? -ENOENT : -ENOMEM;

	for (int i = 0; at && i < MOST_FILES && is_none(err); i++) {
		struct link_map map;

		err = memory->read(memory->ctx, at, &map, sizeof(map));
		if (err)
			break;
		err = find_in_one(memory, code, biases, &map, name, out);
		at = (uintptr_t)map.l_next;
	}
	return err;
}

int link_order_find(const struct target_reader *memory, const struct code_map *code,
		    const char *name, struct exports *out)
{
	uint64_t first = first_of_list(memory, code);
	int err = -ENOENT;

	if (first)
		err = find_in_list(memory, code, first, name, out);
	for (size_t i = 0; !first && i < code->count && is_none(err); i++)
		err = open_one(memory, &code->rows[i], name, out);
	return is_none(err) ? -ENOENT : err;
}
