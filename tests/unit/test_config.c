/* SPDX-License-Identifier: Apache-2.0 */
/* What a configuration may say, and what is said of one that is wrong. */
#include "daemon/config.h"

#include "daemon/config_value.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KEYS                                                                               \
	"socket, sample_hz, stack_depth, window_length, window_memory, recording_memory, " \
	"connections, connections_per_user, recordings_per_user"
#define TIMES "ns, us, ms, s, min, h"
#define SIZES "B, KiB, MiB, GiB"
#define TEN "/123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* From each file's first line on, wherever it says nothing else. */
static const struct refused {
	const char *text, *why;
} refused[] = {
	{ "foo = 1\n", "f:1: unknown key \"foo\"; there are " KEYS },
	{ "# a\n\n  foo=1", "f:3: unknown key \"foo\"; there are " KEYS },
	{ "Sample_hz = 1", "f:1: unknown key \"Sample_hz\"; there are " KEYS },
	{ " = 1", "f:1: unknown key \"\"; there are " KEYS },
	{ "\x1b[2J", "f:1: has a control character (0x1b)" },
	{ "a\x7f = 1", "f:1: has a control character (0x7f)" },
	{ "\xe2\x80\xae = 1", "f:1: unknown key \"\\u202e\"; there are " KEYS },
	{ "\xff = 1", "f:1: unknown key \"\xef\xbf\xbd\"; there are " KEYS },
	{ "sample_hz", "f:1: \"sample_hz\" is not \"key = value\"" },
	{ "[clock]", "f:1: \"[clock]\" is a section: there are none, only \"key = value\" lines" },
	{ "sample_hz =", "f:1: sample_hz has no value" },
	{ "sample_hz = # 5", "f:1: sample_hz has no value" },
	{ "sample_hz = 1\nsample_hz = 1\n",
	  "f:2: sample_hz is set a second time; line 1 has it already" },
	{ "sample_hz = 20000", "f:1: sample_hz = 20000 is out of range: 0, or 1 to 10000" },
	{ "sample_hz = 99999999999999999999",
	  "f:1: sample_hz = 99999999999999999999 is out of range: 0, or 1 to 10000" },
	{ "sample_hz = 4294967395",
	  "f:1: sample_hz = 4294967395 is out of range: 0, or 1 to 10000" },
	{ "sample_hz = -1", "f:1: sample_hz = -1 is not a whole number: 0, or 1 to 10000" },
	{ "sample_hz = 99Hz", "f:1: sample_hz = 99Hz is not a whole number: 0, or 1 to 10000" },
	{ "sample_hz = 0x10", "f:1: sample_hz = 0x10 is not a whole number: 0, or 1 to 10000" },
	{ "sample_hz = \"9\"", "f:1: sample_hz = \"9\" is not a whole number: 0, or 1 to 10000" },
	{ "window_length = 10", "f:1: window_length = 10 lacks its unit: one of " TIMES },
	{ "window_length = 0", "f:1: window_length = 0 lacks its unit: one of " TIMES },
	{ "window_length = 10m", "f:1: window_length = 10m has an unknown unit; there are " TIMES },
	{ "window_length = 10MiB",
	  "f:1: window_length = 10MiB has an unknown unit; there are " TIMES },
	{ "window_length = 1min 5s",
	  "f:1: window_length = 1min 5s has an unknown unit; there are " TIMES },
	{ "window_length = 1.5h",
	  "f:1: window_length = 1.5h is not a whole number with its unit: 10s to 1h" },
	{ "window_length = min",
	  "f:1: window_length = min is not a whole number with its unit: 10s to 1h" },
	{ "window_length = 9999ms", "f:1: window_length = 9999ms is out of range: 10s to 1h" },
	{ "window_length = 3601s", "f:1: window_length = 3601s is out of range: 10s to 1h" },
	{ "window_length = 0s", "f:1: window_length = 0s is out of range: 10s to 1h" },
	{ "window_length = 5124096h", /* 2^64 ns and a little */
	  "f:1: window_length = 5124096h is out of range: 10s to 1h" },
	{ "window_memory = 64", "f:1: window_memory = 64 lacks its unit: one of " SIZES },
	{ "window_memory = 64MB",
	  "f:1: window_memory = 64MB has an unknown unit; there are " SIZES },
	{ "window_memory = 5GiB", "f:1: window_memory = 5GiB is out of range: 1MiB to 4GiB" },
	{ "window_memory = 1048575B",
	  "f:1: window_memory = 1048575B is out of range: 1MiB to 4GiB" },
	{ "recording_memory = 1023KiB",
	  "f:1: recording_memory = 1023KiB is out of range: 1MiB to 4GiB" },
	{ "connections = 3", "f:1: connections = 3 is out of range: 4 to 4096" },
	{ "connections = 0", "f:1: connections = 0 is out of range: 4 to 4096" },
	{ "connections = 4097", "f:1: connections = 4097 is out of range: 4 to 4096" },
	{ "connections_per_user = 0", "f:1: connections_per_user = 0 is out of range: 1 to 4096" },
	{ "recordings_per_user = 1025",
	  "f:1: recordings_per_user = 1025 is out of range: 1 to 1024" },
	{ "socket = spprof.sock", "f:1: socket = spprof.sock is not an absolute path" },
	{ "socket = " HUNDRED "/1234567", "f:1: socket = " TEN TEN TEN TEN TEN TEN TEN TEN
					  "… has 108 bytes: a socket's path has at most 107" },
	{ "sample_hz = 5\rwindow_length = 5", "f:1: has a control character (0x0d)" },
};

