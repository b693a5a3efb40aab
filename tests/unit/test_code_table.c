/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code table over crafted records, of a process that cannot be read (0), and over
 * crafted code objects in the test's own memory. Checklist C-02, C-04, C-07.
 */
#include "resolve/code_table.h"

#include "python/pytext.h"
#include "resolve/walk_target.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define NO_PROCESS 0
#define FFFD "\xef\xbf\xbd"

/* Units 0: line 10, 1 and 2: line 11, 3: no line. */
static const uint8_t linetable[] = { 0xd0, 0, 0, 0xd9, 0, 0, 0xf8 };

union record {
	struct sp_code code;
	uint8_t bytes[sizeof(struct sp_code) + 2 * SP_TEXT_BYTES + SP_LINETABLE_BYTES];
};

struct text {
	const void *data;
	uint32_t length; /* code points */
	uint16_t stored; /* bytes */
	uint8_t width;
};

static struct sp_text put_text(union record *r, size_t *used, const struct text *t)
{
	memcpy(r->bytes + *used, t->data, t->stored);
	*used += t->stored;
	return (struct sp_text){ .length = t->length, .stored = t->stored, .width = t->width };
}

static void make_record(union record *r, uint64_t code, const struct text *name,
			const struct text *file)
{
	size_t used = sizeof(r->code);

	memset(r, 0, sizeof(r->code));
	r->code.code = code;
	r->code.key = 7;
	r->code.first_line = 10;
	r->code.name = put_text(r, &used, name);
	r->code.file = put_text(r, &used, file);
	memcpy(r->bytes + used, linetable, sizeof(linetable));
	r->code.linetable_stored = r->code.linetable_length = sizeof(linetable);
	r->code.has_linetable = 1;
	r->code.head.size = used + sizeof(linetable);
}

#define TEXT(w, len, s)                                                     \
	{                                                                   \
		.data = s, .length = len, .stored = (len) * (w), .width = w \
	}
static const struct text a_file = TEXT(1, 4, "f.py");
static const struct sp_pylayout no_layout = { .version = 0x030b00f0 };

Test(code_table, names_of_every_width_become_utf8)
{
	static const struct {
		struct text name;
		const char *utf8;
	} rows[] = {
		{ TEXT(1, 3, "f;g"), "f;g" },
		{ TEXT(1, 0, ""), "" },
		{ TEXT(1, 2, "\xe9\x80"), "\xc3\xa9\xc2\x80" },
		{ TEXT(1, 3, "a\0b"), "a" FFFD "b" },
		{ TEXT(1, 1, "\0"), FFFD },
		{ TEXT(2, 2, "\x16\x04-\x26"), "\xd0\x96\xe2\x98\xad" },
		{ TEXT(2, 1, "\x00\xd8"), FFFD },
		{ TEXT(4, 1, "\x0d\xf4\x01\x00"), "\xf0\x9f\x90\x8d" },
		{ TEXT(4, 1, "\xff\xff\xff\xff"), FFFD },
	};
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	union record r;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct code_entry *e;

		make_record(&r, 64 * i, &rows[i].name, &a_file);
		cr_assert(eq(int, code_table_learn(t, &r.code), 0));
		e = code_table_find(t, 64 * i, 7);
		cr_assert(e != NULL);
		cr_assert(eq(str, e->name, (char *)rows[i].utf8));
		cr_assert(eq(str, e->file, "f.py"));
	}
}

Test(code_table, cut_name_says_so)
{
	static const struct text cut = { .data = "abcd", .length = 9, .stored = 4, .width = 1 };
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	union record r;

	make_record(&r, 64, &cut, &a_file);
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
	cr_assert(eq(str, code_table_find(t, 64, 7)->name, "abcd\xe2\x80\xa6"));
}

Test(code_table, line_is_of_the_unit)
{
	static const struct {
		uint32_t instr, line;
	} rows[] = { { 0, 10 }, { 1, 11 }, { 2, 11 }, { 3, 0 }, { 4, 0 }, { SP_INSTR_BEFORE, 10 } };
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	union record r;

	make_record(&r, 64, &a_file, &a_file);
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_assert(eq(u32, code_entry_line(code_table_find(t, 64, 7), rows[i].instr),
			     rows[i].line));
}

