/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/types_watch.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "cli/fail.h"
#include "cli/heap_ask.h"
#include "cli/heap_input.h"
#include "cli/input_file.h"
#include "cli/json_file.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/signals.h"
#include "cli/types_diff.h"
#include "cli/types_report.h"

#include <errno.h>
#include <string.h>

struct watch {
	const struct cli_options *options;
	pid_t pid;
	int signals;
	bool has_progress;
	struct types_diff *diff;
	struct heap_types before; /* of the file, if there is one */
	struct heap_types last;	  /* scan */
	struct types_moment first;
	struct buffer file;	/* its name, as text */
	struct buffer warnings; /* a line each */
};

static void watch_cleanup(struct watch *w)
{
	types_diff_free(w->diff);
	heap_types_fini(&w->before);
	heap_types_fini(&w->last);
	buffer_fini(&w->file);
	buffer_fini(&w->warnings);
	if (w->signals >= 0)
		close(w->signals);
}

static int out_of_memory(void)
{
	return fail(SPPROF_EXIT_FAILED, "out of memory");
}

static int select_one(struct watch *w)
{
	json_t *rows = NULL;
	int err = selection_rows(w->options, &rows);
	size_t count = json_array_size(rows);

	if (!err && count > 1)
		err = fail(SPPROF_EXIT_USAGE,
			   "%zu processes are selected; --diff and --every look at one", count);
	if (!err)
		w->pid = selection_pid(json_array_get(rows, 0));
	json_decref(rows);
	return err;
}

static int read_before(struct watch *w)
{
	OWNS(input_file) struct input_file file = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	const char *name = w->options->page.before;
	int err;

	utf8_repair(&w->file, strcmp(name, "-") ? name : "standard input",
		    strcmp(name, "-") ? strlen(name) : strlen("standard input"));
	if (buffer_error(&w->file))
		return out_of_memory();
	err = input_file_open(&file, name, &why);
	if (!err)
		err = heap_input_read(file.bytes, file.len, w->pid, &w->before, &why);
	if (err == -ENOMEM)
		return out_of_memory();
	return err ? fail(SPPROF_EXIT_FAILED, "cannot read %s as a heap: %s", w->file.data,
			  why.data ? why.data : "out of memory")
		   : 0;
}

static bool has_before(const struct watch *w)
{
	return w->options->page.before;
}

static void clear_progress(struct watch *w)
{
	if (w->has_progress)
		fprintf(stderr, "\r%50s\r", "");
	w->has_progress = false;
}

/* Once there is a scan to compare the file with. */
static int take_before(struct watch *w, const struct heap_types *scan)
{
	OWNS(buffer) struct buffer why = { 0 };
	int err = types_report_check(&w->before, scan, &w->warnings, &why);

	if (err)
		clear_progress(w);
	if (err == -EINVAL)
		return fail(SPPROF_EXIT_USAGE, "cannot compare with %s: %s", w->file.data,
			    why.data);
	return err || types_diff_set_before(w->diff, &w->before) ? out_of_memory() : 0;
}

static struct types_moment moment_of(const struct heap_types *heap, const char *file)
{
	return (struct types_moment){
		.time_ns = heap->time_ns,
		.live_bytes = heap->live_bytes,
		.file = file,
	};
}

static int is_interrupted(const char *session, void *ctx)
{
	const struct watch *w = ctx;

	(void)session;
	return signals_came(w->signals);
}

static void show_progress(struct watch *w)
{
	unsigned int scan = types_diff_scans(w->diff) + 1, count = w->options->count;

	if (w->options->page.every <= 0 || !isatty(STDERR_FILENO))
		return;
	w->has_progress = true;
	if (count)
		fprintf(stderr, "\rscan %u of %u ", scan, count);
	else
		fprintf(stderr, "\rscan %u, Ctrl-C ends it ", scan);
}

