/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON: numbers that are not known are null. */
#include "cli/types_report.h"

#include <string.h>

static json_t *count(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static json_t *real_if(bool is_known, double value)
{
	return is_known ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

/* Adds NAME_per_s and NAME_per_s_error. */
static int set_trend(json_t *row, const char *slope, const char *error, const struct trend *t)
{
	int err = json_object_set_new(row, slope, real_if(t->has_slope, t->slope));

	return err | json_object_set_new(row, error, real_if(t->has_error, t->error));
}

/* Adds NAME_before and NAME. */
static int set_count(json_t *row, const char *before, const char *now, const uint64_t numbers[2])
{
	int err = json_object_set_new(row, before, count(numbers[0]));

	return err | json_object_set_new(row, now, count(numbers[1]));
}

static int set_counts(json_t *row, const struct types_row *r)
{
	const uint64_t objects[] = { r->objects_before, r->objects };
	const uint64_t bytes[] = { r->bytes_before, r->bytes };
	int err = r->is_storage ? set_count(row, "blocks_before", "blocks", objects)
				: set_count(row, "objects_before", "objects", objects);

	return err | set_count(row, "bytes_before", "bytes", bytes);
}

static int set_trends(json_t *row, const struct types_row *r)
{
	int err = set_trend(row, "bytes_per_s", "bytes_per_s_error", &r->bytes_trend);

	if (r->is_storage)
		err |= set_trend(row, "blocks_per_s", "blocks_per_s_error", &r->objects_trend);
	else
		err |= set_trend(row, "objects_per_s", "objects_per_s_error", &r->objects_trend);
	return err | json_object_set_new(row, "grows", json_boolean(types_row_grows(r)));
}

static json_t *row_json(const struct types_row *r)
{
	json_t *row = r->is_storage ? json_pack("{ss}", "name", r->name)
				    : json_pack("{ss ss}", "name", r->name, "module", r->module);

	if (row && !set_counts(row, r) && !set_trends(row, r))
		return row;
	json_decref(row);
	return NULL;
}

static json_t *rows_json(const struct types_report *r, bool is_storage)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; rows && i < r->count; i++) {
		if (r->rows[i].is_storage != is_storage)
			continue;
		if (json_array_append_new(rows, row_json(&r->rows[i]))) {
			json_decref(rows);
			return NULL;
		}
	}
	return rows;
}

static json_t *moment_json(const struct types_moment *m)
{
	return json_pack("{so so so}", "time_ns", count(m->time_ns), "live_bytes",
			 count(m->live_bytes), "file", text_or_null(m->file));
}

static json_t *warnings_json(const struct buffer *warnings)
{
	json_t *lines = json_array();

	for (const char *at = warnings->len ? warnings->data : ""; lines && *at;) {
		size_t len = strcspn(at, "\n");

		if (json_array_append_new(lines, json_stringn(at, len))) {
			json_decref(lines);
			return NULL;
		}
		at += len + (at[len] == '\n');
	}
	return lines;
}

json_t *types_report_json(const struct types_report *r)
{
	const struct heap_types *p = r->process;

	return json_pack("{so so so so so so si sf so so so si}", "pid", count(p->pid), "name",
			 text_or_null(p->name), "python", text_or_null(p->python), "tier",
			 text_or_null(p->tier), "before", moment_json(&r->before), "after",
			 moment_json(&r->after), "scans", (int)r->scans, "seconds",
			 types_report_seconds(r), "warnings", warnings_json(r->warnings), "types",
			 rows_json(r, false), "storage", rows_json(r, true), "unchanged",
			 (int)r->unchanged);
}