Test(code_table, cut_linetable_serves_its_first_part)
{
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	union record r;

	make_record(&r, 64, &a_file, &a_file);
	r.code.linetable_stored = 3;
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
	cr_assert(eq(u32, code_entry_line(code_table_find(t, 64, 7), 0), 10));
	cr_assert(eq(u32, code_entry_line(code_table_find(t, 64, 7), 1), 0));
}

Test(code_table, name_that_nobody_has_is_unknown)
{
	static const struct text unread = { .data = "" };
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	union record r;

	make_record(&r, 64, &unread, &a_file);
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
	cr_assert(code_table_find(t, 64, 7) == NULL);
	make_record(&r, 64, &a_file, &a_file); /* a later record brings it */
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
	cr_assert(code_table_find(t, 64, 7) != NULL);
	cr_assert(code_table_find(t, 64, 8) == NULL);
}

Test(code_table, hostile_lengths_are_refused)
{
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	union record good, r;

	make_record(&good, 64, &a_file, &a_file);
#define REFUSED(field, value)                                               \
	do {                                                                \
		r = good;                                                   \
		r.code.field = value;                                       \
		cr_assert(eq(int, code_table_learn(t, &r.code), -EBADMSG)); \
	} while (0)
	REFUSED(head.size, 0);
	REFUSED(head.size, sizeof(struct sp_code) - 1);
	REFUSED(head.size, good.code.head.size - 1);
	REFUSED(name.stored, 5);
	REFUSED(name.stored, 0xffff);
	REFUSED(name.width, 3);
	REFUSED(name.width, 255);
	REFUSED(name.length, 3);
	REFUSED(file.stored, 0xffff);
	REFUSED(file.width, 0);
	REFUSED(linetable_stored, 0xffffffff);
	REFUSED(linetable_length, 1);
#undef REFUSED
	cr_assert(code_table_find(t, 64, 7) == NULL);
}

/* Longer line tables fill it sooner. */
#ifdef __SANITIZE_ADDRESS__
#define MORE_BYTES 1000
#else
#define MORE_BYTES 0
#endif

Test(code_table, full_table_counts_what_it_refuses)
{
	OWNS(code_table) struct code_table *t = code_table_new(NO_PROCESS, &no_layout);
	uint64_t count = 0;
	size_t bytes;
	union record r = { 0 };
	int err;

	do {
		make_record(&r, count, &a_file, &a_file);
		r.code.head.size += MORE_BYTES;
		r.code.linetable_stored += MORE_BYTES;
		r.code.linetable_length += MORE_BYTES;
		bytes = code_table_bytes(t);
		err = code_table_learn(t, &r.code);
	} while (!err && ++count);
	cr_assert(eq(int, err, -ENOSPC));
	cr_assert(count > CODE_TABLE_BYTES / (MORE_BYTES + 600));
	cr_assert(lt(sz, bytes, CODE_TABLE_BYTES + CODE_TABLE_BYTES / 8));
	cr_assert(code_table_find(t, count, 7) == NULL);
	cr_assert(eq(u64, code_table_refused(t), 1));
	cr_assert(eq(sz, code_table_bytes(t), bytes));
	r.code.code = 0; /* known: nothing is refused */
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
}

/* A code object as the layout below describes it, in our own memory. */
struct string {
	uint64_t head[2], length, hash;
	uint32_t state, spare;
	char text[136];
};

struct bytes {
	uint64_t head[2], length, hash;
	uint8_t data[sizeof(linetable)];
};

struct code_object {
	uint64_t head[8];
	uint32_t spare, first_line;
	uint64_t version;
	const struct string *file, *name, *qualname;
	const struct bytes *linetable;
};

static const struct sp_pylayout own_layout = {
	.version = 0x030c00f0,
	.code_firstlineno = offsetof(struct code_object, first_line),
	.code_filename = offsetof(struct code_object, file),
	.code_qualname = offsetof(struct code_object, qualname),
	.code_linetable = offsetof(struct code_object, linetable),
	.code_version = offsetof(struct code_object, version),
	.var_size = offsetof(struct bytes, length),
	.bytes_data = offsetof(struct bytes, data),
	.unicode_length = offsetof(struct string, length),
	.unicode_state = offsetof(struct string, state),
	.ascii_size = offsetof(struct string, text),
	.compact_size = offsetof(struct string, text) + 16,
	.unicode_kind = 2,
};

