/* SPDX-License-Identifier: Apache-2.0 */
/* What perf says of such files: tests/tools/test_elf_symbols.py asks it. */
#include "native/elf_symbols.h"

#include "tests/unit/elf_files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define AT(offset) (CODE_ADDRESS + (offset))

/* The name at @address of the file that @recipe makes; "-": none. */
static void expect_name(const struct elf_recipe *recipe, uint64_t address, const char *expected)
{
	OWNS(buffer) struct buffer file = { 0 };
	OWNS(elf_symbols) struct elf_symbols *s = NULL;
	uint32_t i;
	int err;

	elf_make(&file, recipe);
	s = elf_symbols_new(file.data, file.len, &err);
	cr_assert(s != NULL, "%d", err);
	i = elf_symbols_find(s, address);
	cr_expect(
		eq(str, (char *)(i == NO_SYMBOL ? "-" : elf_symbols_name(s, i)), (char *)expected),
		"at %#jx", (uintmax_t)address);
}

static const struct elf_row two[] = {
	FUNCTION("second", AT(0x20), 8),
	FUNCTION("first", AT(0x10), 8),
	{ 0 },
};

Test(elf_symbols, a_function_is_found_from_its_first_byte_to_its_last)
{
	static const struct {
		uint64_t address;
		const char *name;
	} rows[] = {
		{ 0, "-" },
		{ AT(0xf), "-" },
		{ AT(0x10), "first" },
		{ AT(0x17), "first" },
		{ AT(0x18), "-" },
		{ AT(0x1f), "-" },
		{ AT(0x20), "second" },
		{ AT(0x27), "second" },
		{ AT(0x28), "-" },
		{ UINT64_MAX, "-" },
	};

	for (int kind = 0; kind < 4; kind++) {
		struct elf_recipe r = { .is_32 = kind & 1,
					.is_big_endian = kind & 2,
					.symtab = two };

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			expect_name(&r, rows[i].address, rows[i].name);
	}
}

Test(elf_symbols, dynamic_symbols_are_taken_as_well)
{
	static const struct elf_row local[] = { FUNCTION("local", AT(0x40), 8), { 0 } };

	expect_name(&(struct elf_recipe){ .dynsym = two }, AT(0x10), "first");
	expect_name(&(struct elf_recipe){ .dynsym = two, .symtab = local }, AT(0x10), "first");
	expect_name(&(struct elf_recipe){ .dynsym = two, .symtab = local }, AT(0x40), "local");
	expect_name(&(struct elf_recipe){ 0 }, AT(0x10), "-");
}

#define ROW(name, size, binding)                                              \
	{                                                                     \
		name, AT(0x10), size, binding, STT_FUNC, STV_DEFAULT, IN_TEXT \
	}