Test(config, what_is_wrong_is_said_with_its_line)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		OWNS(buffer) struct buffer why = { 0 };
		struct config c = config_default;
		const char *text = refused[i].text;

		cr_expect(eq(int, config_parse("f", text, strlen(text), &c, &why), -EINVAL), "%s",
			  text);
		cr_expect(eq(str, why.data, (char *)refused[i].why));
	}
}

static const struct accepted {
	const char *text;
	size_t at; /* the member */
	uint64_t value;
} accepted[] = {
	{ "sample_hz = 0", offsetof(struct config, sample_hz), 0 },
	{ "sample_hz=10000", offsetof(struct config, sample_hz), 10000 },
	{ "\t sample_hz \t=\t 049 \t", offsetof(struct config, sample_hz), 49 },
	{ "sample_hz = 7\r\n", offsetof(struct config, sample_hz), 7 },
	{ "sample_hz = 7 # is enough", offsetof(struct config, sample_hz), 7 },
	{ "sample_hz = 7\t#", offsetof(struct config, sample_hz), 7 },
	{ "#sample_hz = 5\n\n \t\nsample_hz = 7", offsetof(struct config, sample_hz), 7 },
	{ "# \xff \xe2\x80\xae = [\nsample_hz = 7", offsetof(struct config, sample_hz), 7 },
	{ "window_length = 10s", offsetof(struct config, window_ns), 10000000000 },
	{ "window_length = 1h", offsetof(struct config, window_ns), 3600000000000 },
	{ "window_length = 2 min", offsetof(struct config, window_ns), 120000000000 },
	{ "window_length = 10500ms", offsetof(struct config, window_ns), 10500000000 },
	{ "window_length = 10000001us", offsetof(struct config, window_ns), 10000001000 },
	{ "window_length = 10000000001ns", offsetof(struct config, window_ns), 10000000001 },
	{ "window_memory = 1048576B", offsetof(struct config, window_bytes), 1 << 20 },
	{ "window_memory = 4GiB", offsetof(struct config, window_bytes), 1ull << 32 },
	{ "recording_memory = 2048KiB", offsetof(struct config, recording_bytes), 2 << 20 },
	{ "connections = 4", offsetof(struct config, connections), 4 },
	{ "connections_per_user = 4096", offsetof(struct config, connections_per_user), 4096 },
	{ "recordings_per_user = 1", offsetof(struct config, recordings_per_user), 1 },
};

static uint64_t value_at(const struct config *c, size_t at)
{
	bool is_wide = at == offsetof(struct config, window_ns) ||
		       at == offsetof(struct config, window_bytes) ||
		       at == offsetof(struct config, recording_bytes);
	const char *field = (const char *)c + at;

	return is_wide ? *(const uint64_t *)field : *(const unsigned int *)field;
}

Test(config, a_line_sets_its_value_and_no_other)
{
	for (size_t i = 0; i < COUNT(accepted); i++) {
		OWNS(buffer) struct buffer why = { 0 };
		struct config c = config_default;
		const char *text = accepted[i].text;

		cr_expect(eq(int, config_parse("f", text, strlen(text), &c, &why), 0), "%s: %s",
			  text, why.data);
		cr_expect(eq(u64, value_at(&c, accepted[i].at), accepted[i].value), "%s", text);
		for (size_t k = 0; k < COUNT(accepted); k++)
			if (accepted[k].at != accepted[i].at)
				cr_expect(eq(u64, value_at(&c, accepted[k].at),
					     value_at(&config_default, accepted[k].at)));
	}
}

