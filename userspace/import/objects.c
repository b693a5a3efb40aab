/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording names every file that was mapped; only those that samples fell into are
 * opened, at their first sample.
 */
#include "import/objects.h"

#include "base/hash_index.h"
#include "base/utf8.h"
#include "import/object_file.h"
#include "import/object_kernel.h"
#include "import/object_names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <xxhash.h>

/* So that no recording makes us grow without bound. */
#define OBJECTS_MOST 65536
#define TABLES_MOST (1ull << 30) /* bytes of all files' tables and names */

/* Symbols come of the file, or of one that holds nothing else. */
enum { OF_FILE, OF_DEBUG, SOURCES };

struct object {
	char *path;
	struct build_id build_id;
	bool is_kernel, is_open; /* it was asked for a name */
	int err;		 /* why there are no symbols */
	struct object_file files[SOURCES];
	struct object_names names[SOURCES];
	struct object_kernel kernel;
};

struct objects {
	char *folder;
	int root; /* descriptor of @folder, or -errno */
	struct object *rows;
	uint32_t count, room;
	bool is_full; /* there were more */
	struct hash_index index;
	struct buffer text;
	size_t bytes;
	struct kernel_reference reference;
};

struct objects *objects_new(const char *folder)
{
	OWNS(objects) struct objects *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (o->root < 0)
		o->root = -errno;
	o->folder = strdup(folder);
	return o->folder ? TAKE(o) : NULL;
}

static void object_fini(struct object *it)
{
	for (int i = 0; i < SOURCES; i++) {
		object_names_fini(&it->names[i]);
		object_file_fini(&it->files[i]);
	}
	object_kernel_fini(&it->kernel);
	free(it->path);
}

void objects_free(struct objects *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; i < o->count; i++)
		object_fini(&o->rows[i]);
	free(o->rows);
	free(o->folder);
	buffer_fini(&o->text);
	hash_index_fini(&o->index);
	if (o->root >= 0)
		close(o->root);
	free(o);
}

static uint64_t hash_of(const char *path, const struct build_id *build_id)
{
	uint64_t seed = XXH3_64bits(build_id->bytes, build_id->len);

	return XXH3_64bits_withSeed(path, strlen(path), seed);
}

static bool is_same(const struct object *it, const char *path, const struct build_id *build_id)
{
	return it->build_id.len == build_id->len &&
	       !memcmp(it->build_id.bytes, build_id->bytes, build_id->len) &&
	       !strcmp(it->path, path);
}

static int make_room(struct objects *o)
{
	uint32_t room = o->room ? o->room * 2 : 16;
	struct object *rows;

	if (o->count < o->room)
		return 0;
	rows = reallocarray(o->rows, room, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	o->rows = rows;
	o->room = room;
	return 0;
}

static int add(struct objects *o, const char *path, const struct build_id *build_id, uint64_t hash)
{
	struct object it = { .build_id = *build_id };
	int err = make_room(o);

	if (err)
		return err;
	it.path = strdup(path);
	if (!it.path)
		return -ENOMEM;
	err = hash_index_add(&o->index, hash, o->count);
	if (err) {
		free(it.path);
		return err;
	}
	o->rows[o->count] = it;
	return o->count++;
}

int objects_add(struct objects *o, const char *path, const struct build_id *build_id)
{
	uint64_t hash = hash_of(path, build_id);
	struct hash_probe p = hash_index_find(&o->index, hash);
	uint32_t i;

	while (hash_probe_next(&p, &i))
		if (is_same(&o->rows[i], path, build_id))
			return i;
	if (o->count < OBJECTS_MOST - 1)
		return add(o, path, build_id, hash);
	o->is_full = true; /* one stands for all the rest */
	if (o->count == OBJECTS_MOST)
		return OBJECTS_MOST - 1;
	return add(o, "", &(struct build_id){ 0 }, hash);
}

int objects_add_kernel(struct objects *o, const struct build_id *build_id)
{
	int number = objects_add(o, "[kernel.kallsyms]", build_id);

	if (number >= 0 && *o->rows[number].path)
		o->rows[number].is_kernel = true;
	return number;
}

void objects_set_kernel_reference(struct objects *o, const char *symbol, uint64_t address)
{
	kernel_reference_set(&o->reference, symbol, address);
}

void objects_set_kernel_release(struct objects *o, const char *release)
{
	kernel_reference_set_release(&o->reference, release);
}

/* Memory that programs give names to, and what the kernel maps: no file. */
static bool has_file(const char *path)
{
	static const char *const none[] = { "[",       "//",	"/anon_hugepage", "/dev/zero",
					    "/memfd:", "/SYSV", "anon_inode:" };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!strncmp(path, none[i], strlen(none[i])))
			return false;
	return *path != '\0';
}

static int read_file(struct objects *o, struct object *it, int source, const char *path)
{
	struct object_file *f = &it->files[source];
	const struct build_id *want = source == OF_FILE ? &it->build_id : &it->files[0].build_id;
	size_t left = o->bytes < TABLES_MOST ? TABLES_MOST - o->bytes : 0;
	int err = o->root < 0 ? o->root : object_file_read(o->root, path, want, left, f);

	if (err) {
		struct build_id its = f->build_id;

		object_file_fini(f);
		f->build_id = its;
	} else {
		o->bytes += object_file_bytes(f);
	}
	return err;
}

