/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/snapshot_page.h"

#include "spprof_counters.h"

static json_t *json_share(int64_t part, int64_t whole)
{
	return whole > 0 ? json_real((double)part / whole) : json_null();
}

static json_t *json_string_of(const struct profile *p, profile_id id)
{
	return json_stringn(profile_string(p, id), profile_string_len(p, id));
}

static json_t *json_functions(const struct profile *p, const struct summary *sum)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(p, &count);
	json_t *rows = json_array();

	for (uint32_t i = 0; i < sum->function_count && i < SNAPSHOT_MOST_ROWS; i++) {
		const struct summary_function *row = &sum->functions[i];
		const struct profile_function *f = &functions[row->function];

		json_array_append_new(
			rows, json_pack("{so so ss so so}", "function", json_string_of(p, f->name),
					"file", json_string_of(p, f->file), "kind",
					profile_kind_name(f->kind), "self_share",
					json_share(row->self, sum->weight), "total_share",
					json_share(row->total, sum->weight)));
	}
	return rows;
}

/* Those that are lines: what ran without one is among the functions. */
static json_t *json_lines(const struct profile *p, const struct summary *sum, uint32_t *omitted)
{
	json_t *rows = json_array();

	*omitted = 0;
	for (uint32_t i = 0; i < sum->line_count; i++) {
		const struct summary_line *row = &sum->lines[i];

		if (!row->line)
			continue;
		if (json_array_size(rows) == SNAPSHOT_MOST_ROWS)
			++*omitted;
		else
			json_array_append_new(rows, json_pack("{so sI so}", "file",
							      json_string_of(p, row->file), "line",
							      (json_int_t)row->line, "self_share",
							      json_share(row->self, sum->weight)));
	}
	return rows;
}

json_t *snapshot_page_cpu(const struct profile *p, const struct summary *sum, uint64_t window_ns)
{
	uint32_t count = sum->function_count, lines_omitted;
	uint32_t omitted = count > SNAPSHOT_MOST_ROWS ? count - SNAPSHOT_MOST_ROWS : 0;
	json_t *lines = json_lines(p, sum, &lines_omitted);

	return json_pack("{sf so sI so sI so sI}", "window_s", window_ns / 1e9, "share",
			 json_share(sum->weight, window_ns), "samples", (json_int_t)sum->samples,
			 "functions", json_functions(p, sum), "functions_omitted",
			 (json_int_t)omitted, "lines", lines, "lines_omitted",
			 (json_int_t)lines_omitted);
}

json_t *snapshot_page_lost(const struct profile *p)
{
	uint32_t count;
	const struct profile_loss *losses = profile_losses(p, &count);
	json_t *lost = json_object();

#define X(name, label, help) json_object_set_new(lost, label, json_integer(0));
	SP_LOSSES(X)
#undef X
	for (uint32_t i = 0; i < count; i++)
		json_object_set_new(lost, profile_string(p, losses[i].name),
				    json_integer(losses[i].count));
	return lost;
}

json_t *snapshot_page_unknown(const struct profile *p, const struct summary *sum)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(p, &count);
	int64_t unknown = 0;

	for (uint32_t i = 0; i < sum->function_count; i++)
		if (functions[sum->functions[i].function].kind == PROFILE_UNKNOWN)
			unknown += sum->functions[i].self;
	return json_share(unknown, sum->weight);
}
