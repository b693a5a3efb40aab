/* SPDX-License-Identifier: Apache-2.0 */
#include "native/elf_image.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define BASE 0x400000
#define VERSION 0x030c01f0

enum { SYM_NONE, SYM_RUNTIME, SYM_VERSION, SYM_FUNCTION, SYMS };
enum { SEC_NONE, SEC_SYMS, SEC_STRINGS, SEC_RUNTIME, SEC_TEXTS, SECS };

static const char strings[] = "\0_PyRuntime\0Py_Version\0PyFrame_GetCode\0.PyRuntime\0.rodata";
#define NAME_RUNTIME 1
#define NAME_VERSION 12
#define NAME_FUNCTION 23
#define NAME_SECTION 39
#define NAME_TEXTS 50

/* As much of a Python as is looked at. File offset 0 is loaded at BASE. */
struct file {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Sym syms[SYMS];
	char strings[sizeof(strings)];
	uint32_t version;
	Elf64_Shdr sections[SECS];
};

static struct file python(void)
{
	struct file f = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_phoff = offsetof(struct file, segments),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2,
			  .e_shoff = offsetof(struct file, sections),
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = SECS,
			  .e_shstrndx = SEC_STRINGS },
		.segments = { { .p_type = PT_INTERP },
			      { .p_type = PT_LOAD,
				.p_vaddr = BASE + 0x10,
				.p_offset = 0x10,
				.p_filesz = sizeof(f) - 0x10,
				.p_memsz = 0x10000 } },
		.syms = { [SYM_RUNTIME] = { .st_name = NAME_RUNTIME,
					    .st_shndx = SEC_RUNTIME,
					    .st_value = BASE + 0x8000 },
			  [SYM_VERSION] = { .st_name = NAME_VERSION,
					    .st_shndx = SEC_STRINGS,
					    .st_value = BASE + offsetof(struct file, version) } },
		.version = VERSION,
		.sections = { [SEC_SYMS] = { .sh_type = SHT_DYNSYM,
					     .sh_offset = offsetof(struct file, syms),
					     .sh_size = sizeof(f.syms),
					     .sh_link = SEC_STRINGS },
			      [SEC_STRINGS] = { .sh_type = SHT_STRTAB,
						.sh_offset = offsetof(struct file, strings),
						.sh_size = sizeof(strings) },
			      [SEC_RUNTIME] = { .sh_type = SHT_PROGBITS,
						.sh_name = NAME_SECTION,
						.sh_addr = BASE + 0x9000 },
			      [SEC_TEXTS] = { .sh_type = SHT_PROGBITS,
					      .sh_name = NAME_TEXTS,
					      .sh_offset = offsetof(struct file, strings),
					      .sh_size = sizeof(strings) } },
	};

	memcpy(f.strings, strings, sizeof(strings));
	return f;
}

static int find(const struct file *f, struct elf_python *out)
{
	*out = (struct elf_python){ .runtime = 1, .version = 2 };
	return elf_find_python(f, sizeof(*f), out);
}

Test(elf_image, a_python_says_where_its_runtime_is_and_which_version_it_is)
{
	struct file f = python();
	struct elf_python found;

	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.runtime, BASE + 0x8000));
	cr_expect(eq(u32, found.version, VERSION));
	cr_expect(eq(u64, found.first_load, BASE));
	cr_expect(found.is_executable);
}

Test(elf_image, the_full_table_of_symbols_serves_as_well)
{
	struct file f = python();
	struct elf_python found;

	f.sections[SEC_SYMS].sh_type = SHT_SYMTAB;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.runtime, BASE + 0x8000));
}

Test(elf_image, without_symbols_the_section_tells)
{
	struct file f = python();
	struct elf_python found;

	f.sections[SEC_SYMS].sh_type = SHT_PROGBITS;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.runtime, BASE + 0x9000));
	cr_expect(eq(u32, found.version, 0));
}

Test(elf_image, who_only_uses_the_runtime_is_no_python)
{
	struct file f = python();
	struct elf_python found;

	f.syms[SYM_RUNTIME].st_shndx = SHN_UNDEF;
	f.sections[SEC_RUNTIME].sh_name = 0;
	cr_expect(eq(int, find(&f, &found), -ENOENT));
	cr_expect(eq(u64, found.runtime, 1)); /* untouched */
}