/* Takes @scan over. */
static int take_scan(struct watch *w, struct heap_types *scan, double seconds)
{
	bool is_first = !types_diff_scans(w->diff);
	int err = is_first && has_before(w) ? take_before(w, scan) : 0;

	if (err)
		return err;
	if (types_diff_add(w->diff, scan, seconds))
		return out_of_memory();
	if (is_first)
		w->first = moment_of(has_before(w) ? &w->before : scan,
				     has_before(w) ? w->file.data : NULL);
	heap_types_fini(&w->last);
	w->last = *scan;
	*scan = (struct heap_types){ 0 };
	return 0;
}

/* -ECANCELED: a signal came, and there are scans to tell of. */
static int scan_once(struct watch *w)
{
	const struct control_watch watch = { .poll = is_interrupted, .ctx = w };
	struct heap_types scan OWNS(heap_types) = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	uint64_t begin_ns, end_ns;
	int err;

	show_progress(w);
	begin_ns = monotonic_ns();
	err = heap_ask(w->options->socket, w->pid, &watch, &scan, &why);
	end_ns = monotonic_ns();
	if (err && types_diff_scans(w->diff) && signals_came(w->signals))
		return -ECANCELED;
	if (err) {
		clear_progress(w);
		return fail_reason(err, &why);
	}
	return take_scan(w, &scan, (begin_ns + (end_ns - begin_ns) / 2) / 1e9);
}

/* Scans that take longer than the time between them follow each other at once. */
static int scan_all(struct watch *w)
{
	const struct cli_options *o = w->options;
	unsigned int count = o->page.every > 0 ? o->count : 1;
	uint64_t next_ns = monotonic_ns();
	int err = 0;

	for (unsigned int i = 0; !err && (!count || i < count); i++) {
		if (!signals_wait(w->signals, next_ns))
			break;
		err = scan_once(w);
		next_ns += o->page.every * 1e9;
		if (next_ns < monotonic_ns())
			next_ns = monotonic_ns();
	}
	return err == -ECANCELED ? 0 : err;
}

static int write_json(struct watch *w, const struct types_report *report, struct json_file *file)
{
	json_t *json = types_report_json(report);
	int err = json ? 0 : out_of_memory();

	if (!err && w->options->page.to_json) {
		json_file_add(file, w->pid, json);
		err = json_file_commit(file);
	} else if (!err) {
		err = output_json(json);
	}
	json_decref(json);
	return err;
}

static int tell(struct watch *w, struct json_file *file)
{
	OWNS(buffer) struct buffer out = { 0 };
	struct types_report report = {
		.process = &w->last,
		.before = w->first,
		.after = moment_of(&w->last, NULL),
		.scans = types_diff_scans(w->diff),
		.warnings = &w->warnings,
	};

	report.rows = types_diff_rows(w->diff, types_report_seconds(&report), &report.count);
	if (!report.rows)
		return out_of_memory();
	report.unchanged = types_diff_unchanged(w->diff);
	if (w->options->as_json || w->options->page.to_json)
		return write_json(w, &report, file);
	types_report_add_text(&report, &out);
	return output_print(&out);
}

static int begin(struct watch *w, struct json_file *file)
{
	sigset_t before;
	int err = w->options->page.to_json ? json_file_open(file, w->options) : 0;

	if (!err)
		err = select_one(w);
	if (!err && has_before(w))
		err = read_before(w);
	if (err)
		return err;
	w->diff = types_diff_new();
	if (!w->diff)
		return out_of_memory();
	w->signals = signals_open(0, &before);
	return w->signals < 0 ? fail(SPPROF_EXIT_FAILED, "cannot wait for signals: %s",
				     strerror(-w->signals))
			      : 0;
}

int types_watch(const struct cli_options *o)
{
	OWNS(watch) struct watch w = { .options = o, .signals = -1 };
	OWNS(json_file) struct json_file file = JSON_FILE_NONE;
	int err = begin(&w, &file);

	if (err)
		return err;
	err = scan_all(&w);
	clear_progress(&w);
	if (types_diff_scans(w.diff)) {
		int told = tell(&w, &file);

		err = err ? err : told;
	}
	return err;
}
