/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_input.h"

#include "cli/heap_input_parts.h"

#include <errno.h>

static void heap_reader_cleanup(struct heap_reader *r)
{
	heap_types_fini(&r->types);
}

/* {"objects":…, "bytes":…}, and what else there may be. */
static int read_sum(struct json *j, uint64_t *objects, uint64_t *bytes)
{
	int err = json_enter(j, '{');

	while (!err && (err = json_next(j, '}')) > 0) {
		struct json_text key;

		err = json_read_key(j, &key);
		if (err)
			return err;
		if (objects && json_text_is(&key, "objects"))
			err = heap_read_amount(j, objects);
		else if (json_text_is(&key, objects ? "bytes" : "live_bytes"))
			err = heap_read_amount(j, bytes);
		else
			err = json_skip_value(j);
	}
	return err;
}

static int read_types(struct heap_reader *r)
{
	if (r->has_types)
		return json_refuse(&r->json, "a second list of types in one object");
	r->has_types = true;
	return heap_read_rows(r, false);
}

static int read_object(struct heap_reader *r);

static int read_member(struct heap_reader *r, const struct json_text *key)
{
	struct heap_types *t = &r->types;
	struct json *j = &r->json;

	if (json_text_is(key, "pid"))
		return heap_read_whole(j, UINT32_MAX, &t->pid);
	if (json_text_is(key, "time_ns"))
		return heap_read_whole(j, INT64_MAX, &t->time_ns);
	if (json_text_is(key, "name"))
		return heap_read_name(j, &t->name);
	if (json_text_is(key, "python"))
		return heap_read_name(j, &t->python);
	if (json_text_is(key, "tier"))
		return heap_read_name(j, &t->tier);
	if (json_text_is(key, "coverage"))
		return read_sum(j, NULL, &t->live_bytes);
	if (json_text_is(key, "types_omitted"))
		return read_sum(j, &t->omitted_objects, &t->omitted_bytes);
	if (json_text_is(key, "unused"))
		return read_sum(j, &t->unused_objects, &t->unused_bytes);
	if (json_text_is(key, "types"))
		return read_types(r);
	if (json_text_is(key, "storage"))
		return heap_read_rows(r, true);
	return json_skip_value(j);
}

/* Of a page only the heap matters; null: it was not scanned. */
static int read_heap(struct heap_reader *r)
{
	struct json *j = &r->json;
	int err;

	while (j->at < j->end && (*j->at == ' ' || *j->at == '\t'))
		j->at++;
	if (j->at < j->end && *j->at == 'n')
		return json_skip_value(j);
	r->depth++;
	err = read_object(r);
	r->depth--;
	return err;
}

static int read_object(struct heap_reader *r)
{
	int err = json_enter(&r->json, '{');

	while (!err && (err = json_next(&r->json, '}')) > 0) {
		struct json_text key;

		err = json_read_key(&r->json, &key);
		if (err)
			return err;
		if (!r->depth && json_text_is(&key, "heap"))
			err = read_heap(r);
		else
			err = read_member(r, &key);
	}
	return err;
}

/* The next process of the file; 1, or 0 at the end. */
static int read_process(struct heap_reader *r)
{
	struct buffer why = { 0 };
	struct json probe = r->json;
	int err;

	probe.why = &why;
	err = json_read_end(&probe);
	buffer_fini(&why);
	if (!err)
		return 0;
	heap_types_fini(&r->types);
	r->has_types = false;
	err = read_object(r);
	if (err)
		return err;
	if (!r->has_types)
		return json_refuse(&r->json, "no types: write it with --types --json");
	if (!r->types.pid || !r->types.tier)
		return json_refuse(&r->json, "a heap without pid or tier");
	return 1;
}

int heap_input_read(const char *bytes, size_t len, uint64_t pid, struct heap_types *out,
		    struct buffer *why)
{
	OWNS(heap_reader) struct heap_reader r = { 0 };
	struct heap_types only OWNS(heap_types) = { 0 };
	uint32_t processes = 0;
	int more;

	r.json = (struct json){ .start = bytes, .at = bytes, .end = bytes + len, .why = why };
	while ((more = read_process(&r)) > 0) {
		if (++processes > HEAP_INPUT_MOST_PROCESSES)
			return json_refuse(&r.json, "more processes than there can be");
		if (pid && r.types.pid == pid)
			break;
		if (processes == 1) {
			only = r.types;
			r.types = (struct heap_types){ 0 };
		}
	}
	if (more < 0)
		return more;
	if (!processes)
		return json_refuse(&r.json, "nothing is in it");
	if (!more && processes > 1) {
		why->len = 0;
		buffer_print(why, "%u processes, none of them %llu", processes,
			     (unsigned long long)pid);
		return -EBADMSG;
	}
	*out = more ? r.types : only;
	*(more ? &r.types : &only) = (struct heap_types){ 0 };
	return 0;
}