static void expect_parsed(const char *text, size_t len, struct config *c)
{
	OWNS(buffer) struct buffer why = { 0 };

	cr_expect(eq(int, config_parse("f", text, len, c, &why), 0), "%s", why.data);
}

Test(config, a_socket_may_have_107_bytes_and_a_hash)
{
	static const char most[] = "socket = " HUNDRED "/123#56\n";
	struct config c = config_default;

	expect_parsed(most, strlen(most), &c);
	cr_expect(eq(str, c.socket, HUNDRED "/123#56"));
}

Test(config, nothing_at_all_is_the_default)
{
	struct config c = config_default;

	expect_parsed(NULL, 0, &c);
	cr_expect(memcmp(&c, &config_default, sizeof(c)) == 0);
}

Test(config, a_nul_byte_is_refused_and_not_an_end)
{
	static const char text[] = "sample_hz = 5\nwindow_memory\0 = 1";
	OWNS(buffer) struct buffer why = { 0 };
	struct config c = config_default;

	cr_expect(eq(int, config_parse("f", text, sizeof(text) - 1, &c, &why), -EINVAL));
	cr_expect(eq(str, why.data, "f:2: has a control character (0x00)"));
}

Test(config, a_line_has_at_most_1000_bytes)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct config c = config_default;
	char text[1001];

	memset(text, '#', sizeof(text));
	text[1000] = '\n';
	expect_parsed(text, sizeof(text), &c);
	text[1000] = '#';
	cr_expect(eq(int, config_parse("f", text, sizeof(text), &c, &why), -EINVAL));
	cr_expect(eq(str, why.data, "f:1: longer than 1000 bytes"));
}

Test(config, the_name_of_the_file_is_made_visible)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct config c = config_default;

	cr_expect(eq(int, config_parse("a\nb\x1b", "x=1", 3, &c, &why), -EINVAL));
	cr_expect(eq(int, strncmp(why.data, "a\\x0ab\\x1b:1: ", 13), 0), "%s", why.data);
}

/* --- files --- */

static char folder[64], file[96];

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/spprof-config-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	snprintf(file, sizeof(file), "%s/c", folder);
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	cr_assert(system(command) == 0);
}

TestSuite(config_files, .init = make_folder, .fini = remove_folder);

static void write_file(const char *name, const char *text)
{
	char path[192];
	OWNS_FILE FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	cr_assert(f && fputs(text, f) >= 0);
}

static void make_drop_ins(void)
{
	char path[192];

	snprintf(path, sizeof(path), "%s.d", file);
	cr_assert(mkdir(path, 0700) == 0);
}

Test(config_files, drop_ins_come_later_by_the_bytes_of_their_names)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct config c;

	make_drop_ins();
	write_file("c", "sample_hz = 1\nconnections = 11\nwindow_length = 11s\n");
	write_file("c.d/Z.conf", "sample_hz = 2\nconnections = 22\n");
	write_file("c.d/10.conf", "sample_hz = 3\nconnections = 33\nwindow_memory = 33MiB\n");
	write_file("c.d/a.conf", "sample_hz = 4\n");
	write_file("c.d/.hidden.conf", "wrong");
	write_file("c.d/zz.conf~", "wrong");
	write_file("c.d/.conf", "wrong");
	cr_assert(eq(int, config_load(file, &c, &why), 0), "%s", why.data);
	cr_expect(eq(uint, c.sample_hz, 4));
	cr_expect(eq(uint, c.connections, 22));
	cr_expect(eq(u64, c.window_ns, 11000000000));
	cr_expect(eq(u64, c.window_bytes, 33ull << 20));
	cr_expect(eq(u64, c.recording_bytes, config_default.recording_bytes));
}

static void expect_refused(int err, const char *format)
{
	OWNS(buffer) struct buffer why = { 0 };
	char expected[256];
	struct config before, c;

	memset(&before, 0x5A, sizeof(before));
	c = before;
	snprintf(expected, sizeof(expected), format, file);
	cr_expect(eq(int, config_load(file, &c, &why), err));
	cr_expect(eq(str, why.data, expected));
	cr_expect(memcmp(&c, &before, sizeof(c)) == 0, "outputs are untouched on failure");
}

Test(config_files, an_error_in_a_drop_in_names_that_file)
{
	make_drop_ins();
	write_file("c", "sample_hz = 1\n");
	write_file("c.d/b.conf", "sample_hz = 5\n\nconnections = 1\n");
	expect_refused(-EINVAL, "%s.d/b.conf:3: connections = 1 is out of range: 4 to 4096");
}

