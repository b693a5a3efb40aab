/* SPDX-License-Identifier: Apache-2.0 */
/* A look at who allocates: what a daemon is asked, in which order, and what is left behind. */
#include "cli/heap_sampled.h"

#include "heap_daemon.h"
#include "spprof_api.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

/* Looks at processes 1 to @count; how many heaps came of it is put into *@heaps. */
static int look(struct heap_daemon *d, const struct cli_probes *probes, double seconds, int count,
		size_t *heaps)
{
	struct cli_options o = { .socket = d->served.path, .seconds = seconds };
	json_t *rows = json_array(), *read = json_array();
	int exit;

	if (probes)
		o.probes = *probes;
	for (int pid = 1; pid <= count; pid++)
		json_array_append_new(rows, json_pack("{si}", "pid", pid));
	exit = heap_sampled_read(&o, rows, read);
	*heaps = json_array_size(read);
	json_decref(rows);
	json_decref(read);
	return exit;
}

TestSuite(cli_heap_sampled, .init = cr_redirect_stderr);

Test(cli_heap_sampled, it_begins_waits_reads_and_forgets)
{
	const struct cli_probes probes = { .tier = "trace", .rate = 65536 };
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	cr_expect(look(&d, NULL, 0.05, 1, &heaps) == 0);
	cr_expect(heaps == 1);
	cr_expect(look(&d, &probes, 0.05, 1, &heaps) == 0);
	cr_expect(!strcmp(d.asked.data, "start 1 12;read 1;discard 1;"
					"start 1 12 trace 65536;read 1;discard 1;"),
		  "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, several_are_sampled_at_once)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	cr_expect(look(&d, NULL, 0.05, 2, &heaps) == 0);
	cr_expect(heaps == 2);
	cr_expect(!strcmp(d.asked.data, "start 1 13;start 2 13;read 1;read 2;discard 1;discard 2;"),
		  "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, what_is_sampled_already_is_only_read)
{
	static const char *const states[] = { "active", "attaching", "stopped", "inherited" };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct heap_daemon d;
		size_t heaps;

		heap_daemon_begin(&d);
		d.states[1] = states[i];
		cr_expect(look(&d, NULL, 0.05, 2, &heaps) == 0);
		cr_expect(heaps == 2, "%s", states[i]);
		cr_expect(!strcmp(d.asked.data, "start 2 13;read 1;read 2;discard 2;"), "%s: %s",
			  states[i], d.asked.data);
		heap_daemon_end(&d);
	}
}

Test(cli_heap_sampled, what_has_ended_is_begun_anew)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.states[1] = "ended";
	cr_expect(look(&d, NULL, 0.05, 1, &heaps) == 0);
	cr_expect(!strcmp(d.asked.data, "start 1 12;read 1;discard 1;"), "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, who_is_refused_is_left_out)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.refused[1] = SPPROF_EXIT_UNSUPPORTED;
	cr_expect(look(&d, NULL, 0.05, 2, &heaps) == SPPROF_EXIT_UNSUPPORTED);
	cr_expect(heaps == 1);
	cr_expect(!strcmp(d.asked.data, "start 1 13;start 2 13;read 2;discard 2;"), "%s",
		  d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, nobody_waits_for_those_that_are_all_refused)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.refused[1] = SPPROF_EXIT_DENIED;
	cr_expect(look(&d, NULL, 3600, 1, &heaps) == SPPROF_EXIT_DENIED);
	cr_expect(heaps == 0);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, what_ends_by_itself_is_read_then)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.ends_soon = true;
	cr_expect(look(&d, NULL, 3600, 1, &heaps) == 0);
	cr_expect(heaps == 1);
	cr_expect(!strcmp(d.asked.data, "start 1 3611;read 1;discard 1;"), "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, a_signal_ends_the_wait)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.interrupts = true;
	cr_expect(look(&d, NULL, 3600, 1, &heaps) == 0);
	cr_expect(heaps == 1);
	cr_expect(d.status_calls == 1, "%u", d.status_calls);
	cr_expect(!strcmp(d.asked.data, "start 1 3611;read 1;discard 1;"), "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, a_signal_before_it_gives_up)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.interrupts_start = true;
	cr_expect(look(&d, NULL, 3600, 2, &heaps) == SPPROF_EXIT_FAILED);
	cr_expect(heaps == 0);
	cr_expect(!strcmp(d.asked.data, "start 1 3612;discard 1;"), "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, the_longest_look_is_a_day)
{
	struct heap_daemon d;
	size_t heaps;

	heap_daemon_begin(&d);
	d.interrupts = true;
	cr_expect(look(&d, NULL, SPPROF_SECONDS_MAX, 1, &heaps) == 0);
	cr_expect(!strncmp(d.asked.data, "start 1 86400;", 14), "%s", d.asked.data);
	heap_daemon_end(&d);
}

Test(cli_heap_sampled, without_a_daemon_nothing_is_begun)
{
	struct heap_daemon d = { .served = { .path = "/nowhere/s" } };
	size_t heaps;

	cr_expect(look(&d, NULL, 3600, 2, &heaps) == SPPROF_EXIT_NO_DAEMON);
	cr_expect(heaps == 0);
}
