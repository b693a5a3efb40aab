/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/function_extent.h"

#include "native/eh_frame.h"
#include "resolve/mapped_elf.h"

#include <errno.h>

/* The index as it lies in the process. */
struct unwind_index {
	const struct target_reader *memory;
	uint64_t address;
	uint32_t rows;
};

static int open_index(const struct target_reader *memory, uint64_t base, struct unwind_index *out)
{
	uint8_t head[EH_FRAME_HEAD_BYTES];
	const Elf64_Phdr *segment;
	struct mapped_elf elf;
	uint64_t most;
	int err = mapped_elf_read(memory, base, &elf);

	if (err)
		return err == -EBADMSG ? -ENOENT : err;
	segment = mapped_elf_segment(&elf, PT_GNU_EH_FRAME);
	if (!segment || segment->p_memsz < sizeof(head))
		return -ENOENT;
	*out = (struct unwind_index){ .memory = memory, .address = elf.bias + segment->p_vaddr };
	err = memory->read(memory->ctx, out->address, head, sizeof(head));
	if (err)
		return err;
	most = (segment->p_memsz - sizeof(head)) / EH_FRAME_ROW_BYTES;
	out->rows = eh_frame_rows(head);
	if (out->rows > most)
		out->rows = most;
	return out->rows ? 0 : -ENOENT;
}

static int read_row(const struct unwind_index *x, uint32_t i, uint64_t *start, uint64_t *entry)
{
	uint64_t at = x->address + EH_FRAME_HEAD_BYTES + (uint64_t)i * EH_FRAME_ROW_BYTES;
	uint8_t row[EH_FRAME_ROW_BYTES];
	int err = x->memory->read(x->memory->ctx, at, row, sizeof(row));

	if (!err)
		eh_frame_row(row, x->address, start, entry);
	return err;
}

/* The last row that does not begin behind @address; the first one, if all do. */
static int find_row(const struct unwind_index *x, uint64_t address, uint64_t *start,
		    uint64_t *entry)
{
	uint32_t low = 0, high = x->rows;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		int err = read_row(x, middle, start, entry);

		if (err)
			return err;
		if (*start <= address)
			low = middle;
		else
			high = middle;
	}
	return read_row(x, low, start, entry);
}

int function_extent_find(const struct target_reader *memory, uint64_t base, uint64_t address,
			 struct function_extent *out)
{
	uint8_t entry[EH_FRAME_ENTRY_BYTES];
	struct unwind_index x;
	uint64_t at;
	int err = open_index(memory, base, &x);

	if (!err)
		err = find_row(&x, address, &out->start, &at);
	if (!err)
		err = memory->read(memory->ctx, at, entry, sizeof(entry));
	if (err)
		return err == -EFAULT ? -ENOENT : err;
	out->bytes = eh_frame_bytes(entry, at, out->start);
	return address - out->start < out->bytes ? 0 : -ENOENT;
}