Test(elf_image, a_name_must_match_to_its_end)
{
	struct file f = python();
	struct elf_python found;

	f.sections[SEC_RUNTIME].sh_name = 0;
	f.strings[NAME_RUNTIME + strlen("_PyRuntime")] = '2';
	cr_expect(eq(int, find(&f, &found), -ENOENT));
}

Test(elf_image, a_shared_library_is_no_executable)
{
	struct file f = python();
	struct elf_python found;

	f.segments[0].p_type = PT_NULL;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(not(found.is_executable));
	f.head.e_type = ET_EXEC;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(found.is_executable);
}

Test(elf_image, an_old_python_is_told_by_its_functions)
{
	struct file f = python();
	struct elf_python found;

	f.syms[SYM_VERSION].st_name = 0;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u32, found.version, 0));
	f.syms[SYM_FUNCTION] = f.syms[SYM_RUNTIME];
	f.syms[SYM_FUNCTION].st_name = NAME_FUNCTION;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u32, found.version, 0x03090000));
	f.syms[SYM_VERSION].st_name = NAME_VERSION;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u32, found.version, VERSION));
}

Test(elf_image, only_an_old_python_s_constants_are_of_interest)
{
	struct file f = python();
	struct elf_python found;

	f.syms[SYM_FUNCTION] = f.syms[SYM_RUNTIME];
	f.syms[SYM_FUNCTION].st_name = NAME_FUNCTION;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.texts_bytes, 0)); /* it has Py_Version */
	f.syms[SYM_VERSION].st_name = 0;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.texts_offset, offsetof(struct file, strings)));
	cr_expect(eq(u64, found.texts_bytes, sizeof(strings)));
	f.sections[SEC_TEXTS].sh_size = sizeof(f); /* beyond the end */
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.texts_bytes, 0));
}

Test(elf_image, a_version_outside_of_the_file_is_none)
{
	struct file f = python();
	struct elf_python found;

	f.syms[SYM_VERSION].st_value = BASE + 0x9000; /* .bss */
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u32, found.version, 0));
	f.syms[SYM_VERSION].st_value = BASE + offsetof(struct file, version);
	f.segments[1].p_filesz = 16;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u32, found.version, 0));
	f.segments[1].p_filesz = UINT64_MAX;
	f.syms[SYM_VERSION].st_value = BASE + sizeof(f) - 3;
	cr_assert(eq(int, find(&f, &found), 0));
	cr_expect(eq(u32, found.version, 0));
}