#define COMPACT_ASCII (1 << 2 | 1 << 5 | 1 << 6)

static void set_text(struct string *s, const char *text)
{
	s->state = COMPACT_ASCII;
	s->length = strlen(text);
	strcpy(s->text, text);
}

struct own_code {
	struct string file, name;
	struct bytes table;
	struct code_object code;
};

static void make_code(struct own_code *c, const char *name)
{
	set_text(&c->file, "own.py");
	set_text(&c->name, name);
	c->table.length = sizeof(linetable);
	memcpy(c->table.data, linetable, sizeof(linetable));
	c->code = (struct code_object){
		.first_line = 10,
		.version = 1,
		.file = &c->file,
		.name = &c->name,
		.qualname = &c->name,
		.linetable = &c->table,
	};
}

static uint32_t key_of(const struct code_object *code)
{
	pid_t self = getpid();
	struct sp_keys keys;

	walk_from(target_reader_of(&self));
	return sp_code_key(&own_layout, (uintptr_t)code, &keys);
}

Test(code_table, unknown_code_is_read_from_the_process)
{
	OWNS(code_table) struct code_table *t = code_table_new(getpid(), &own_layout);
	static struct own_code c;
	const struct code_entry *e;

	make_code(&c, "Own.name");
	e = code_table_find(t, (uintptr_t)&c.code, key_of(&c.code));
	cr_assert(e != NULL);
	cr_assert(eq(str, e->name, "Own.name"));
	cr_assert(eq(str, e->file, "own.py"));
	cr_assert(eq(u32, e->first_line, 10));
	cr_assert(eq(u32, code_entry_line(e, 2), 11));
}

Test(code_table, recycled_address_does_not_take_the_old_name)
{
	OWNS(code_table) struct code_table *t = code_table_new(getpid(), &own_layout);
	static struct own_code c;
	uint64_t at = (uintptr_t)&c.code;
	uint32_t first, second;

	make_code(&c, "first");
	first = key_of(&c.code);
	cr_assert(eq(str, code_table_find(t, at, first)->name, "first"));
	make_code(&c, "second");
	c.code.version++; /* each code object has its own from 3.12 on */
	second = key_of(&c.code);
	cr_assert(ne(u32, first, second));
	cr_assert(eq(str, code_table_find(t, at, second)->name, "second"));
	cr_assert(eq(str, code_table_find(t, at, first)->name, "first"));
}

Test(code_table, code_that_was_replaced_is_unknown)
{
	OWNS(code_table) struct code_table *t = code_table_new(getpid(), &own_layout);
	static struct own_code c;
	uint32_t key;

	make_code(&c, "first");
	key = key_of(&c.code);
	c.code.version++;
	cr_assert(code_table_find(t, (uintptr_t)&c.code, key) == NULL);
	cr_assert(code_table_find(t, (uintptr_t)&c.code, 0) == NULL);
	cr_assert(code_table_find(t, 0, key) == NULL);
}

Test(code_table, incomplete_record_is_completed_from_the_process)
{
	static const struct text unread = { .data = "" };
	OWNS(code_table) struct code_table *t = code_table_new(getpid(), &own_layout);
	static struct own_code c;
	const struct code_entry *e;
	union record r;

	make_code(&c, "whole");
	make_record(&r, (uintptr_t)&c.code, &unread, &a_file);
	r.code.key = key_of(&c.code);
	r.code.linetable_length = r.code.linetable_stored = 0;
	cr_assert(eq(int, code_table_learn(t, &r.code), 0));
	c.code.version++; /* from here on it could not be read any more */
	e = code_table_find(t, (uintptr_t)&c.code, r.code.key);
	cr_assert(e != NULL);
	cr_assert(eq(str, e->name, "whole"));
	cr_assert(eq(u32, code_entry_line(e, 1), 11));
}

Test(code_table, misses_take_no_memory)
{
	OWNS(code_table) struct code_table *t = code_table_new(getpid(), &own_layout);
	size_t bytes = code_table_bytes(t);

	for (uint64_t i = 1; i <= 1000; i++)
		cr_assert(code_table_find(t, i * 64, 7) == NULL);
	cr_assert(eq(sz, code_table_bytes(t), bytes));
}
