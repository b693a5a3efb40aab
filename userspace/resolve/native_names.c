/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/native_names.h"

#include "base/clock.h"
#include "base/hash_index.h"
#include "base/utf8.h"
#include "native/demangle.h"
#include "resolve/native_file.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#define MOST_FILES 1024
#define MOST_FUNCTIONS 65536
#define MOST_BYTES (64u << 20) /* of the tables of all files of a process */
#define READ_AGAIN_NS 1000000000ull

/* A file that an address was asked for in. */
struct named_file {
	uint64_t inode;
	uint32_t major, minor;
	char *path;
	struct native_file tables;
};

/* A function that was asked for: of a file, or all of a file whose symbols are not known. */
struct named_function {
	uint32_t file;
	uint32_t symbol; /* or NO_SYMBOL */
	char *text;
};

struct native_names {
	pid_t pid;
	struct sp_binary_id interpreter;
	struct code_map code;
	uint64_t read_ns; /* when that was; 0: never */
	struct named_file files[MOST_FILES];
	uint32_t file_count;
	size_t bytes; /* of their tables */
	struct hash_index index;
	struct named_function *functions;
	uint32_t function_count, function_room;
};

struct native_names *native_names_new(pid_t pid, const struct interpreter *in)
{
	struct native_names *n = calloc(1, sizeof(*n));

	if (n) {
		n->pid = pid;
		n->interpreter = in->file;
	}
	return n;
}

void native_names_free(struct native_names *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->function_count; i++)
		free(n->functions[i].text);
	for (uint32_t i = 0; i < n->file_count; i++) {
		free(n->files[i].path);
		native_file_fini(&n->files[i].tables);
	}
	free(n->functions);
	hash_index_fini(&n->index);
	code_map_fini(&n->code);
	free(n);
}

/* A process that has ended keeps what was known of it. */
static void read_map(struct native_names *n)
{
	uint64_t now = monotonic_ns();
	struct code_map code;

	if (n->read_ns && now - n->read_ns < READ_AGAIN_NS)
		return;
	n->read_ns = now;
	if (code_map_read(n->pid, &code))
		return;
	if (!code.count) {
		code_map_fini(&code);
		return;
	}
	code_map_fini(&n->code);
	n->code = code;
}

/* The mapping of what a call at @address - 1 belongs to, or NULL. */
static const struct code_mapping *find_mapping(struct native_names *n, uint64_t address)
{
	const struct code_mapping *m = code_map_find(&n->code, address - 1);

	if (m)
		return m;
	read_map(n);
	return code_map_find(&n->code, address - 1);
}

static char *repaired(const char *text)
{
	OWNS(buffer) struct buffer b = { .len = 0 };

	utf8_repair(&b, text, strlen(text));
	return buffer_error(&b) ? NULL : TAKE(b.data) ?: strdup("");
}

/* The number of @m's file, its symbols read when it is met first; -ENOSPC, -ENOMEM. */
static int64_t file_of(struct native_names *n, const struct code_mapping *m)
{
	struct named_file *f = &n->files[n->file_count];

	for (uint32_t i = 0; i < n->file_count; i++)
		if (n->files[i].inode == m->at.inode && n->files[i].major == m->at.major &&
		    n->files[i].minor == m->at.minor)
			return i;
	if (n->file_count == MOST_FILES)
		return -ENOSPC;
	*f = (struct named_file){
		m->at.inode, m->at.major, m->at.minor, repaired(m->at.path), { 0 }
	};
	if (!f->path)
		return -ENOMEM;
	/* One that cannot be read has no names. */
	(void)native_file_read(n->pid, m, MOST_BYTES - n->bytes, &f->tables);
	n->bytes += native_file_bytes(&f->tables);
	return n->file_count++;
}

static uint32_t symbol_of(const struct native_file *f, const struct code_mapping *m,
			  uint64_t address)
{
	uint64_t offset = address - 1 - m->at.start + m->at.offset;

	return f->symbols ? elf_symbols_find(f->symbols, elf_symbols_address(f->symbols, offset))
			  : NO_SYMBOL;
}

/* What a symbol is called, for people; of a stub the name of what it calls. */
static char *text_of(const struct native_file *f, uint32_t symbol)
{
	OWNS(buffer) struct buffer b = { .len = 0 };

	if (symbol == NO_SYMBOL)
		return strdup("");
	if (demangle_add(elf_symbols_name(f->symbols, symbol), &b) || buffer_error(&b))
		return NULL;
	return b.data ? repaired(b.data) : strdup("");
}

static int make_room(struct native_names *n)
{
	uint32_t room = n->function_room ? n->function_room * 2 : 64;
	struct named_function *functions = realloc(n->functions, room * sizeof(*functions));

	if (!functions)
		return -ENOMEM;
	n->functions = functions;
	n->function_room = room;
	return 0;
}

static int64_t add_function(struct native_names *n, uint64_t hash, uint32_t file, uint32_t symbol)
{
	struct named_function f = { .file = file, .symbol = symbol };

	if (n->function_count == MOST_FUNCTIONS)
		return -ENOSPC;
	if (n->function_count == n->function_room && make_room(n))
		return -ENOMEM;
	f.text = text_of(&n->files[file].tables, symbol);
	if (!f.text || hash_index_add(&n->index, hash, n->function_count)) {
		free(f.text);
		return -ENOMEM;
	}
	n->functions[n->function_count] = f;
	return n->function_count++;
}

static int64_t function_of(struct native_names *n, uint32_t file, uint32_t symbol)
{
	const uint32_t key[] = { file, symbol };
	uint64_t hash = XXH3_64bits(key, sizeof(key));
	struct hash_probe p = hash_index_find(&n->index, hash);
	uint32_t i;

	while (hash_probe_next(&p, &i))
		if (n->functions[i].file == file && n->functions[i].symbol == symbol)
			return i;
	return add_function(n, hash, file, symbol);
}

int native_names_find(struct native_names *n, uint64_t address, struct native_name *out)
{
	const struct code_mapping *m = find_mapping(n, address);
	int64_t file = m ? file_of(n, m) : -ENOENT, function;

	if (file < 0)
		return file;
	function = function_of(n, file, symbol_of(&n->files[file].tables, m, address));
	if (function < 0)
		return function;
	*out = (struct native_name){ .function = n->functions[function].text,
				     .file = n->files[file].path,
				     .number = function + 1 };
	return 0;
}

size_t native_names_above(struct native_names *n, const uint64_t *addresses, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct code_mapping *m = find_mapping(n, addresses[i]);

		if (!m ||
		    (m->at.inode == n->interpreter.inode && m->at.major == n->interpreter.major &&
		     m->at.minor == n->interpreter.minor))
			break;
	}
	return i;
}