#define REFUSES(field, value)                                                              \
	do {                                                                               \
		struct file f = python();                                                  \
		struct elf_python found;                                                   \
                                                                                           \
		f.field = value;                                                           \
		cr_expect(eq(int, find(&f, &found), -EBADMSG), "%s = %s", #field, #value); \
	} while (0)

Test(elf_image, what_is_no_x86_64_program_is_refused)
{
	REFUSES(head.e_ident[0], 0);
	REFUSES(head.e_ident[EI_CLASS], ELFCLASS32);
	REFUSES(head.e_ident[EI_DATA], ELFDATA2MSB);
	REFUSES(head.e_machine, EM_AARCH64);
	REFUSES(head.e_type, ET_CORE);
	REFUSES(head.e_phentsize, 1);
	REFUSES(head.e_shentsize, 1);
	REFUSES(head.e_phoff, UINT64_MAX - 8);
	REFUSES(head.e_phnum, 0xffff);
	REFUSES(segments[1].p_type, PT_NULL);
}

#define IS_NONE(field, value)                                                             \
	do {                                                                              \
		struct file f = python();                                                 \
		struct elf_python found;                                                  \
                                                                                          \
		f.sections[SEC_RUNTIME].sh_name = 0;                                      \
		f.field = value;                                                          \
		cr_expect(eq(int, find(&f, &found), -ENOENT), "%s = %s", #field, #value); \
	} while (0)

Test(elf_image, tables_outside_of_the_file_hold_nothing)
{
	IS_NONE(head.e_shoff, UINT64_MAX - 63);
	IS_NONE(head.e_shoff, sizeof(f) - 32);
	IS_NONE(head.e_shnum, 0);
	IS_NONE(sections[SEC_SYMS].sh_offset, UINT64_MAX - 23);
	IS_NONE(sections[SEC_SYMS].sh_offset, sizeof(f) - 8);
	IS_NONE(sections[SEC_SYMS].sh_size, 0);
	IS_NONE(sections[SEC_SYMS].sh_link, SECS);
	IS_NONE(sections[SEC_SYMS].sh_link, UINT32_MAX);
	IS_NONE(sections[SEC_STRINGS].sh_offset, UINT64_MAX - 1);
	IS_NONE(sections[SEC_STRINGS].sh_size, 4);
	IS_NONE(syms[SYM_RUNTIME].st_name, UINT32_MAX);
	IS_NONE(syms[SYM_RUNTIME].st_name, sizeof(strings) - 2);
}

Test(elf_image, symbols_beyond_the_end_do_not_hide_those_before)
{
	struct file f = python();
	struct elf_python found;

	f.sections[SEC_SYMS].sh_size = UINT64_MAX;
	cr_expect(eq(int, find(&f, &found), 0));
	cr_expect(eq(u64, found.runtime, BASE + 0x8000));
}

Test(elf_image, a_cut_file_is_refused_or_tells_less)
{
	struct file f = python();
	struct elf_python found;

	for (size_t len = 0; len < offsetof(struct file, sections); len++) {
		int err = elf_find_python(&f, len, &found);

		cr_assert(eq(int, err, len < sizeof(f.head) ? -EBADMSG : -ENOENT), "%zu", len);
	}
}

/* What the parts do not hold is not looked at, where the file is no Python. */
static int find_in_parts(const struct file *f)
{
	OWNS_MEM uint8_t *image = calloc(1, sizeof(*f));
	struct elf_python found;
	struct elf_part part;

	cr_assert(image != NULL);
	for (uint32_t i = 0; elf_part(image, sizeof(*f), i, &part); i++) {
		if (part.offset >= sizeof(*f))
			continue;
		if (part.bytes > sizeof(*f) - part.offset)
			part.bytes = sizeof(*f) - part.offset;
		memcpy(image + part.offset, (const uint8_t *)f + part.offset, part.bytes);
	}
	return elf_find_python(image, sizeof(*f), &found);
}

Test(elf_image, the_parts_of_a_file_tell_whether_it_is_a_python)
{
	struct file f = python();

	cr_expect(eq(int, find_in_parts(&f), 0));
	f.sections[SEC_SYMS].sh_offset = UINT64_MAX;
	f.sections[SEC_RUNTIME].sh_name = 0;
	cr_expect(eq(int, find_in_parts(&f), -ENOENT));
	f.head.e_ident[0] = 0;
	cr_expect(eq(int, find_in_parts(&f), -EBADMSG));
}

#define DECOYS 1000000 /* symbols without a definition */
#define TABLES_MOST 8

/* A Python whose symbols come after @tables tables that all lie on the same decoys. */
static int find_behind_decoys(uint32_t tables)
{
	struct {
		struct file f;
		Elf64_Shdr sections[SECS + TABLES_MOST];
	} start = { .f = python() };
	size_t len = sizeof(start) + DECOYS * sizeof(Elf64_Sym);
	OWNS_MEM char *image = calloc(1, len);
	Elf64_Shdr decoys = start.f.sections[SEC_SYMS];
	struct elf_python found;

	cr_assert(image != NULL);
	start.f.sections[SEC_RUNTIME].sh_name = 0;
	decoys.sh_offset = sizeof(start);
	decoys.sh_size = DECOYS * sizeof(Elf64_Sym);
	memcpy(start.sections, start.f.sections, sizeof(start.f.sections));
	start.sections[SECS + tables - 1] = start.sections[SEC_SYMS];
	start.sections[SEC_SYMS] = decoys;
	for (uint32_t i = 1; i < tables; i++)
		start.sections[SECS + i - 1] = decoys;
	start.f.head.e_shnum = SECS + tables;
	start.f.head.e_shoff = sizeof(start.f);
	memcpy(image, &start, sizeof(start));
	return elf_find_python(image, len, &found);
}

/* Else 4,096 tables of a file made for it would take minutes. */
Test(elf_image, at_most_four_million_symbols_are_looked_at_in_all_tables)
{
	cr_expect(eq(int, find_behind_decoys(3), 0));
	cr_expect(eq(int, find_behind_decoys(5), -ENOENT));
}