Test(elf_symbols, of_two_names_of_an_address_the_better_one_counts)
{
	static const struct {
		struct elf_row worse, better;
	} rows[] = {
		{ ROW("longer_empty", 0, STB_GLOBAL), ROW("sized", 4, STB_LOCAL) },
		{ ROW("longer_weak", 4, STB_WEAK), ROW("local", 4, STB_LOCAL) },
		{ ROW("longer_local", 4, STB_LOCAL), ROW("global", 4, STB_GLOBAL) },
		{ ROW("__underscores", 4, STB_GLOBAL), ROW("_one", 4, STB_GLOBAL) },
		{ ROW("short", 4, STB_GLOBAL), ROW("longer", 4, STB_GLOBAL) },
		{ ROW("_Z1aiiiiiiiiiiiiiiii", 4, STB_GLOBAL), ROW("printed", 4, STB_GLOBAL) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct elf_row table[] = { rows[i].worse, rows[i].better, { 0 } };
		struct elf_row turned[] = { rows[i].better, rows[i].worse, { 0 } };

		expect_name(&(struct elf_recipe){ .symtab = table }, AT(0x11), rows[i].better.name);
		/* What has no size ends where the next one begins: here, that is the last. */
		if (rows[i].worse.size)
			expect_name(&(struct elf_recipe){ .symtab = turned }, AT(0x11),
				    rows[i].better.name);
	}
}

Test(elf_symbols, of_two_names_as_good_the_first_counts)
{
	static const struct elf_row table[] = { ROW("abc", 4, STB_GLOBAL),
						ROW("xyz", 4, STB_GLOBAL),
						{ 0 } };

	expect_name(&(struct elf_recipe){ .symtab = table }, AT(0x10), "abc");
}

Test(elf_symbols, without_a_size_it_reaches_to_the_next_one)
{
	static const struct elf_row table[] = { FUNCTION("a", AT(0x10), 0),
						FUNCTION("b", AT(0x30), 4),
						FUNCTION("c", AT(0x50), 0),
						{ 0 } };
	struct elf_recipe r = { .symtab = table };

	expect_name(&r, AT(0x2f), "a");
	expect_name(&r, AT(0x33), "b");
	expect_name(&r, AT(0x34), "-");
	expect_name(&r, AT(0x1fff), "c"); /* the last one: to the end of the next page */
	expect_name(&r, AT(0x2000), "-");
}

Test(elf_symbols, of_functions_within_each_other_the_inner_one_counts)
{
	static const struct elf_row table[] = {
		FUNCTION("outer", AT(0x10), 0x40),
		FUNCTION("inner", AT(0x20), 0x10),
		FUNCTION("innermost", AT(0x28), 4),
		FUNCTION("beyond", AT(0x48), 0x10),
		{ 0 },
	};
	static const struct {
		uint64_t address;
		const char *name;
	} rows[] = {
		{ AT(0x1f), "outer" },	{ AT(0x20), "inner" },	{ AT(0x28), "innermost" },
		{ AT(0x2c), "inner" },	{ AT(0x30), "outer" },	{ AT(0x47), "outer" },
		{ AT(0x48), "beyond" }, { AT(0x50), "beyond" }, { AT(0x58), "-" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_name(&(struct elf_recipe){ .symtab = table }, rows[i].address, rows[i].name);
}

Test(elf_symbols, perf_takes_functions_objects_and_labels_of_code)
{
	static const struct {
		struct elf_row row;
		bool is_taken;
	} rows[] = {
		{ { "f", AT(0x10), 4, STB_LOCAL, STT_FUNC, STV_HIDDEN, IN_TEXT }, true },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_GNU_IFUNC, 0, IN_TEXT }, true },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_OBJECT, 0, IN_DATA }, true },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_NOTYPE, 0, IN_TEXT }, true },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_NOTYPE, 0, IN_DATA }, true },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_NOTYPE, 0, IN_OTHER }, false },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_NOTYPE, STV_HIDDEN, IN_TEXT }, false },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_NOTYPE, STV_INTERNAL, IN_TEXT }, false },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_FUNC, 0, SHN_UNDEF }, false },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_FUNC, 0, SHN_ABS }, false },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_TLS, 0, IN_DATA }, false },
		{ { "f", AT(0x10), 4, STB_GLOBAL, STT_SECTION, 0, IN_TEXT }, false },
		{ { "", AT(0x10), 4, STB_GLOBAL, STT_FUNC, 0, IN_TEXT }, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct elf_row table[] = { rows[i].row, { 0 } };

		expect_name(&(struct elf_recipe){ .symtab = table }, AT(0x10),
			    rows[i].is_taken ? rows[i].row.name : "-");
	}
}

Test(elf_symbols, on_arm_marks_are_no_names_and_an_odd_address_is_a_thumb_function)
{
	static const struct elf_row table[] = {
		{ "$a", AT(0x10), 0, STB_LOCAL, STT_NOTYPE, 0, IN_TEXT },
		{ "$d.5", AT(0x14), 0, STB_LOCAL, STT_NOTYPE, 0, IN_TEXT },
		FUNCTION("thumb", AT(0x19), 4),
		{ 0 },
	};
	struct elf_recipe r = { .symtab = table, .is_32 = true, .machine = EM_ARM };

	expect_name(&r, AT(0x10), "-");
	expect_name(&r, AT(0x14), "-");
	expect_name(&r, AT(0x18), "thumb");
	expect_name(&r, AT(0x1c), "-");
	r.machine = EM_386;
	expect_name(&r, AT(0x10), "$a");
	expect_name(&r, AT(0x1c), "thumb");
}

Test(elf_symbols, the_stubs_of_calls_into_libraries_have_names)
{
	static const struct elf_row table[] = {
		{ "malloc", 0, 0, STB_GLOBAL, STT_FUNC, 0, SHN_UNDEF },
		{ "free", 0, 0, STB_GLOBAL, STT_FUNC, 0, SHN_UNDEF },
		{ "unused", 0, 0, STB_GLOBAL, STT_FUNC, 0, SHN_UNDEF },
		{ 0 },
	};

	for (int kind = 0; kind < 4; kind++) {
		struct elf_recipe r = {
			.is_32 = kind & 1, .is_big_endian = kind & 2, .dynsym = table, .stubs = 2
		};

		expect_name(&r, PLT_ADDRESS, "-"); /* the linker's own */
		expect_name(&r, PLT_ADDRESS + PLT_ENTRY, "malloc");
		expect_name(&r, PLT_ADDRESS + 2 * PLT_ENTRY, "free");
		expect_name(&r, PLT_ADDRESS + 3 * PLT_ENTRY, "-");
	}
}