/* Where distributions put what they strip off their files. */
static void read_debug(struct objects *o, struct object *it)
{
	const struct build_id *id = &it->files[OF_FILE].build_id;
	char path[64 + 2 * BUILD_ID_MAX] = "usr/lib/debug/.build-id/";
	size_t len = strlen(path);

	if (!id->len || !elf_symbols_is_stripped(it->files[OF_FILE].symbols))
		return;
	for (int i = 0; i < id->len; i++)
		len += snprintf(path + len, sizeof(path) - len, i ? "%02x" : "%02x/", id->bytes[i]);
	snprintf(path + len, sizeof(path) - len, ".debug");
	(void)read_file(o, it, OF_DEBUG, path);
}

static int read_anywhere(struct objects *o, struct object *it)
{
	const char *name = strrchr(it->path, '/');
	int err = read_file(o, it, OF_FILE, it->path);
	int other;

	name = name ? name + 1 : it->path;
	if (!err || !*name || !strcmp(o->folder, "/"))
		return err;
	other = read_file(o, it, OF_FILE, name);
	return other == -ENOENT ? err : other;
}

static void open_object(struct objects *o, struct object *it)
{
	it->is_open = true;
	if (it->is_kernel)
		it->err = object_kernel_open(&it->kernel, &it->build_id, &o->reference);
	else if (!has_file(it->path))
		it->err = 0;
	else
		it->err = read_anywhere(o, it);
	if (it->files[OF_FILE].symbols)
		read_debug(o, it);
}

static const char *name_of(struct objects *o, struct object *it, int source, uint64_t address)
{
	const struct elf_symbols *s = it->files[source].symbols;
	struct object_names *names = &it->names[source];
	uint32_t symbol = s ? elf_symbols_find(s, address) : NO_SYMBOL;
	size_t before = names->bytes;
	const char *name;

	if (symbol == NO_SYMBOL)
		return NULL;
	name = object_names_get(names, symbol, elf_symbols_count(s), elf_symbols_name(s, symbol),
				elf_symbols_is_stub(s, symbol) ? "@plt" : "", &o->text);
	o->bytes += names->bytes - before;
	return name;
}

const char *objects_name(struct objects *o, int object, uint64_t address, uint64_t *relative)
{
	struct object *it = &o->rows[object];
	const char *name;
	uint64_t at;

	*relative = address;
	if (!it->is_open)
		open_object(o, it);
	if (it->is_kernel)
		return object_kernel_name(&it->kernel, address);
	if (!it->files[OF_FILE].symbols)
		return NULL;
	at = elf_symbols_address(it->files[OF_FILE].symbols, address);
	if (at == UINT64_MAX)
		return NULL;
	*relative = at;
	name = name_of(o, it, OF_DEBUG, at);
	return name ? name : name_of(o, it, OF_FILE, at);
}

static void add_path(struct buffer *out, const char *path)
{
	struct buffer repaired = { 0 };

	utf8_repair(&repaired, path, strlen(path));
	if (repaired.data)
		utf8_add_visible(out, repaired.data);
	buffer_fini(&repaired);
}

static void add_id(struct buffer *out, const struct build_id *id)
{
	for (int i = 0; i < id->len; i++)
		buffer_print(out, "%02x", id->bytes[i]);
	if (!id->len)
		buffer_add_text(out, "none");
}

static void add_reason(const struct objects *o, const struct object *it, struct buffer *out)
{
	const struct build_id *its = &it->files[OF_FILE].build_id;

	switch (it->err) {
	case -ENOENT:
	case -ENOTDIR:
		buffer_print(out, "not found below %s", o->folder);
		break;
	case -ESTALE:
		buffer_add_text(out, "is of another build: build-id ");
		add_id(out, its);
		buffer_add_text(out, ", recorded was ");
		add_id(out, &it->build_id);
		break;
	case -EBADMSG:
		buffer_add_text(out, "is no ELF file that can be read");
		break;
	case -EFBIG:
		buffer_print(out, "the symbols of all files take more than %llu MiB",
			     TABLES_MOST >> 20);
		break;
	case -ENOSYS:
		buffer_add_text(out, "this kernel has no openat2()");
		break;
	default:
		buffer_print(out, "%s", strerror(-it->err));
	}
	buffer_add_text(out, "; its functions have no names\n");
}

static void warn(const struct objects *o, const struct object *it, struct buffer *out)
{
	if (it->is_kernel) {
		object_kernel_warn(it->err, out);
	} else if (it->err) {
		add_path(out, it->path);
		buffer_add_text(out, ": ");
		add_reason(o, it, out);
	} else if (it->files[OF_FILE].symbols && !it->build_id.len) {
		add_path(out, it->path);
		buffer_add_text(out, ": of which build it was is not recorded; the file that is "
				     "there now is believed\n");
	}
}

void objects_warn(const struct objects *o, struct buffer *out)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (o->rows[i].is_open)
			warn(o, &o->rows[i], out);
	if (o->is_full)
		buffer_print(out, "more than %d binaries: those beyond have no names\n",
			     OBJECTS_MOST - 1);
}
