/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics, read as strictly as Prometheus does. */
#include "daemon/metrics_text.h"

#include <criterion/criterion.h>
#include <regex.h>
#include <string.h>

#define MOST_LINES 512

static const struct metrics some = {
	.counts = { .taken = 12,
		    .delivered = 9,
		    .lost = { [SP_LOST_RING_FULL] = 2, [SP_LOST_MALFORMED] = 1 },
		    .count = { [SP_COUNT_TICKS] = 20,
			       [SP_COUNT_TAKEN] = 12,
			       [SP_COUNT_BPF_NS] = 1500000001 } },
	.load = { .watchers = 3,
		  .sample_hz = 99,
		  .hz = 4999,
		  .processors = 2,
		  .ticks_due = 21,
		  .weight_ns = 90909090 },
	.windows = { .slices = 4,
		     .span_ns = 3500000000,
		     .bytes = 4096,
		     .samples = 8,
		     .dropped_slices = 5,
		     .refused = 6 },
	.heap = { .count = { [HEAP_COUNT_DONE] = 30,
			     [HEAP_COUNT_REFUSED] = 31,
			     [HEAP_COUNT_BUSY_NS] = 2500000000 },
		  .asks = 32 },
	.sessions = { .sessions = { [HEAP_SESSION_ACTIVE] = 33, [HEAP_SESSION_INHERITED] = 34 },
		      .counts = { .count = { [SP_HEAP_HITS] = 35, [SP_HEAP_BPF_NS] = 3500000000 },
				  .lost = { [SP_HEAP_LOST_NO_RETURN] = 36 } },
		      .table_full = 37,
		      .children_not_cloned = 38,
		      .model = { .zombie_races_detected = 39 } },
	.processes = { 0, 1, 20, 2 },
	.names_refused = 7,
	.memory = { .rss_bytes = 3000,
		    .rss_anon_bytes = 1000,
		    .rss_file_bytes = 1500,
		    .rss_shmem_bytes = 500 },
	.descriptors = 41,
	.cpu_ns = 250000000,
	.start_ns = 1700000000123456789,
};

/* Cuts @text at its newlines, in place. The lines' number. */
static size_t cut(char *text, char **lines)
{
	size_t count = 0;

	for (char *end; (end = strchr(text, '\n')); text = end + 1) {
		cr_assert(count < MOST_LINES);
		*end = '\0';
		lines[count++] = text;
	}
	cr_assert(!*text, "the last line ends");
	return count;
}

static size_t write_some(struct buffer *out, char **lines)
{
	metrics_write(&some, out);
	cr_assert(buffer_error(out) == 0);
	return cut(out->data, lines);
}

static bool fits(const char *pattern, const char *line, regmatch_t *parts, size_t count)
{
	regex_t regex;
	bool result;

	cr_assert(regcomp(&regex, pattern, REG_EXTENDED) == 0);
	result = !regexec(&regex, line, count, parts, 0);
	regfree(&regex);
	return result;
}

#define NAME "([a-zA-Z_:][a-zA-Z0-9_:]*)"
#define LABELS "(\\{([a-z_]+=\"[^\"\\]*\",?)+\\})?"
#define NUMBER "([0-9]+(\\.[0-9]+)?)"

static bool is_part(const char *line, const regmatch_t *part, const char *text)
{
	size_t len = part->rm_eo - part->rm_so;

	return strlen(text) == len && !strncmp(line + part->rm_so, text, len);
}

/* Source: prometheus.io/docs/instrumenting/exposition_formats, and promtool check metrics. */
Test(metrics, each_family_is_told_once_with_help_and_type)
{
	OWNS(buffer) struct buffer text = { 0 };
	char *lines[MOST_LINES], family[128] = "", type[16] = "";
	char *families[MOST_LINES];
	size_t count = write_some(&text, lines), family_count = 0, samples = 0;
	regmatch_t parts[6];

	for (size_t i = 0; i < count; i++) {
		char *line = lines[i];

		if (fits("^# HELP " NAME " (.+)$", line, parts, 3)) {
			cr_assert(!*family || samples, "%s has no sample", family);
			snprintf(family, sizeof(family), "%.*s",
				 (int)(parts[1].rm_eo - parts[1].rm_so), line + parts[1].rm_so);
			for (size_t n = 0; n < family_count; n++)
				cr_assert(strcmp(families[n], family), "%s twice", family);
			families[family_count++] = strdup(family);
			samples = 0;
			cr_assert(fits("^# TYPE " NAME " (counter|gauge)$", lines[++i], parts, 3),
				  "%s", lines[i]);
			cr_assert(is_part(lines[i], &parts[1], family), "%s", lines[i]);
			snprintf(type, sizeof(type), "%s", lines[i] + parts[2].rm_so);
			cr_assert(fits("_total$", family, NULL, 0) == !strcmp(type, "counter"),
				  "%s is a %s", family, type);
			cr_assert(!fits("_(ns|ms|us|kib)(_|$)", family, NULL, 0), "%s", family);
			continue;
		}
		cr_assert(fits("^" NAME LABELS " " NUMBER "$", line, parts, 4), "%s", line);
		cr_assert(is_part(line, &parts[1], family), "%s under %s", line, family);
		samples++;
		for (size_t n = 0; n < i; n++)
			cr_assert(strncmp(lines[n], line, strcspn(line, " ") + 1), "%s twice",
				  line);
	}
	cr_assert(samples > 0);
	for (size_t n = 0; n < family_count; n++)
		free(families[n]);
}

