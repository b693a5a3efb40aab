/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tree_groups.h"

#include "base/hash_index.h"

#include <errno.h>

void tree_groups_fini(struct tree_groups *g)
{
	free(g->of);
	free(g->threads);
}

/* A process is its pid and name: files of many machines may mix pids. */
static bool is_same(const struct profile_thread *a, const struct profile_thread *b,
		    enum cli_tree_by by)
{
	bool is_process = a->pid == b->pid && a->process == b->process;

	return by == TREE_BY_PROCESS ? is_process
				     : is_process && a->tid == b->tid && a->name == b->name;
}

static uint64_t hash_of(const struct profile_thread *t, enum cli_tree_by by)
{
	uint64_t both = (uint64_t)t->pid << 32 | (by == TREE_BY_THREAD ? t->tid : 0);

	return both * 0x9e3779b97f4a7c15ull; /* spreads what is dense */
}

static int number(struct tree_groups *g, const struct profile_thread *threads, uint32_t count)
{
	struct hash_index index = { 0 };
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		uint64_t hash = hash_of(&threads[i], g->by);
		struct hash_probe probe = hash_index_find(&index, hash);
		bool is_known = false;
		uint32_t group = 0;

		while (!is_known && hash_probe_next(&probe, &group))
			is_known = is_same(&threads[g->threads[group]], &threads[i], g->by);
		if (!is_known) {
			group = g->count++;
			g->threads[group] = i;
			err = hash_index_add(&index, hash, group);
		}
		g->of[i] = group;
	}
	hash_index_fini(&index);
	return err;
}

int tree_groups_make(const struct profile *p, enum cli_tree_by by, struct tree_groups *out)
{
	OWNS(tree_groups) struct tree_groups g = { .by = by };
	uint32_t count;
	const struct profile_thread *threads = profile_threads(p, &count);
	int err;

	g.of = calloc(count + 1, sizeof(*g.of));
	g.threads = calloc(count + 1, sizeof(*g.threads));
	if (!g.of || !g.threads)
		return -ENOMEM;
	err = by == TREE_BY_NONE ? 0 : number(&g, threads, count);
	if (err)
		return err;
	if (!g.count)
		g.count = 1;
	*out = g;
	g = (struct tree_groups){ 0 };
	return 0;
}

void tree_groups_add_name(const struct tree_groups *g, const struct profile *p, uint32_t group,
			  struct buffer *out)
{
	uint32_t count;
	const struct profile_thread *threads = profile_threads(p, &count);
	const struct profile_thread *t;

	if (g->by == TREE_BY_NONE || !count)
		return buffer_add_text(out, "all");
	t = &threads[g->threads[group]];
	if (g->by == TREE_BY_PROCESS)
		buffer_print(out, "process \"%s\" (%u)", profile_string(p, t->process), t->pid);
	else
		buffer_print(out, "thread \"%s\" (%u)", profile_string(p, t->name), t->tid);
}