Test(config_files, a_file_that_is_named_must_be_there)
{
	expect_refused(-ENOENT, "cannot read %s: No such file or directory");
}

Test(config_files, a_folder_is_no_configuration)
{
	cr_assert(mkdir(file, 0700) == 0);
	expect_refused(-EISDIR, "cannot read %s: Is a directory");
}

Test(config_files, a_file_has_at_most_64_kib)
{
	static char text[(64 << 10) + 2];
	OWNS(buffer) struct buffer why = { 0 };
	struct config c;

	memset(text, '\n', sizeof(text) - 1);
	write_file("c", text);
	expect_refused(-EFBIG, "cannot read %s: it has more than 64KiB");
	text[64 << 10] = '\0';
	write_file("c", text);
	cr_expect(eq(int, config_load(file, &c, &why), 0), "%s", why.data);
}

Test(config_files, a_pipe_that_nobody_writes_to_is_empty, .timeout = 5)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct config c;

	cr_assert(mkfifo(file, 0600) == 0);
	cr_expect(eq(int, config_load(file, &c, &why), 0), "%s", why.data);
	cr_expect(memcmp(&c, &config_default, sizeof(c)) == 0);
}

/* --- what is installed and what is written about it --- */

static void read_source(const char *path, struct buffer *out)
{
	OWNS_FILE FILE *f = fopen(path, "r");
	char bytes[4096];
	size_t got;

	cr_assert(f != NULL, "%s", path);
	while ((got = fread(bytes, 1, sizeof(bytes), f)))
		buffer_add(out, bytes, got);
}

/* Calls @each for each key that the installed file names, with its commented-out line. */
static unsigned int each_key(void (*each)(const char *key, const char *line, void *ctx), void *ctx)
{
	OWNS(buffer) struct buffer text = { 0 };
	unsigned int count = 0;
	char *rest;

	read_source(SPPROF_SOURCE_DIR "/systemd/spprofd.conf", &text);
	for (char *line = strtok_r(text.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char key[64];

		cr_expect(line[0] == '#', "all of it is commented out: %s", line);
		if (sscanf(line, "#%63[a-z_] =", key) != 1)
			continue;
		each(key, line + 1, ctx);
		count++;
	}
	return count;
}

static void add_line(const char *key, const char *line, void *ctx)
{
	(void)key;
	buffer_print(ctx, "%s\n", line);
}

Test(config, the_installed_file_says_the_defaults)
{
	OWNS(buffer) struct buffer lines = { 0 };
	struct config c, other;

	memset(&other, 0, sizeof(other)); /* so that each key is seen to be set */
	c = other;
	cr_expect(eq(uint, each_key(add_line, &lines), 9));
	expect_parsed(lines.data, lines.len, &c);
	cr_expect(eq(str, c.socket, (char *)config_default.socket));
	for (size_t i = 0; i < COUNT(accepted); i++)
		cr_expect(eq(u64, value_at(&c, accepted[i].at),
			     value_at(&config_default, accepted[i].at)),
			  "%s", accepted[i].text);
}

static void find_in_page(const char *key, const char *line, void *ctx)
{
	const struct buffer *page = ctx;
	char item[96], value[64], as_text[96];

	cr_assert(sscanf(line, "%*s = %63s", value) == 1, "%s", line);
	snprintf(item, sizeof(item), ".It Cm %s No = ", key);
	cr_expect(strstr(page->data, item) != NULL, "%s", item);
	snprintf(as_text, sizeof(as_text), *value == '/' ? ".Pa %s ." : "The default is %s.",
		 value);
	cr_expect(strstr(page->data, as_text) != NULL, "%s", as_text);
}

Test(config, the_manual_names_each_key_and_its_default)
{
	OWNS(buffer) struct buffer page = { 0 };

	read_source(SPPROF_SOURCE_DIR "/man/spprofd.conf.5", &page);
	cr_expect(eq(uint, each_key(find_in_page, &page), 9));
}

Test(config, is_described_in_the_units_of_people)
{
	OWNS(buffer) struct buffer out = { 0 };
	struct config c = config_default;

	c.window_ns = 90000000000;
	c.window_bytes = (1 << 20) + 1;
	c.sample_hz = 0;
	config_describe(&c, &out);
	cr_expect(eq(str, out.data,
		     "on demand, 128 frames, windows of 90s in 1048577B, recordings in 512MiB, "
		     "128 connections (32 a user), 16 recordings a user"));
}