Test(elf_symbols, an_offset_of_the_file_is_told_by_its_segments)
{
	OWNS(buffer) struct buffer file = { 0 };
	OWNS(elf_symbols) struct elf_symbols *s = NULL;
	int err;

	elf_make(&file, &(struct elf_recipe){ .symtab = two });
	s = elf_symbols_new(file.data, file.len, &err);
	cr_assert(s != NULL);
	cr_expect(eq(u64, elf_symbols_address(s, CODE_OFFSET), CODE_ADDRESS));
	cr_expect(eq(u64, elf_symbols_address(s, CODE_OFFSET + CODE_BYTES - 1),
		     CODE_ADDRESS + CODE_BYTES - 1));
	cr_expect(eq(u64, elf_symbols_address(s, 1), CODE_ADDRESS - CODE_OFFSET + 1));
	cr_expect(eq(u64, elf_symbols_address(s, CODE_OFFSET + CODE_BYTES), UINT64_MAX));
	cr_expect(eq(u64, elf_symbols_address(s, UINT64_MAX), UINT64_MAX));
	cr_expect(not(elf_symbols_is_stripped(s)));
}

Test(elf_symbols, the_build_id_is_in_a_note)
{
	for (int kind = 0; kind < 4; kind++) {
		OWNS(buffer) struct buffer file = { 0 };
		struct elf_recipe r = { .is_32 = kind & 1,
					.is_big_endian = kind & 2,
					.build_id = "twenty bytes of text" };
		struct build_id id;

		elf_make(&file, &r);
		cr_assert(elf_build_id(file.data, file.len, &id));
		cr_expect(eq(u8, id.len, 20));
		cr_expect(not(memcmp(id.bytes, r.build_id, 20)));
	}
}

Test(elf_symbols, a_file_may_have_no_build_id)
{
	OWNS(buffer) struct buffer file = { 0 };
	struct build_id id;

	elf_make(&file, &(struct elf_recipe){ .symtab = two });
	cr_expect(not(elf_build_id(file.data, file.len, &id)));
	cr_expect(not(elf_build_id("", 0, &id)));
}

