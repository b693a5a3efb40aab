/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries below a folder of the test's own: which are taken, and what is said of the rest. */
#include "import/objects.h"

#include "tests/unit/elf_files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#define ID "twenty bytes of text"
#define OTHER_ID "twenty other letters"

static char folder[64];

static const struct elf_row functions[] = {
	FUNCTION("plain", CODE_ADDRESS + 0x10, 0x10),
	FUNCTION("_ZN3abc3defEi", CODE_ADDRESS + 0x20, 0x10),
	FUNCTION("bad\xff", CODE_ADDRESS + 0x30, 0x10),
	{ 0 },
};
static const struct elf_row imports[] = {
	{ "_Znwm", 0, 0, STB_GLOBAL, STT_FUNC, 0, SHN_UNDEF },
	{ 0 },
};

/* With @build_id, which may be NULL. */
static struct elf_recipe program(const char *build_id)
{
	return (struct elf_recipe){
		.symtab = functions, .dynsym = imports, .stubs = 1, .build_id = build_id
	};
}

static void make_folders(char *path)
{
	for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		(void)mkdir(path, 0700);
		*at = '/';
	}
}

static void write_file(const char *name, const struct elf_recipe *recipe)
{
	OWNS(buffer) struct buffer file = { 0 };
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	make_folders(path);
	elf_make(&file, recipe);
	f = fopen(path, "wb");
	cr_assert(f != NULL, "%s", path);
	cr_assert(eq(sz, fwrite(file.data, 1, file.len, f), file.len));
	cr_assert(eq(int, ftruncate(fileno(f), 0x4000), 0));
	fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void set_up(void)
{
	strcpy(folder, "/tmp/spprof-objects-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
}

static void tear_down(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(objects, .init = set_up, .fini = tear_down);

static struct build_id id_of(const char *text)
{
	struct build_id id = { .len = strlen(text) };

	memcpy(id.bytes, text, id.len);
	return id;
}

/* What object @path is said to be called @at bytes into its code; and what is warned of. */
static void expect_name(const char *path, const char *build_id, uint64_t at, const char *expected,
			const char *warning)
{
	OWNS(objects) struct objects *o = objects_new(folder);
	OWNS(buffer) struct buffer lines = { 0 };
	struct build_id id = id_of(build_id);
	const char *name;
	uint64_t relative;
	int number;

	cr_assert(o != NULL);
	number = objects_add(o, path, &id);
	cr_assert(ge(int, number, 0));
	name = objects_name(o, number, CODE_OFFSET + at, &relative);
	cr_expect(eq(str, (char *)(name ? name : "-"), (char *)expected), "%s", path);
	objects_warn(o, &lines);
	if (!*warning)
		cr_expect(eq(sz, lines.len, 0), "%s", lines.data);
	else
		cr_expect(lines.data && strstr(lines.data, warning), "%s: %s", path, lines.data);
}

Test(objects, names_are_as_perf_prints_them)
{
	struct elf_recipe r = program(ID);

	write_file("usr/bin/prog", &r);
	expect_name("/usr/bin/prog", ID, 0x10, "plain", "");
	expect_name("/usr/bin/prog", ID, 0x2f, "abc::def", "");
	expect_name("/usr/bin/prog", ID, 0x30, "bad\xef\xbf\xbd", "");
	expect_name("/usr/bin/prog", ID, 0x40, "-", "");
	expect_name("/usr/bin/prog", ID, PLT_ADDRESS - CODE_ADDRESS + PLT_ENTRY, "operator new@plt",
		    "");
}

Test(objects, a_name_lasts_and_is_made_once)
{
	OWNS(objects) struct objects *o = objects_new(folder);
	struct build_id id = id_of(ID);
	struct elf_recipe r = program(ID);
	const char *first;
	uint64_t relative = 0;

	write_file("prog", &r);
	cr_assert(o != NULL);
	first = objects_name(o, objects_add(o, "/prog", &id), CODE_OFFSET + 0x20, &relative);
	cr_expect(eq(u64, relative, CODE_ADDRESS + 0x20));
	cr_expect(objects_name(o, objects_add(o, "/prog", &id), CODE_OFFSET + 0x21, &relative) ==
		  first);
	cr_expect(objects_name(o, objects_add(o, "/prog", &id), 1 << 20, &relative) == NULL);
	cr_expect(eq(u64, relative, 1 << 20)); /* in no segment */
}

Test(objects, a_path_counts_before_a_file_name)
{
	struct elf_recipe r = program(ID), other = program(OTHER_ID);

	write_file("prog", &r);
	write_file("lib/prog", &other);
	expect_name("/usr/bin/prog", ID, 0x10, "plain", "");
	expect_name("/lib/prog", ID, 0x10, "plain", ""); /* the one there is of another build */
	expect_name("/lib/prog", OTHER_ID, 0x10, "plain", "");
	expect_name("relative/prog", ID, 0x10, "plain", "");
	expect_name("prog", ID, 0x10, "plain", "");
}

Test(objects, another_build_is_not_taken)
{
	struct elf_recipe r = program(ID), without = program(NULL);

	write_file("usr/prog", &r);
	write_file("usr/without", &without);
	expect_name("/usr/prog", OTHER_ID, 0x10, "-", "/usr/prog: is of another build");
	expect_name("/usr/without", ID, 0x10, "-", "/usr/without: is of another build");
	expect_name("/usr/without", "", 0x10, "plain", "is believed");
	expect_name("/usr/prog", "", 0x10, "plain", "is believed");
}

Test(objects, what_is_not_there_has_no_names)
{
	struct elf_recipe r = program(ID);

	write_file("prog", &r);
	expect_name("/usr/lib/none.so", ID, 0x10, "-", "/usr/lib/none.so: not found below");
	expect_name("/prog/none.so", ID, 0x10, "-", "not found below");
	expect_name("/a\nb", ID, 0x10, "-", "/a\\x0ab: not found below");
	expect_name("[vdso]", "", 0x10, "-", "");
	expect_name("//anon", "", 0x10, "-", "");
	expect_name("", "", 0x10, "-", "");
}

static void in_folder(char path[256], const char *name)
{
	snprintf(path, 256, "%s/%s", folder, name);
}

Test(objects, no_path_leads_out_of_the_folder)
{
	struct elf_recipe r = program(ID);
	char link[256], outside[256], up[300];

	write_file("outside", &r);
	in_folder(outside, "outside");
	snprintf(up, sizeof(up), "/..%s/../outside", outside);
	strcat(folder, "/inside");
	cr_assert(eq(int, mkdir(folder, 0700), 0));
	in_folder(link, "link");
	cr_assert(eq(int, symlink(outside, link), 0));
	expect_name("/link", ID, 0x10, "-", "/link: not found below");
	expect_name("/../outside", ID, 0x10, "-", "not found below");
	expect_name(up, ID, 0x10, "-", "not found below");
	*strrchr(folder, '/') = '\0';
	expect_name("/inside/../outside", ID, 0x10, "plain", "");
}

Test(objects, a_link_within_the_folder_is_followed)
{
	struct elf_recipe r = program(ID);
	char link[256];

	write_file("lib/libx.so.1.2", &r);
	in_folder(link, "lib/libx.so");
	cr_assert(eq(int, symlink("/lib/libx.so.1.2", link), 0)); /* as on the other machine */
	expect_name("/lib/libx.so", ID, 0x10, "plain", "");
}

Test(objects, only_files_are_opened, .timeout = 10)
{
	char path[256];
	FILE *f;

	in_folder(path, "fifo");
	cr_assert(eq(int, mkfifo(path, 0700), 0));
	in_folder(path, "text");
	f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs("no ELF file", f);
	fclose(f);
	expect_name("/fifo", ID, 0x10, "-", "/fifo: is no ELF file");
	expect_name("/text", ID, 0x10, "-", "/text: is no ELF file");
	expect_name("/", ID, 0x10, "-", "is no ELF file");
}

#define DEBUG_FILE "usr/lib/debug/.build-id/74/77656e7479206279746573206f662074657874.debug"

Test(objects, a_stripped_file_has_its_names_elsewhere)
{
	struct elf_recipe stripped = { .dynsym = imports, .stubs = 1, .build_id = ID };
	struct elf_recipe debug = { .symtab = functions, .build_id = ID };

	write_file("prog", &stripped);
	expect_name("/prog", ID, 0x10, "-", "");
	write_file(DEBUG_FILE, &debug);
	expect_name("/prog", ID, 0x10, "plain", "");
	expect_name("/prog", "", 0x10, "plain", "is believed");
	expect_name("/prog", ID, PLT_ADDRESS - CODE_ADDRESS + PLT_ENTRY, "operator new@plt", "");
	debug.build_id = OTHER_ID;
	write_file(DEBUG_FILE, &debug);
	expect_name("/prog", ID, 0x10, "-", "");
}

Test(objects, an_object_is_its_path_and_its_build)
{
	OWNS(objects) struct objects *o = objects_new(folder);
	struct build_id a = id_of(ID), b = id_of(OTHER_ID);
	int first;

	cr_assert(o != NULL);
	first = objects_add(o, "/prog", &a);
	cr_expect(eq(int, objects_add(o, "/prog", &a), first));
	cr_expect(ne(int, objects_add(o, "/prog", &b), first));
	cr_expect(ne(int, objects_add(o, "/other", &a), first));
	for (int i = 0; i < 70000; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/%d", i);
		cr_assert(ge(int, objects_add(o, path, &a), 0));
	}
	cr_expect(lt(int, objects_add(o, "/one more", &a), 65536));
	cr_expect(eq(int, objects_add(o, "/prog", &a), first));
}

Test(objects, more_binaries_than_can_be_kept_are_told)
{
	OWNS(objects) struct objects *o = objects_new(folder);
	OWNS(buffer) struct buffer lines = { 0 };
	struct build_id none = { 0 };
	uint64_t relative;

	cr_assert(o != NULL);
	for (int i = 0; i < 65537; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/%d", i);
		cr_assert(ge(int, objects_add(o, path, &none), 0));
	}
	cr_expect(objects_name(o, objects_add(o, "/one more", &none), 5, &relative) == NULL);
	cr_expect(eq(u64, relative, 5));
	objects_warn(o, &lines);
	cr_expect(eq(str, lines.data, "more than 65535 binaries: those beyond have no names\n"));
}

/* That of this machine: tests/tools/test_elf_symbols.py. */
Test(objects, another_kernel_has_no_names)
{
	static const struct {
		const char *build_id, *warning;
	} rows[] = {
		{ OTHER_ID, "kernel: another build than this machine's was recorded" },
		{ "", "kernel: of which build it was is not recorded" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(objects) struct objects *o = objects_new("/");
		OWNS(buffer) struct buffer lines = { 0 };
		struct build_id id = id_of(rows[i].build_id);
		uint64_t relative;

		cr_assert(o != NULL);
		objects_set_kernel_reference(o, "_text", 0xffffffff81000000);
		cr_expect(objects_name(o, objects_add_kernel(o, &id), 0xffffffff81000010,
				       &relative) == NULL);
		cr_expect(eq(u64, relative, 0xffffffff81000010));
		objects_warn(o, &lines);
		cr_expect(strstr(lines.data, rows[i].warning) != NULL, "%s", lines.data);
	}
}

Test(objects, a_folder_that_is_not_there_holds_nothing)
{
	strcat(folder, "/none");
	expect_name("/prog", ID, 0x10, "-", "/prog: not found below");
	*strrchr(folder, '/') = '\0';
}

Test(objects, who_was_not_asked_for_is_not_looked_for)
{
	OWNS(objects) struct objects *o = objects_new(folder);
	OWNS(buffer) struct buffer lines = { 0 };
	struct build_id none = { 0 };

	cr_assert(o != NULL);
	cr_assert(ge(int, objects_add(o, "/never.so", &none), 0));
	objects_warn(o, &lines);
	cr_expect(eq(sz, lines.len, 0));
}
