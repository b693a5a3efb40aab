/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/types_report.h"

#include "base/utf8.h"
#include "cli/amount.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

double types_report_seconds(const struct types_report *r)
{
	return (double)(int64_t)(r->after.time_ns - r->before.time_ns) / 1e9;
}

static void add_visible(struct buffer *out, const char *text)
{
	utf8_add_visible(out, text ? text : "-");
}

/* "Before   2026-11-21 21:30:05, 12.3 MiB live, from FILE" */
static void add_moment(struct buffer *out, const char *name, const struct types_moment *m)
{
	time_t seconds = m->time_ns / 1000000000;
	char when[32], text[AMOUNT_ROOM];
	struct tm local;

	strftime(when, sizeof(when), "%F %T", localtime_r(&seconds, &local));
	buffer_print(out, "%-8s %s, %s live", name, when, amount_bytes(m->live_bytes, text));
	if (m->file) {
		buffer_add_text(out, ", from ");
		add_visible(out, m->file);
	}
	buffer_add_text(out, "\n");
}

static void add_summary(struct buffer *out, const struct types_report *r)
{
	double change = (double)r->after.live_bytes - (double)r->before.live_bytes;
	uint32_t grown = 0;
	char text[AMOUNT_ROOM];

	for (uint32_t i = 0; i < r->count; i++)
		grown += types_row_grows(&r->rows[i]);
	buffer_print(out,
		     "Change   %s in %.1f s, %" PRIu32 " scan%s: ", amount_change(change, text),
		     types_report_seconds(r), r->scans, r->scans == 1 ? "" : "s");
	buffer_print(out, "%" PRIu32 " %s, %" PRIu32 " changed otherwise, %" PRIu32 " did not\n",
		     grown, r->scans > 2 ? "growing for sure" : "grew", r->count - grown,
		     r->unchanged);
}

static void add_warnings(struct buffer *out, const struct buffer *warnings)
{
	for (const char *at = warnings->len ? warnings->data : ""; *at;) {
		size_t len = strcspn(at, "\n");

		buffer_add_text(out, "Warning  ");
		buffer_add(out, at, len);
		buffer_add_text(out, "\n");
		at += len + (at[len] == '\n');
	}
}

static void add_slope(struct buffer *out, const struct trend *t)
{
	char slope[AMOUNT_ROOM] = "-", error[AMOUNT_ROOM] = "";

	if (t->has_slope)
		amount_change(t->slope, slope);
	if (t->has_error)
		amount_bytes(t->error, error);
	buffer_print(out, " %11s %-2s %9s", slope, t->has_error ? "+-" : "", error);
}

static void add_name(struct buffer *out, const struct types_row *row)
{
	add_visible(out, row->name);
	if (row->is_storage || !*row->module || !strcmp(row->module, "builtins"))
		return;
	buffer_add_text(out, " (");
	add_visible(out, row->module);
	buffer_add_text(out, ")");
}

static bool is_sure(const struct types_row *row)
{
	return row->bytes_trend.has_error && types_row_grows(row);
}

static void add_row(struct buffer *out, const struct types_row *row)
{
	int64_t objects = (int64_t)(row->objects - row->objects_before);
	double bytes = (double)row->bytes - (double)row->bytes_before;
	char text[AMOUNT_ROOM];

	buffer_print(out, "%10" PRIu64 " %+10" PRId64, row->objects, objects);
	buffer_print(out, " %10s", amount_bytes(row->bytes, text));
	buffer_print(out, " %11s", amount_change(bytes, text));
	add_slope(out, &row->bytes_trend);
	buffer_print(out, " %s ", is_sure(row) ? "*" : " ");
	add_name(out, row);
	buffer_add_text(out, "\n");
}

static void add_table(struct buffer *out, const struct types_report *r, bool is_storage)
{
	bool is_empty = true;

	for (uint32_t i = 0; i < r->count; i++) {
		if (r->rows[i].is_storage != is_storage)
			continue;
		if (is_empty)
			buffer_print(out, "\n%10s %10s %10s %11s %11s %12s   %s\n",
				     is_storage ? "Blocks" : "Objects", "Change", "Bytes", "Change",
				     "A second", "", is_storage ? "Storage" : "Type");
		is_empty = false;
		add_row(out, &r->rows[i]);
	}
}

static bool has_sure(const struct types_report *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (is_sure(&r->rows[i]))
			return true;
	return false;
}

void types_report_add_text(const struct types_report *r, struct buffer *out)
{
	buffer_print(out, "Process %" PRIu64 ": ", r->process->pid);
	add_visible(out, r->process->name);
	buffer_add_text(out, " (Python ");
	add_visible(out, r->process->python);
	buffer_add_text(out, "), tier ");
	add_visible(out, r->process->tier);
	buffer_add_text(out, "\n\n");
	add_moment(out, "Before", &r->before);
	add_moment(out, "After", &r->after);
	add_summary(out, r);
	add_warnings(out, r->warnings);
	add_table(out, r, false);
	add_table(out, r, true);
	if (has_sure(r))
		buffer_add_text(out, "\n* grows, but for one case of 1,000\n");
}

static bool is_other(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

int types_report_check(const struct heap_types *before, const struct heap_types *after,
		       struct buffer *warnings, struct buffer *why)
{
	if (is_other(before->tier, after->tier)) {
		buffer_add_text(why, "it is of tier ");
		add_visible(why, before->tier);
		buffer_add_text(why, ", and this process is read by tier ");
		add_visible(why, after->tier);
		return -EINVAL;
	}
	if (before->pid != after->pid)
		buffer_print(warnings, "before is of process %" PRIu64 ", another one\n",
			     before->pid);
	else if (is_other(before->name, after->name))
		buffer_add_text(warnings, "the process had another name before: the number may "
					  "have been used again\n");
	if (is_other(before->python, after->python)) {
		buffer_add_text(warnings, "before is of Python ");
		add_visible(warnings, before->python);
		buffer_add_text(warnings, ", whose objects are of other sizes\n");
	}
	if (before->time_ns >= after->time_ns)
		buffer_add_text(warnings, "before is not older than now: no change a second\n");
	if (before->omitted_objects || after->omitted_objects)
		buffer_add_text(warnings, "there are more types than a scan tells apart: some may "
					  "only seem to come or go\n");
	return buffer_error(warnings) || buffer_error(why) ? -ENOMEM : 0;
}
