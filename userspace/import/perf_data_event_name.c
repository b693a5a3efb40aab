/* SPDX-License-Identifier: Apache-2.0 */
/* Names of events that a file does not tell, as perf makes them up:
 * perf-list(1). */
#include "import/perf_data_reader.h"

#include <inttypes.h>

#define COUNT(names) (sizeof(names) / sizeof(*(names)))

static const char *const hardware[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "cgroup-switches",
};

/* config: cache, operation << 8, result << 16 */
static bool print_cache(uint64_t config, struct buffer *out)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",	   "branch",	"node" };
	static const char *const one[] = { "load", "store", "prefetch" };
	static const char *const many[] = { "loads", "stores", "prefetches" };
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16;

	if (cache >= COUNT(caches) || operation >= COUNT(one) || result > 1)
		return false;
	if (result)
		buffer_print(out, "%s-%s-misses", caches[cache], one[operation]);
	else
		buffer_print(out, "%s-%s", caches[cache], many[operation]);
	return true;
}

static bool print_base(const struct perf_attr *attr, struct buffer *out)
{
	const char *name = NULL;

	if (attr->type == PERF_TYPE_RAW) {
		buffer_print(out, "raw 0x%" PRIx64, attr->config);
		return true;
	}
	if (attr->type == PERF_TYPE_HW_CACHE && print_cache(attr->config, out))
		return true;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < COUNT(hardware))
		name = hardware[attr->config];
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT(software))
		name = software[attr->config];
	if (name)
		buffer_add_text(out, name);
	else
		buffer_print(out, "event %" PRIu32 ":0x%" PRIx64, attr->type, attr->config);
	return name;
}

static bool has_flag(const struct perf_attr *attr, int flag)
{
	return attr->flags >> flag & 1;
}

/* What it counts, where that is not all; and how exactly it tells the place. */
static void add_modifiers(const struct perf_attr *attr, struct buffer *modifiers)
{
	bool excludes = has_flag(attr, PERF_ATTR_EXCLUDE_USER) ||
			has_flag(attr, PERF_ATTR_EXCLUDE_KERNEL) ||
			has_flag(attr, PERF_ATTR_EXCLUDE_HV);
	unsigned int precise = attr->flags >> PERF_ATTR_PRECISE & 3;

	if (excludes && !has_flag(attr, PERF_ATTR_EXCLUDE_KERNEL))
		buffer_add_text(modifiers, "k");
	if (excludes && !has_flag(attr, PERF_ATTR_EXCLUDE_USER))
		buffer_add_text(modifiers, "u");
	if (excludes && !has_flag(attr, PERF_ATTR_EXCLUDE_HV))
		buffer_add_text(modifiers, "h");
	buffer_add(modifiers, "ppp", precise);
	if (!has_flag(attr, PERF_ATTR_EXCLUDE_HOST) &&
	    has_flag(attr, PERF_ATTR_EXCLUDE_GUEST) != (excludes || precise))
		return;
	if (!has_flag(attr, PERF_ATTR_EXCLUDE_HOST))
		buffer_add_text(modifiers, "H");
	if (!has_flag(attr, PERF_ATTR_EXCLUDE_GUEST))
		buffer_add_text(modifiers, "G");
}

void perf_data_print_event(const struct perf_attr *attr, struct buffer *out)
{
	struct buffer modifiers OWNS(buffer) = { 0 };

	if (!print_base(attr, out))
		return;
	add_modifiers(attr, &modifiers);
	if (modifiers.len)
		buffer_print(out, ":%s", modifiers.data);
}