Test(elf_symbols, a_long_build_id_is_cut_and_a_short_one_filled_up)
{
	static const struct {
		struct build_id a, b;
		bool is_same;
	} rows[] = {
		{ { "abc", 3 }, { "abc", 3 }, true },
		{ { "abc", 3 }, { "abc\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20 }, true },
		{ { "abc", 3 }, { "abcd", 4 }, false },
		{ { "abc", 3 }, { "abd", 3 }, false },
		{ { "", 0 }, { "", 0 }, false },
	};
	OWNS(buffer) struct buffer file = { 0 };
	struct build_id id;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(eq(int, build_id_is(&rows[i].a, &rows[i].b), rows[i].is_same), "row %zu",
			  i);
	elf_make(&file, &(struct elf_recipe){ .build_id = "more than twenty bytes of text" });
	cr_assert(elf_build_id(file.data, file.len, &id));
	cr_expect(eq(u8, id.len, BUILD_ID_MAX));
}

/* What is not among the parts is zeros, as whoever reads only these has it. */
static struct elf_symbols *in_parts(const struct buffer *file, char *image, int *err)
{
	struct elf_part part;

	for (uint32_t i = 0; elf_symbols_part(image, file->len, i, &part); i++) {
		if (part.offset >= file->len)
			continue;
		if (part.bytes > file->len - part.offset)
			part.bytes = file->len - part.offset;
		memcpy(image + part.offset, file->data + part.offset, part.bytes);
	}
	return elf_symbols_new(image, file->len, err);
}

Test(elf_symbols, the_parts_of_a_file_tell_all_of_it)
{
	for (int kind = 0; kind < 4; kind++) {
		struct elf_recipe r = { .is_32 = kind & 1,
					.is_big_endian = kind & 2,
					.symtab = two,
					.dynsym = two,
					.stubs = 1,
					.build_id = "0123" };
		OWNS(buffer) struct buffer file = { 0 };
		OWNS(elf_symbols) struct elf_symbols *s = NULL;
		OWNS_MEM char *image = NULL;
		struct build_id id;
		uint32_t i;
		int err;

		elf_make(&file, &r);
		image = calloc(1, file.len);
		cr_assert(image != NULL);
		s = in_parts(&file, image, &err);
		cr_assert(s != NULL);
		cr_expect(ne(u32, elf_symbols_find(s, AT(0x10)), NO_SYMBOL));
		i = elf_symbols_find(s, PLT_ADDRESS + PLT_ENTRY);
		cr_assert(ne(u32, i, NO_SYMBOL));
		cr_expect(elf_symbols_is_stub(s, i));
		cr_expect(elf_build_id(image, file.len, &id));
	}
}

Test(elf_symbols, what_is_no_elf_file_is_refused)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} rows[] = {
		{ 0, 0 },
		{ EI_CLASS, 0 },
		{ EI_CLASS, 3 },
		{ EI_DATA, 0 },
		{ EI_DATA, 3 },
		{ offsetof(Elf64_Ehdr, e_phentsize), 1 },
		{ offsetof(Elf64_Ehdr, e_shentsize), 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer file = { 0 };
		int err = 0;

		elf_make(&file, &(struct elf_recipe){ .symtab = two });
		file.data[rows[i].at] = rows[i].byte;
		cr_expect(elf_symbols_new(file.data, file.len, &err) == NULL);
		cr_expect(eq(int, err, -EBADMSG), "row %zu", i);
	}
}

Test(elf_symbols, a_file_cut_anywhere_is_refused_or_tells_less)
{
	OWNS(buffer) struct buffer file = { 0 };

	elf_make(&file, &(struct elf_recipe){
				.symtab = two, .dynsym = two, .stubs = 2, .build_id = "0123" });
	for (size_t len = 0; len < file.len; len++) {
		OWNS_MEM char *cut = malloc(len ? len : 1); /* so that a read beyond is seen */
		struct elf_symbols *s;
		struct build_id id;
		int err;

		cr_assert(cut != NULL);
		memcpy(cut, file.data, len);
		s = elf_symbols_new(cut, len, &err);
		cr_expect(eq(int, err, len < sizeof(Elf64_Ehdr) ? -EBADMSG : 0), "%zu", len);
		(void)elf_build_id(cut, len, &id);
		elf_symbols_free(s);
	}
}

/* Offset and size of a section's header as a file of 64 bits has them. */
static void damage(struct buffer *file, const struct elf_recipe *r, uint32_t section, size_t field,
		   uint64_t value, size_t bytes)
{
	memcpy(file->data + elf_section_offset(r, section) + field, &value, bytes);
}

#define IS_NAMELESS(section, field, value)                                                   \
	do {                                                                                 \
		struct elf_recipe r_ = { .symtab = two };                                    \
		OWNS(buffer) struct buffer file_ = { 0 };                                    \
		OWNS(elf_symbols) struct elf_symbols *s_ = NULL;                             \
		int err_;                                                                    \
                                                                                             \
		elf_make(&file_, &r_);                                                       \
		damage(&file_, &r_, section, offsetof(Elf64_Shdr, field), value,             \
		       sizeof(((Elf64_Shdr *)0)->field));                                    \
		s_ = elf_symbols_new(file_.data, file_.len, &err_);                          \
		cr_assert(s_ != NULL);                                                       \
		cr_expect(eq(u32, elf_symbols_find(s_, AT(0x10)), NO_SYMBOL), "%s", #field); \
	} while (0)

Test(elf_symbols, tables_outside_of_the_file_hold_nothing)
{
	IS_NAMELESS(IN_SYMTAB, sh_offset, UINT64_MAX - 8);
	IS_NAMELESS(IN_SYMTAB, sh_offset, 1ull << 40);
	IS_NAMELESS(IN_SYMTAB, sh_size, 0);
	IS_NAMELESS(IN_SYMTAB, sh_link, SECTIONS);
	IS_NAMELESS(IN_SYMTAB, sh_link, IN_TEXT);
	IS_NAMELESS(IN_STRTAB, sh_offset, UINT64_MAX - 8);
	IS_NAMELESS(IN_STRTAB, sh_size, 1);
}

Test(elf_symbols, an_end_beyond_all_addresses_is_the_last_one)
{
	static const struct elf_row table[] = { FUNCTION("huge", AT(0x10), UINT64_MAX), { 0 } };

	expect_name(&(struct elf_recipe){ .symtab = table }, UINT64_MAX - 1, "huge");
}

#define DEEP 20000

/* Else a lookup would walk up through all of them. */
Test(elf_symbols, functions_nested_without_end_take_no_time)
{
	OWNS_MEM struct elf_row *table = calloc(DEEP + 1, sizeof(*table));
	OWNS(buffer) struct buffer file = { 0 };
	OWNS(elf_symbols) struct elf_symbols *s = NULL;
	int err;

	cr_assert(table != NULL);
	for (uint32_t i = 0; i < DEEP; i++)
		table[i] = (struct elf_row)FUNCTION("f", AT(i), 2 * (DEEP - i));
	elf_make(&file, &(struct elf_recipe){ .symtab = table });
	s = elf_symbols_new(file.data, file.len, &err);
	cr_assert(s != NULL);
	for (uint32_t i = DEEP; i < 2 * DEEP; i++)
		cr_assert(ne(u32, elf_symbols_find(s, AT(i)), NO_SYMBOL));
}
