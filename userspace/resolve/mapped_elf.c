/* SPDX-License-Identifier: Apache-2.0 */
/* Source: ELF gABI, chapter 5. */
#include "resolve/mapped_elf.h"

#include <errno.h>
#include <string.h>

#define PAGE_MASK 0xfffull

int mapped_elf_read(const struct target_reader *memory, uint64_t base, struct mapped_elf *out)
{
	const Elf64_Phdr *load;
	Elf64_Ehdr head;
	int err = memory->read(memory->ctx, base, &head, sizeof(head));

	if (err)
		return err;
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phnum > MAPPED_ELF_SEGMENTS ||
	    head.e_phentsize != sizeof(out->segments[0]))
		return -EBADMSG;
	out->count = head.e_phnum;
	err = memory->read(memory->ctx, base + head.e_phoff, out->segments,
			   out->count * sizeof(out->segments[0]));
	if (err)
		return err;
	load = mapped_elf_segment(out, PT_LOAD);
	if (!load)
		return -ENOENT;
	out->bias = base - (load->p_vaddr & ~PAGE_MASK);
	return 0;
}

const Elf64_Phdr *mapped_elf_segment(const struct mapped_elf *e, uint32_t type)
{
	for (unsigned int i = 0; i < e->count; i++)
		if (e->segments[i].p_type == type)
			return &e->segments[i];
	return NULL;
}
