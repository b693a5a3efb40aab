/* SPDX-License-Identifier: Apache-2.0 */
#include "native/kallsyms.h"

#include "native/elf_notes.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

struct kallsyms {
	struct symbol_table table;
	char *names; /* a NUL after each */
	size_t names_len;
	uint64_t text, stext; /* addresses of _text and _stext; 0: not there */
	bool has_address;     /* some line has one */
	const char *module;   /* of the line before; in @names */
	uint32_t group;
};

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	symbol_table_fini(&k->table);
	free(k->names);
	free(k);
}

struct word {
	const char *at;
	size_t len;
};

/* The next piece of a line up to a blank or tab; *@line moves behind it. */
static struct word take_word(struct word *line)
{
	struct word w;

	while (line->len && (*line->at == ' ' || *line->at == '\t'))
		*line = (struct word){ line->at + 1, line->len - 1 };
	w = (struct word){ line->at, 0 };
	while (w.len < line->len && w.at[w.len] != ' ' && w.at[w.len] != '\t')
		w.len++;
	line->at += w.len;
	line->len -= w.len;
	return w;
}

static bool read_hex(const struct word *w, uint64_t *out)
{
	uint64_t value = 0;

	if (!w->len || w->len > 16)
		return false;
	for (size_t i = 0; i < w->len; i++) {
		char c = w->at[i];
		bool is_digit = c >= '0' && c <= '9';

		if (!is_digit && !(c >= 'a' && c <= 'f'))
			return false;
		value = value << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
	}
	*out = value;
	return true;
}

/* There is room: @names has as many bytes as the text. */
static const char *keep(struct kallsyms *k, const struct word *w)
{
	char *at = k->names + k->names_len;

	memcpy(at, w->at, w->len);
	at[w->len] = '\0';
	k->names_len += w->len + 1;
	return at;
}

/* Modules come one after another, so a new name is a new group; 0 is the kernel's own. */
static uint32_t group_of(struct kallsyms *k, const struct word *module)
{
	if (!module->len)
		return 0;
	if (!k->module || strlen(k->module) != module->len ||
	    memcmp(k->module, module->at, module->len)) {
		k->module = keep(k, module);
		k->group++;
	}
	return k->group;
}

static uint8_t binding_of(char type)
{
	if (type == 'W' || type == 'w')
		return STB_WEAK;
	return type == 'T' ? STB_GLOBAL : STB_LOCAL;
}

/* Other names may be better for their addresses, so they are kept apart. */
static void take_reference(struct kallsyms *k, const struct word *name, uint64_t address)
{
	if (name->len == 5 && !memcmp(name->at, "_text", 5))
		k->text = address;
	else if (name->len == 6 && !memcmp(name->at, "_stext", 6))
		k->stext = address;
}

static int take_line(struct kallsyms *k, struct word line)
{
	struct word address = take_word(&line), type = take_word(&line);
	struct word name = take_word(&line), module = take_word(&line);
	struct symbol s = { 0 };

	if (!read_hex(&address, &s.start) || type.len != 1 || !memchr("TtWw", *type.at, 4) ||
	    !name.len)
		return 0;
	k->has_address |= s.start != 0;
	take_reference(k, &name, s.start);
	s.end = s.start;
	s.name = keep(k, &name);
	s.binding = binding_of(*type.at);
	s.group = group_of(k, &module);
	return symbol_table_add(&k->table, &s);
}

static int take_lines(struct kallsyms *k, const char *text, size_t len)
{
	int err = 0;

	while (!err && len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		err = take_line(k, (struct word){ text, line });
		line += end != NULL;
		text += line;
		len -= line;
	}
	if (err)
		return err;
	if (!k->table.count)
		return -ENOENT;
	return k->has_address ? symbol_table_finish(&k->table) : -EACCES;
}

struct kallsyms *kallsyms_new(const char *text, size_t len, int *err)
{
	OWNS(kallsyms) struct kallsyms *k = calloc(1, sizeof(*k));

	*err = -ENOMEM;
	if (!k)
		return NULL;
	k->names = malloc(len + 1); /* the last line may have no end */
	if (!k->names)
		return NULL;
	*err = take_lines(k, text, len);
	return *err ? NULL : TAKE(k);
}

const char *kallsyms_find(const struct kallsyms *k, uint64_t address, bool *is_module)
{
	uint32_t i = symbol_table_find(&k->table, address);

	if (i == NO_SYMBOL)
		return NULL;
	*is_module = k->table.rows[i].group != 0;
	return k->table.rows[i].name;
}

uint64_t kallsyms_reference(const struct kallsyms *k, const char *name)
{
	if (!strcmp(name, "_text"))
		return k->text;
	return strcmp(name, "_stext") ? 0 : k->stext;
}

bool kernel_build_id(const void *notes, size_t len, struct build_id *out)
{
	return elf_notes_build_id(notes, len, 4, false, out);
}
