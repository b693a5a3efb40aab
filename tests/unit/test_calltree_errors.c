/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/closest.h"
#include "calltree/transform_text.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define SEED "main;parse;read 1|main;parse;reap 2|main;print 4|idle 8"
#define TWO "main;run(a.py);x 1|main;run(b.py);x 2"

static const struct {
	const char *samples, *transform;
	int err;
	const char *why;
} mistakes[] = {
	{ SEED, "merge:raed", -ENOENT,
	  "merge: no sample contains \"raed\"; closest: \"read\", \"main\", \"reap\"" },
	{ SEED, "drop:x", -ENOENT,
	  "drop: no sample contains \"x\"; closest: \"main\", \"read\", \"reap\"" },
	{ "a 1", "merge:Main", -ENOENT, "merge: no sample contains \"Main\"; closest: \"a\"" },
	{ SEED, "hide:main;prse", -ENOENT,
	  "hide: no sample contains \"prse\"; closest: \"parse\", \"print\", \"idle\"" },
	{ SEED, "focus:main;read", -ENOENT,
	  "focus: no sample matches the path: \"read\" is not where element 2 of 2 should "
	  "be; closest: \"print\", \"parse\"" },
	{ SEED, "focus:parse;read", -ENOENT,
	  "focus: no sample matches the path: \"parse\" is not where element 1 of 2 should "
	  "be; closest: \"main\", \"idle\"" },
	{ SEED, "hide:idle;idle", -ENOENT,
	  "hide: no sample matches the path: \"idle\" is not where element 2 of 2 should "
	  "be" },
	{ SEED, "focus-inverted:read;main", -ENOENT,
	  "focus-inverted: no sample matches the path: \"main\" is not where element 2 of "
	  "2 "
	  "should be; closest: \"parse\"" },
	{ SEED, "filter-suffix:main;read", -ENOENT,
	  "filter-suffix: no sample matches the path: \"main\" is not where element 1 of 2 "
	  "should be; closest: \"parse\"" },
	{ "z 1|a;b;c 1|y 1", "filter-suffix:x;b;c", -ENOENT,
	  "filter-suffix: no sample contains \"x\"; closest: \"z\", \"a\", \"b\"" },
	{ "z;y 1|a;b;c 1|y 1", "filter-suffix:z;c", -ENOENT,
	  "filter-suffix: no sample matches the path: \"z\" is not where element 1 of 2 "
	  "should be; closest: \"b\"" },
	{ SEED, "focus-category:nativ", -ENOENT,
	  "focus-category: no frame is of category \"nativ\"; closest: \"native\"" },
	{ "a(/lib/l.so) 1|b 1", "collapse-resource:l", -ENOENT,
	  "collapse-resource: no function is of \"l\"; closest: \"/lib/l.so\"" },
	{ TWO, "merge:run", -ENOTUNIQ,
	  "merge: \"run\" is several functions:\nrun (a.py)\nrun (b.py)" },
	{ "run 1|run(b.py) 2", "drop:run", -ENOTUNIQ,
	  "drop: \"run\" is several functions:\nrun ()\nrun (b.py)" },
	{ TWO, "merge-node:main;run", -ENOTUNIQ,
	  "merge-node: \"run\" is several functions:\nrun (a.py)\nrun (b.py)" },
	{ TWO, "filter-suffix:run;x", -ENOTUNIQ,
	  "filter-suffix: \"run\" is several functions:\nrun (a.py)\nrun (b.py)" },
	{ TWO, "focus-inverted:x;run", -ENOTUNIQ,
	  "focus-inverted: \"run\" is several functions:\nrun (a.py)\nrun (b.py)" },
	{ TWO, "hide:main;run (a.py)", 0, NULL },
	{ TWO, "hide:main;run (c.py)", -ENOENT,
	  "hide: no sample contains \"run (c.py)\"; closest: \"run\", \"main\", \"x\"" },
	{ "a\x1b"
	  "2J 1",
	  "drop:b\x1b", -ENOENT, "drop: no sample contains \"b\\x1b\"; closest: \"a\\x1b2J\"" },
};

Test(calltree, errors_name_what_failed_and_what_may_be_meant)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		OWNS(history) struct history *h = tree_history(mistakes[i].samples);
		OWNS(transform) struct transform t = { 0 };
		struct buffer why OWNS(buffer) = { 0 };
		int err;

		cr_assert(transform_parse(mistakes[i].transform, strlen(mistakes[i].transform), &t,
					  &why) == 0);
		err = history_push(h, &t, TRANSFORM_MUST_MATCH, &why);
		cr_expect(err == mistakes[i].err, "%s: %d", mistakes[i].transform, err);
		cr_expect(mistakes[i].why ? why.data && !strcmp(why.data, mistakes[i].why)
					  : !why.data,
			  "%s\nin place of\n%s", why.data, mistakes[i].why);
		cr_expect(history_count(h) == !err, "%s", mistakes[i].transform);
	}
}

Test(calltree, names_are_looked_up_when_the_transform_is_applied)
{
	OWNS(history) struct history *h = tree_history(SEED);
	OWNS(transform) struct transform t = { 0 };
	struct buffer why OWNS(buffer) = { 0 };

	tree_push(h, "drop:print");
	cr_assert(transform_parse("merge:print", 11, &t, &why) == 0);
	cr_expect(history_push(h, &t, TRANSFORM_MUST_MATCH, &why) == -ENOENT);
	cr_expect(history_push(h, &t, TRANSFORM_MAY_MISS, &why) == 0);
	tree_expect(history_stacks(h), "idle:8,8|main:3,0|  parse:3,0|    reap:2,2|    read:1,1",
		    "may miss");
}

Test(calltree, distances_between_names)
{
	static const struct {
		const char *a, *b;
		uint32_t distance;
	} rows[] = {
		{ "", "", 0 },	      { "", "abc", 3 },		  { "abc", "", 3 },
		{ "abc", "abc", 0 },  { "abc", "abd", 1 },	  { "abc", "bc", 1 },
		{ "abc", "xabc", 1 }, { "kitten", "sitting", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect(closest_distance(rows[i].a, strlen(rows[i].a), rows[i].b,
					   strlen(rows[i].b)) == rows[i].distance,
			  "%s %s", rows[i].a, rows[i].b);
}