static bool has_line(char *const *lines, size_t count, const char *line)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(lines[i], line))
			return true;
	return false;
}

Test(metrics, every_number_is_there)
{
	static const char *const expected[] = {
		"spprof_ticks_total 20",
		"spprof_taken_total 12",
		"spprof_bpf_seconds_total 1.500000001",
		"# HELP spprof_bpf_seconds_total seconds spent in the tick program, on taken ticks",
		"spprof_delivered_total 9",
		"spprof_lost_total{reason=\"ring_full\"} 2",
		"spprof_lost_total{reason=\"malformed\"} 1",
		"spprof_sample_hz 99",
		"spprof_clock_hz 4999",
		"spprof_processors 2",
		"spprof_ticks_due_total 21",
		"spprof_weight_seconds_total 0.090909090",
		"spprof_sessions 3",
		"spprof_processes{state=\"starting\"} 1",
		"spprof_processes{state=\"ready\"} 20",
		"spprof_processes{state=\"refused\"} 2",
		"spprof_names_refused 7",
		"spprof_window_slices 4",
		"spprof_window_span_seconds 3.500000000",
		"spprof_window_bytes 4096",
		"spprof_window_samples 8",
		"spprof_window_dropped_slices_total 5",
		"spprof_window_refused_total 6",
		"spprof_heap_scans_total 30",
		"spprof_heap_scans_refused_total 31",
		"spprof_heap_scan_seconds_total 2.500000000",
		"spprof_heap_asks 32",
		"spprof_heap_sessions{state=\"active\"} 33",
		"spprof_heap_sessions{state=\"inherited\"} 34",
		"spprof_heap_hits_total 35",
		"spprof_heap_bpf_seconds_total 3.500000000",
		"spprof_heap_lost_total{reason=\"no_return\"} 36",
		"spprof_heap_lost_total{reason=\"table_full\"} 37",
		"spprof_heap_children_not_cloned_total 38",
		"spprof_heap_model_zombie_races_detected_total 39",
		"process_cpu_seconds_total 0.250000000",
		"process_start_time_seconds 1700000000.123456789",
		"process_resident_memory_bytes 3000",
		"spprof_memory_bytes{part=\"anon\"} 1000",
		"spprof_memory_bytes{part=\"file\"} 1500",
		"spprof_memory_bytes{part=\"shmem\"} 500",
		"process_open_fds 41",
	};
	OWNS(buffer) struct buffer text = { 0 };
	char *lines[MOST_LINES];
	size_t count = write_some(&text, lines);

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		cr_expect(has_line(lines, count, expected[i]), "%s", expected[i]);
}

/* The lists of include/spprof_counters.h and daemon/heap_counters.h, one family each. */
Test(metrics, every_counter_of_the_list_is_a_family)
{
	static const char *const labels[] = {
#define X(name, label, help) label,
		SP_TICK_COUNTERS(X) HEAP_COUNTERS(X)
#undef X
	};
	OWNS(buffer) struct buffer text = { 0 };
	char *lines[MOST_LINES], line[128];
	size_t count = write_some(&text, lines);

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		size_t len = strlen(labels[i]);
		bool is_time = len > 3 && !strcmp(labels[i] + len - 3, "_ns");

		snprintf(line, sizeof(line), "# TYPE spprof_%.*s%s_total counter",
			 (int)(is_time ? len - 3 : len), labels[i], is_time ? "_seconds" : "");
		cr_expect(has_line(lines, count, line), "%s", line);
	}
}
