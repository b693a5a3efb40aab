/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one large profile in each format that is read, and reads such a file:
 *
 *	import make FOLDER [STACKS [FUNCTIONS [DEPTH]]]
 *	import read FILE
 *
 * Each stack begins like one of those before it, up to a random depth. Ten samples a stack
 * on average.
 */
#include "export/exporter.h"
#include "import/import.h"
#include "tests/bench/random.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct stacks {
	uint32_t count, functions, depth;
	uint32_t *frames; /* functions, root first, @depth of each stack */
	uint32_t *weights;
};

static bool make_stacks(struct stacks *s)
{
	uint64_t state = 5;

	s->frames = calloc((size_t)s->count * s->depth, sizeof(*s->frames));
	s->weights = calloc(s->count, sizeof(*s->weights));
	if (!s->frames || !s->weights)
		return false;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t *frames = s->frames + (size_t)i * s->depth;
		uint32_t kept = i ? next_random(&state) % s->depth : 0;

		if (kept)
			memcpy(frames, s->frames + next_random(&state) % i * s->depth,
			       kept * sizeof(*frames));
		for (uint32_t d = kept; d < s->depth; d++)
			frames[d] = next_random(&state) % s->functions;
		s->weights[i] = 1 + next_random(&state) % 19;
	}
	return true;
}

static FILE *open_in(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "w");
}

static void write_collapsed(const struct stacks *s, FILE *f)
{
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t d = 0; d < s->depth; d++) {
			uint32_t function = s->frames[(size_t)i * s->depth + d];

			fprintf(f, "%smod%u.fn%u", d ? ";" : "", function % 100, function);
		}
		fprintf(f, " %u\n", s->weights[i]);
	}
}

static void write_perf_script(const struct stacks *s, FILE *f)
{
	for (uint32_t i = 0; i < s->count; i++) {
		fprintf(f, "bench 4711/4711 [001] %6u.%06u: %10u cpu-clock: \n", i / 1000, i % 1000,
			s->weights[i]);
		for (uint32_t d = s->depth; d-- > 0;) {
			uint32_t function = s->frames[(size_t)i * s->depth + d];

			fprintf(f, "\t%16x mod%u.fn%u+0x%x (/usr/lib/mod%u.so)\n", function * 64,
				function % 100, function, 16 + function % 7, function % 100);
		}
		fputc('\n', f);
	}
}

static int add_stack(struct profile *p, const struct stacks *s, uint32_t i, profile_id *id)
{
	struct profile_stack stack = { .prefix = PROFILE_NONE };
	int err = 0;

	for (uint32_t d = 0; d < s->depth && !err; d++) {
		stack.frame = s->frames[(size_t)i * s->depth + d];
		err = profile_add_stack(p, &stack, &stack.prefix);
	}
	*id = stack.prefix;
	return err;
}

static int add_frame(struct profile *p, uint32_t function)
{
	struct profile_function row = { .kind = PROFILE_NATIVE };
	struct profile_frame frame = { 0 };
	profile_id id;
	char text[64];
	int err = profile_add_string(p, text, sprintf(text, "mod%u.fn%u", function % 100, function),
				     &row.name);

	if (!err)
		err = profile_add_string(
			p, text, sprintf(text, "/usr/lib/mod%u.so", function % 100), &row.file);
	if (!err)
		err = profile_add_function(p, &row, &frame.function);
	return err ? err : profile_add_frame(p, &frame, &id);
}

static int fill(struct profile *p, const struct stacks *s)
{
	struct profile_thread thread = { .pid = 4711, .tid = 4711 };
	struct profile_sample sample = { 0 };
	int err = profile_add_thread(p, &thread, &sample.thread);

	for (uint32_t i = 0; i < s->functions && !err; i++)
		err = add_frame(p, i);
	for (uint32_t i = 0; i < s->count && !err; i++) {
		sample.weight = sample.count = s->weights[i];
		err = add_stack(p, s, i, &sample.stack);
		if (!err)
			err = profile_add_sample(p, &sample);
	}
	return err;
}

static int write_by(const struct exporter *e, const struct profile *p, const char *folder)
{
	static const struct export_options usual;
	struct buffer out OWNS(buffer) = { 0 };
	char name[64];
	OWNS_FILE FILE *f = NULL;

	snprintf(name, sizeof(name), "bench%s", e->ending);
	f = open_in(folder, name);
	return f && e->write(p, &usual, &out) == 0 && fwrite(out.data, 1, out.len, f) == out.len;
}

static int make(const char *folder, struct stacks *s)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS_FILE FILE *collapsed = open_in(folder, "bench.collapsed.txt");
	OWNS_FILE FILE *script = open_in(folder, "bench.perf.txt");

	if (!p || !collapsed || !script || !make_stacks(s) || fill(p, s))
		return 1;
	write_collapsed(s, collapsed);
	write_perf_script(s, script);
	return !write_by(&export_pprof, p, folder) || !write_by(&export_speedscope, p, folder);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Of the processor: what else the machine does matters less. */
static double seconds_of(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static int read_file(const char *path)
{
	OWNS_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	OWNS(profile) struct profile *p = profile_new();
	struct buffer why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	struct rusage usage;
	struct stat st;
	uint32_t stacks, samples;
	double start = now_s();
	void *bytes;
	int err;

	if (fd < 0 || fstat(fd, &st) || !p)
		return 1;
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return 1;
	err = import_profile(bytes, st.st_size, NULL, p, &facts, &why);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, why.data);
		return 1;
	}
	start = now_s() - start;
	getrusage(RUSAGE_SELF, &usage);
	profile_stacks(p, &stacks);
	profile_samples(p, &samples);
	printf("{\"kind\":\"%s\",\"seconds\":%.3f,\"cpu_s\":%.3f,\"bytes\":%" PRIu64
	       ",\"mb_per_s\":%.0f,"
	       "\"peak_mb\":%ld,\"samples\":%u,\"nodes\":%u}\n",
	       import_kind_name(facts.kind), start, seconds_of(&usage), (uint64_t)st.st_size,
	       st.st_size / 1e6 / start, usage.ru_maxrss / 1024, samples, stacks);
	munmap(bytes, st.st_size);
	return 0;
}

int main(int argc, char **argv)
{
	struct stacks s = {
		.count = argc > 3 ? atoi(argv[3]) : 1000000,
		.functions = argc > 4 ? atoi(argv[4]) : 50000,
		.depth = argc > 5 ? atoi(argv[5]) : 40,
	};
	int failed;

	if (argc > 2 && strcmp(argv[1], "read") == 0)
		return read_file(argv[2]);
	if (argc < 3 || strcmp(argv[1], "make") != 0)
		return 2;
	failed = make(argv[2], &s);
	free(s.frames);
	free(s.weights);
	return failed;
}
