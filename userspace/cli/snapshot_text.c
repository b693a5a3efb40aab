/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/snapshot_text.h"

#include "cli/output.h"
#include "cli/threads.h"

#include <stdbool.h>

#define ROWS_MOST 10 /* of a table */
#define FRAMES_MOST 5
#define MIB (1024.0 * 1024.0)

static void add_number(struct buffer *out, const json_t *number, double factor, const char *format)
{
	if (json_is_number(number))
		buffer_print(out, format, json_number_value(number) * factor);
	else
		buffer_add_text(out, "-");
}

static void add_percent(struct buffer *out, const json_t *share, int width)
{
	if (json_is_number(share))
		buffer_print(out, "%*.1f %%", width - 2, json_number_value(share) * 100);
	else
		buffer_print(out, "%*s", width, "-");
}

/* The two largest units of it: "3 d 4 h", "12 s". */
static void add_duration(struct buffer *out, const json_t *seconds)
{
	static const struct {
		const char *name;
		long long seconds;
	} units[] = { { "d", 86400 }, { "h", 3600 }, { "min", 60 }, { "s", 1 } };
	long long left = json_number_value(seconds);
	size_t i = 0;

	if (!json_is_number(seconds) || left < 0)
		return buffer_add_text(out, "-");
	while (i < 3 && left < units[i].seconds)
		i++;
	buffer_print(out, "%lld %s", left / units[i].seconds, units[i].name);
	left %= units[i].seconds;
	if (i < 3)
		buffer_print(out, " %lld %s", left / units[i + 1].seconds, units[i + 1].name);
}

static void add_title(struct buffer *out, const json_t *page)
{
	buffer_add_text(out, "Process ");
	output_add_scalar(out, json_object_get(page, "pid"));
	buffer_add_text(out, ": ");
	output_add_scalar(out, json_object_get(page, "name"));
	buffer_add_text(out, " (Python ");
	output_add_scalar(out, json_object_get(page, "python"));
	if (json_string_length(json_object_get(page, "build"))) {
		buffer_add_text(out, ", ");
		output_add_scalar(out, json_object_get(page, "build"));
	}
	buffer_add_text(out, "), user ");
	output_add_scalar(out, json_object_get(page, "user"));
	if (json_is_true(json_object_get(page, "ended"))) {
		buffer_add_text(out, ", has ended\n");
		return;
	}
	buffer_add_text(out, ", up ");
	add_duration(out, json_object_get(page, "uptime_s"));
	buffer_add_text(out, "\n");
}

static void add_cpu(struct buffer *out, const json_t *cpu)
{
	buffer_add_text(out, "\nCPU      ");
	add_percent(out, json_object_get(cpu, "share"), 0);
	buffer_add_text(out, " of a processor, in ");
	add_number(out, json_object_get(cpu, "window_s"), 1, "%.1f");
	buffer_add_text(out, " s (");
	output_add_scalar(out, json_object_get(cpu, "samples"));
	buffer_add_text(out, " samples)\n");
}

static void add_part(struct buffer *out, const json_t *memory, const char *member, const char *name)
{
	buffer_print(out, "%s ", name);
	add_number(out, json_object_get(memory, member), 1 / MIB, "%.1f");
}

static void add_memory(struct buffer *out, const json_t *memory)
{
	buffer_add_text(out, "Memory   ");
	if (!json_is_object(memory)) {
		buffer_add_text(out, "-\n");
		return;
	}
	add_part(out, memory, "rss_bytes", "RSS");
	buffer_add_text(out, " MiB: ");
	add_part(out, memory, "rss_anon_bytes", "anonymous");
	add_part(out, memory, "rss_file_bytes", ", files");
	add_part(out, memory, "rss_shmem_bytes", ", shared");
	add_part(out, memory, "pss_bytes", "; PSS");
	add_part(out, memory, "swap_bytes", ", swap");
	buffer_add_text(out, "\n");
}

static void add_lost(struct buffer *out, const json_t *lost)
{
	const char *name;
	json_t *count;
	bool has_any = false;

	buffer_add_text(out, "Lost     ");
	json_object_foreach((json_t *)lost, name, count)
	{
		if (json_number_value(count) <= 0)
			continue;
		buffer_print(out, "%s%s ", has_any ? ", " : "", name);
		output_add_scalar(out, count);
		has_any = true;
	}
	if (!has_any)
		buffer_add_text(out, json_is_object(lost) ? "nothing" : "-");
	buffer_add_text(out, "\n");
}

static void add_unknown(struct buffer *out, const json_t *share)
{
	buffer_add_text(out, "Unknown  ");
	add_percent(out, share, 0);
	buffer_add_text(out, " of the samples' time\n");
}

/* What is in @rows beyond those shown, and what the daemon left out. */
static void add_omitted(struct buffer *out, const json_t *rows, const json_t *omitted)
{
	json_int_t more = json_integer_value(omitted);

	if (json_array_size(rows) > ROWS_MOST)
		more += json_array_size(rows) - ROWS_MOST;
	if (more > 0)
		buffer_print(out, "         ... and %lld more\n", (long long)more);
}

static void add_functions(struct buffer *out, const json_t *cpu)
{
	const json_t *rows = json_object_get(cpu, "functions");

	if (!json_array_size(rows))
		return;
	buffer_add_text(out, "\n   Self    Total  Function\n");
	for (size_t i = 0; i < json_array_size(rows) && i < ROWS_MOST; i++) {
		const json_t *row = json_array_get(rows, i), *file = json_object_get(row, "file");

		add_percent(out, json_object_get(row, "self_share"), 7);
		buffer_add_text(out, "  ");
		add_percent(out, json_object_get(row, "total_share"), 7);
		buffer_add_text(out, "  ");
		output_add_scalar(out, json_object_get(row, "function"));
		if (json_string_length(file)) {
			buffer_add_text(out, " (");
			output_add_scalar(out, file);
			buffer_add_text(out, ")");
		}
		buffer_add_text(out, "\n");
	}
	add_omitted(out, rows, json_object_get(cpu, "functions_omitted"));
}

static void add_lines(struct buffer *out, const json_t *cpu)
{
	const json_t *rows = json_object_get(cpu, "lines");

	if (!json_array_size(rows))
		return;
	buffer_add_text(out, "\n   Self  Line\n");
	for (size_t i = 0; i < json_array_size(rows) && i < ROWS_MOST; i++) {
		const json_t *row = json_array_get(rows, i);

		add_percent(out, json_object_get(row, "self_share"), 7);
		buffer_add_text(out, "  ");
		output_add_scalar(out, json_object_get(row, "file"));
		buffer_add_text(out, ":");
		output_add_scalar(out, json_object_get(row, "line"));
		buffer_add_text(out, "\n");
	}
	add_omitted(out, rows, json_object_get(cpu, "lines_omitted"));
}

void snapshot_text_add(const json_t *page, struct buffer *out)
{
	const json_t *cpu = json_object_get(page, "cpu");
	const json_t *threads = json_object_get(page, "threads");

	add_title(out, page);
	add_cpu(out, cpu);
	add_memory(out, json_object_get(page, "memory"));
	add_lost(out, json_object_get(page, "lost"));
	add_unknown(out, json_object_get(page, "unknown_share"));
	add_functions(out, cpu);
	add_lines(out, cpu);
	if (json_array_size(threads))
		buffer_add_text(out, "\n");
	threads_add(out, threads, FRAMES_MOST);
}
