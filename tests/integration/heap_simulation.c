/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_simulation RUNS SEED - how good heap/sampling and heap/estimator are together.
 *
 * Samples groups of allocations of known sizes RUNS times and estimates each time. A line of JSON
 * a scenario: the mean's deviation from the truth (and its standard error), as shares of it, and
 * the share of the runs whose interval covered the truth, of bytes and of objects.
 */
#include "heap/estimator.h"
#include "heap/sampling.h"

#include <math.h>
#include <stdio.h>

#define KINDS_MOST 12
#define GIB (1ull << 30)

static const uint64_t rates[] = { 1 << 10, 64 << 10, 1 << 20, 16 << 20 };
static const double samples[] = { 3, 5, 10, 20, 21, 22, 25, 30, 50, 200 };

/* Sizes; each has as many samples as the others. */
static const struct mix {
	const char *name;
	uint64_t sizes[KINDS_MOST]; /* 0 ends them */
} mixes[] = {
	{ "16 B", { 16 } },
	{ "512 B", { 512 } },
	{ "4 KiB", { 4 << 10 } },
	{ "64 KiB", { 64 << 10 } },
	{ "1 MiB", { 1 << 20 } },
	{ "16 MiB", { 16 << 20 } },
	{ "1 GiB", { GIB } },
	{ "16 B to 4 KiB", { 16, 48, 64, 112, 240, 512, 1040, 4096 } },
	{ "16 B to 1 GiB", { 16, 96, 512, 4096, 32 << 10, 512 << 10, 4 << 20, 64 << 20, GIB } },
};

struct kind {
	uint64_t size;
	uint64_t count;
	uint64_t rate;
};

struct group {
	struct kind kinds[KINDS_MOST];
	int kind_count;
	double bytes; /* the truth */
	double objects;
	double bytes_variance; /* of their estimates */
	double objects_variance;
	double expected;  /* samples */
	double by_chance; /* of them, those that might be missing as well */
};

struct figures {
	double truth;
	double variance; /* by theory */
	double sum;	 /* of relative deviations */
	double squares;
	int covered;
};

static void add_kind(struct group *g, uint64_t size, uint64_t rate, double expected)
{
	double p = estimate_probability(size, rate);
	uint64_t count = fmax(1, ceil(expected / p));

	g->kinds[g->kind_count++] = (struct kind){ size, count, rate };
	g->bytes += (double)size * (double)count;
	g->objects += (double)count;
	g->bytes_variance += (double)size * (double)size * (double)count * (1 - p) / p;
	g->objects_variance += (double)count * (1 - p) / p;
	g->expected += p * (double)count;
	g->by_chance += p * (1 - p) * (double)count;
}

/* Of @other_rate the sizes in odd places are: groups merge what was sampled at different ones. */
static struct group make_group(const struct mix *m, uint64_t rate, uint64_t other_rate,
			       double expected)
{
	struct group g = { .kind_count = 0 };
	int count = 0;

	while (count < KINDS_MOST && m->sizes[count])
		count++;
	for (int i = 0; i < count; i++)
		add_kind(&g, m->sizes[i], i % 2 ? other_rate : rate, expected / count);
	return g;
}

/*
 * As if sampling_allocated() was asked for each allocation, but those that only count down are
 * skipped over. A threshold has no memory: each kind may start with one of its own.
 */
static void sample_kind(struct sampling *s, const struct kind *k, struct estimate *e)
{
	uint64_t left = k->count;
	uint64_t passed;

	s->byte_counter = sampling_threshold(s, k->rate);
	while (left) {
		passed = ((uint64_t)s->byte_counter - 1) / k->size;
		if (passed >= left)
			return;
		s->byte_counter -= (int64_t)(passed * k->size);
		left -= passed + 1;
		if (sampling_allocated(s, k->rate, k->size))
			estimate_add(e, k->size, k->rate);
	}
}

static struct estimate sample_group(struct sampling *s, const struct group *g)
{
	struct estimate all = { .samples = 0 };

	for (int i = 0; i < g->kind_count; i++) {
		struct estimate one = estimate_none(g->kinds[i].rate);

		sample_kind(s, &g->kinds[i], &one);
		estimate_merge(&all, &one);
	}
	return all;
}

static void count(struct figures *f, struct estimate_range got)
{
	double rounding = f->truth * 1e-12;
	double deviation = got.value / f->truth - 1;

	f->sum += deviation;
	f->squares += deviation * deviation;
	f->covered += got.low <= f->truth + rounding && f->truth <= got.high + rounding;
}

static void print_figures(const char *name, const struct figures *f, int runs)
{
	double mean = f->sum / runs;
	double variance = f->squares / runs - mean * mean;

	/* What is all but certain may never have been missed. */
	variance = fmax(variance, f->variance / f->truth / f->truth);

	printf(", \"%s\": {\"bias\": %.6g, \"standard_error\": %.6g, \"covered\": %.6g}", name,
	       mean, sqrt(variance / runs), (double)f->covered / runs);
}

static void simulate(struct sampling *s, const char *name, uint64_t rate, const struct group *g,
		     int runs)
{
	struct figures bytes = { .truth = g->bytes, .variance = g->bytes_variance };
	struct figures objects = { .truth = g->objects, .variance = g->objects_variance };
	struct estimate e;

	for (int i = 0; i < runs; i++) {
		e = sample_group(s, g);
		count(&bytes, estimate_bytes(&e));
		count(&objects, estimate_objects(&e));
	}
	printf("{\"sizes\": \"%s\", \"kinds\": %d, \"rate\": %llu, \"runs\": %d, ", name,
	       g->kind_count, (unsigned long long)rate, runs);
	printf("\"samples\": %.6g, \"by_chance\": %.6g", g->expected, g->by_chance);
	print_figures("bytes", &bytes, runs);
	print_figures("objects", &objects, runs);
	puts("}");
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 1000;
	struct sampling s;
	struct group g;

	sampling_init(&s, 1, argc > 2 ? strtoull(argv[2], NULL, 0) : 1, 0);
	for (size_t m = 0; m < sizeof(mixes) / sizeof(*mixes); m++)
		for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
			for (size_t n = 0; n < sizeof(samples) / sizeof(*samples); n++) {
				g = make_group(&mixes[m], rates[r], rates[r], samples[n]);
				simulate(&s, mixes[m].name, rates[r], &g, runs);
				if (m != 7 || r)
					continue;
				g = make_group(&mixes[m], rates[r], rates[r + 1], samples[n]);
				simulate(&s, "two rates", rates[r], &g, runs);
			}
	return 0;
}
