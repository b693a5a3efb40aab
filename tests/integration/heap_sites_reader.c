/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap-sites-reader TIER PID [FUNCTION...]: where probes of that Python's allocator go. Prints a line
 * a site,
 *
 *	FUNCTION|kind=N size=N domain=N most=N return=N stepped=N ip=X offset=X file=PATH
 *
 * and last "refill=N why=TEXT" and "without=TEXT". As root it puts uprobes on the functions that are
 * named, says "ready", waits for a line, and adds " hits=N returns=N values=N:N,...": how often each
 * was hit, how often it returned, and how often the argument for the size had which value.
 */
#include "base/cleanup.h"
#include "resolve/heap_sites.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define RING_BYTES (1 << 20)
#define PAGE_BYTES 4096

static const int registers[] = { 0, PERF_REG_X86_DI, PERF_REG_X86_SI, PERF_REG_X86_DX,
				 PERF_REG_X86_CX };

struct watched {
	int entry, back;
	struct perf_event_mmap_page *ring;
};

/* A hit's record: the registers that were asked for, behind what kind of them they are. */
struct hit {
	struct perf_event_header head;
	uint64_t abi, value;
};

static void print_site(const struct heap_sites *s, const struct heap_site *at)
{
	char link[32], path[512] = "";
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", s->files[at->file]);
	len = readlink(link, path, sizeof(path) - 1);
	printf("%s|kind=%d size=%d domain=%d most=%u return=%d stepped=%d ip=%" PRIx64
	       " offset=%" PRIx64 " file=%s",
	       at->function, at->what.kind, at->what.size, at->what.domain, at->what.most,
	       at->has_return, at->what.is_stepped, at->ip, at->offset, len > 0 ? path : "?");
}

static int pmu_type(void)
{
	OWNS_FILE FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int type = -1;

	return f && fscanf(f, "%d", &type) == 1 ? type : -1;
}

static int open_event(pid_t pid, const struct heap_sites *s, const struct heap_site *at,
		      bool is_return)
{
	char path[32];
	struct perf_event_attr attr = {
		.type = pmu_type(),
		.size = sizeof(attr),
		.config = is_return,
		.probe_offset = at->offset,
		.uprobe_path = (uintptr_t)path,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1ull << registers[at->what.size],
	};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->files[at->file]);
	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct watched begin(pid_t pid, const struct heap_sites *s, const struct heap_site *at)
{
	struct watched w = { open_event(pid, s, at, false), -1, MAP_FAILED };

	if (w.entry < 0)
		fprintf(stderr, "%s: %s\n", at->function, strerror(errno));
	else
		w.ring = mmap(NULL, RING_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			      w.entry, 0);
	if (at->has_return)
		w.back = open_event(pid, s, at, true);
	return w;
}

static uint64_t count_of(int fd)
{
	uint64_t hits = 0;

	return fd >= 0 && read(fd, &hits, sizeof(hits)) == sizeof(hits) ? hits : 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* How often which value was there; of the first ones only, where they are many. */
static void print_values(const struct perf_event_mmap_page *ring)
{
	static uint64_t values[RING_BYTES / sizeof(struct hit)];
	const char *data = (const char *)ring + PAGE_BYTES;
	size_t count = 0;

	for (uint64_t at = 0; at + sizeof(struct hit) <= ring->data_head;) {
		struct hit hit;

		memcpy(&hit, data + at, sizeof(hit));
		if (hit.head.type == PERF_RECORD_SAMPLE)
			values[count++] = hit.value;
		at += hit.head.size;
	}
	qsort(values, count, sizeof(*values), compare);
	for (size_t i = 0, first = 0; i < count; i++)
		if (i + 1 == count || values[i + 1] != values[i]) {
			printf("%" PRIu64 ":%zu,", values[i], i + 1 - first);
			first = i + 1;
		}
}

static bool is_named(const struct heap_site *at, char **names)
{
	for (; *names; names++)
		if (!strcmp(*names, at->function))
			return true;
	return false;
}

static void watch(pid_t pid, const struct heap_sites *s, char **names)
{
	struct watched all[HEAP_SITES_MOST];
	char line[8];

	for (size_t i = 0; i < s->count; i++)
		if (is_named(&s->site[i], names))
			all[i] = begin(pid, s, &s->site[i]);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return;
	for (size_t i = 0; i < s->count; i++) {
		if (!is_named(&s->site[i], names))
			continue;
		print_site(s, &s->site[i]);
		printf(" hits=%" PRIu64 " returns=%" PRIu64 " values=", count_of(all[i].entry),
		       count_of(all[i].back));
		if (all[i].ring != MAP_FAILED)
			print_values(all[i].ring);
		puts("");
	}
}

int main(int argc, char **argv)
{
	OWNS(file_memory) struct file_memory *files = file_memory_new();
	OWNS(heap_sites) struct heap_sites sites = { .count = 0 };
	enum heap_tier tier;
	struct interpreter in;
	const char *why = "";
	pid_t pid;
	int err;

	if (argc < 3 || !files) {
		fprintf(stderr, "usage: heap-sites-reader growth|trace PID [FUNCTION...]\n");
		return 2;
	}
	pid = atoi(argv[2]);
	tier = strcmp(argv[1], "growth") ? HEAP_TIER_TRACE : HEAP_TIER_GROWTH;
	err = interpreter_find(pid, files, &in, &why);
	if (!err)
		err = heap_sites_find(pid, &in, tier, &sites, &why);
	if (err) {
		fprintf(stderr, "heap-sites-reader: %s: %s\n", strerror(-err), why ? why : "");
		return 1;
	}
	if (argc > 3)
		watch(pid, &sites, argv + 3);
	for (size_t i = 0; argc == 3 && i < sites.count; i++) {
		print_site(&sites, &sites.site[i]);
		puts("");
	}
	printf("refill=%d why=%s\nwithout=%s\n", sites.has_refill, why ? why : "",
	       sites.without ? sites.without : "");
	return 0;
}
