/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_json.h"

#include "daemon/heap_warnings.h"
#include "daemon/stack_json.h"
#include "python/pylayout.h"

#include <stdbool.h>
#include <string.h>

static const char *const storage_names[HEAP_STORAGE_MAX] = {
	[HEAP_STORAGE_LIST] = "list items",
	[HEAP_STORAGE_DICT] = "dict keys and values",
	[HEAP_STORAGE_SET] = "set tables",
};

static json_t *json_count(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static uint64_t without(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

/* Takes @row over. NULL, and @rows is freed, if it is not complete: no row is lost in silence. */
static json_t *add_row(json_t *rows, json_t *row)
{
	if (!rows || !json_array_append_new(rows, row))
		return rows;
	json_decref(rows);
	return NULL;
}

static json_t *json_types(const struct heap_census *c)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; rows && i < c->type_count; i++) {
		const struct heap_census_type *t = &c->types[i];

		rows = add_row(rows,
			       json_pack("{so so so so}", "name",
					 stack_json_text(t->name, strlen(t->name)), "module",
					 stack_json_text(t->module, strlen(t->module)), "objects",
					 json_count(t->objects), "bytes", json_count(t->bytes)));
	}
	return rows;
}

static json_t *json_storage(const struct heap_census *c)
{
	json_t *rows = json_array();

	for (unsigned int i = 0; rows && i < HEAP_STORAGE_MAX; i++) {
		const struct heap_census_storage *s = &c->storage[i];

		rows = add_row(rows, json_pack("{ss so so so}", "name", storage_names[i], "blocks",
					       json_count(s->blocks), "bytes", json_count(s->bytes),
					       "outside_bytes", json_count(s->outside_bytes)));
	}
	return rows;
}

static json_t *json_sizes(const struct heap_census *c)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; rows && i < c->size_count; i++) {
		const struct heap_census_size *s = &c->sizes[i];

		rows = add_row(rows,
			       json_pack("{so so so so}", "size", json_count(s->size), "blocks",
					 json_count(s->blocks), "pools", json_count(s->pools),
					 "free_blocks", json_count(s->free_blocks)));
	}
	return rows;
}

/* Of blocks, of large objects, and of storage outside of the blocks. */
static json_t *json_coverage(const struct heap_census *c)
{
	uint64_t outside = c->large_bytes, live, explained;

	for (unsigned int i = 0; i < HEAP_STORAGE_MAX; i++)
		outside += c->storage[i].outside_bytes;
	live = c->live_bytes + outside;
	explained = c->explained_bytes + outside;
	return json_pack("{so so so}", "live_bytes", json_count(live), "explained_bytes",
			 json_count(explained), "unexplained_bytes",
			 json_count(without(live, explained)));
}

static json_t *json_arenas(const struct heap_census *c)
{
	uint64_t free_bytes = without(c->arena_bytes, c->live_bytes);
	double fragmentation = c->arena_bytes ? (double)free_bytes / c->arena_bytes : 0;

	return json_pack("{so so so so sf}", "count", json_count(c->arenas), "bytes",
			 json_count(c->arena_bytes), "live_bytes", json_count(c->live_bytes),
			 "free_bytes", json_count(free_bytes), "fragmentation", fragmentation);
}

static json_t *json_pools(const struct heap_census *c)
{
	return json_pack("{so so so so}", "count", json_count(c->pools), "changed",
			 json_count(c->pools_changed), "unreadable",
			 json_count(c->pools_unreadable), "damaged", json_count(c->pools_damaged));
}

/* Arenas count as resident as a whole, so what is left may be a little more than is told. */
static json_t *json_outside(const struct heap_facts *f)
{
	uint64_t anon = f->memory.rss_anon_bytes;

	return json_pack("{so so}", "anon_bytes", json_count(anon), "other_bytes",
			 json_count(without(anon, f->census->arena_bytes)));
}

/* Takes both over. */
static bool set(json_t *page, const char *name, json_t *value)
{
	return !json_object_set_new(page, name, value);
}

static json_t *json_head(const struct heap_facts *f)
{
	bool is_mimalloc = f->allocator->kind == ALLOCATOR_MIMALLOC;
	char version[16];

	pylayout_version_text(f->layout, version);
	return json_pack("{si so ss ss so sf ss}", "pid", f->pid, "name",
			 stack_json_text(f->name, strlen(f->name)), "python", version, "tier",
			 "scan", "time_ns", json_count(f->time_ns), "duration_ms",
			 f->duration_ns / 1e6, "allocator", is_mimalloc ? "mimalloc" : "pymalloc");
}

static bool add_sums(json_t *page, const struct heap_facts *f)
{
	const struct heap_census *c = f->census;

	return set(page, "warnings", heap_warnings(f)) &&
	       set(page, "scanned_bytes", json_count(c->scanned_bytes)) &&
	       set(page, "rss_bytes", json_count(f->memory.rss_bytes)) &&
	       set(page, "consistency", json_real(heap_census_consistency(c))) &&
	       set(page, "coverage", json_coverage(c)) && set(page, "arenas", json_arenas(c)) &&
	       set(page, "pools", json_pools(c)) &&
	       set(page, "unused",
		   json_pack("{so so}", "objects", json_count(c->unused_objects), "bytes",
			     json_count(c->unused_bytes))) &&
	       set(page, "outside", json_outside(f));
}

static bool add_rows(json_t *page, const struct heap_census *c)
{
	return set(page, "types", json_types(c)) &&
	       set(page, "types_omitted",
		   json_pack("{so so}", "objects", json_count(c->other_types_objects), "bytes",
			     json_count(c->other_types_bytes))) &&
	       set(page, "storage", json_storage(c)) && set(page, "size_classes", json_sizes(c));
}

json_t *heap_json(const struct heap_facts *f)
{
	json_t *page = json_head(f);

	if (page && add_sums(page, f) && add_rows(page, f->census))
		return page;
	json_decref(page);
	return NULL;
}
