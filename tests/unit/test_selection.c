/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/selection.h"

#include "tests/unit/samples.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define V1 "12:pids:/system.slice/web.service\n1:name=systemd:/system.slice/web.service\n"
#define V2 "0::/system.slice/web@3.service/workers\n"

struct cgroup_row {
	char cgroup[128];
	enum selection_kind kind;
	char text[64];
	bool has;
};

static struct cgroup_row cgroups[] = {
	{ V2, SELECT_CGROUP, "/system.slice", true },
	{ V2, SELECT_CGROUP, "/system.slice/", true },
	{ V2, SELECT_CGROUP, "/", true },
	{ V2, SELECT_CGROUP, "/system.slice/web@3.service/workers", true },
	{ V2, SELECT_CGROUP, "/system.slice/web@3.service/work", false },
	{ V2, SELECT_CGROUP, "/system", false },
	{ V2, SELECT_CGROUP, "", false },
	{ V2, SELECT_UNIT, "web@3", true },
	{ V2, SELECT_UNIT, "web@3.service", true },
	{ V2, SELECT_UNIT, "system.slice", true },
	{ V2, SELECT_UNIT, "web", false },
	{ V2, SELECT_UNIT, "web@3.servic", false },
	{ V2, SELECT_UNIT, "", false },
	{ V1, SELECT_UNIT, "web", true },
	{ V1, SELECT_CGROUP, "/system.slice/web.service", true },
	{ "3:cpu:/a:b/c\n", SELECT_CGROUP, "/a:b", true },
	{ "3:cpu:/a", SELECT_CGROUP, "/a", true },
	{ "nonsense\n", SELECT_CGROUP, "/", false },
	{ "1:/\n", SELECT_CGROUP, "/", false },
	{ "", SELECT_CGROUP, "/", false },
};

static void expect_a_control_group_is_a_path_and_all_below(struct cgroup_row *row)
{
	struct selection s = { .kind = row->kind, .sees_all = true };
	struct process *p = a_process(1, 1);

	strcpy(s.text, row->text);
	free(p->cgroup);
	p->cgroup = strdup(row->cgroup);
	cr_expect(eq(int, selection_has_cgroup(&s, row->cgroup), row->has), "%s %s", row->cgroup,
		  row->text);
	cr_expect(eq(int, selection_takes(&s, p), row->has));
	process_unref(p);
}

Test(selection, a_control_group_is_a_path_and_all_below)
{
	for (size_t i = 0; i < sizeof(cgroups) / sizeof(*cgroups); i++)
		expect_a_control_group_is_a_path_and_all_below(&cgroups[i]);
}

struct right_row {
	const char *name;
	struct selection selection;
	bool takes;
};

/* The process: pid 7, started at 70, of user 1000. */
static struct right_row rights[] = {
	{ "own", { .uid = 1000, .kind = SELECT_ALL }, true },
	{ "another user's", { .uid = 1001, .kind = SELECT_ALL }, false },
	{ "sees all", { .uid = 1001, .sees_all = true, .kind = SELECT_ALL }, true },
	{ "named", { .uid = 1000, .pids = { 6, 7 }, .pid_count = 2 }, true },
	{ "not named", { .uid = 1000, .pids = { 6 }, .pid_count = 1 }, false },
	{ "named, another user's", { .uid = 1, .pids = { 7 }, .pid_count = 1 }, false },
	{ "this start", { .uid = 1000, .pids = { 7 }, .starts = { 70 }, .pid_count = 1 }, true },
	{ "another start",
	  { .uid = 1000, .pids = { 7 }, .starts = { 71 }, .pid_count = 1 },
	  false },
};

Test(selection, takes_what_was_asked_for_and_may_be_seen)
{
	struct process *p = a_process(7, 70);

	p->uid = 1000;
	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++)
		cr_expect(eq(int, selection_takes(&rights[i].selection, p), rights[i].takes), "%s",
			  rights[i].name);
	process_unref(p);
}
