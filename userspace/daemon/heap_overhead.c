/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_overhead.h"

#define WINDOW_NS 1000000000ull
#define LONGEST_WINDOW_NS 10000000000ull
#define CPU_ENOUGH_NS 20000000ull /* below it, one hiccup of the kernel's would be the figure */
#define STRIKES 3
#define LEAST_OWN 10 /* one of so many nanoseconds */
#define FAR_OVER 10  /* times the cap: nobody waits for a second such window */

#define LEAST_COST_NS 50

static double plausible(double measured_ns, double usual_ns)
{
	return measured_ns < LEAST_COST_NS ? usual_ns : measured_ns;
}

/* What is usual was measured with 6.18 on an AMD EPYC guest. */
struct heap_costs heap_costs_plausible(const struct heap_costs *measured)
{
	return (struct heap_costs){ .emulated_ns = plausible(measured->emulated_ns, 1000),
				    .stepped_ns = plausible(measured->stepped_ns, 12000),
				    .return_ns = plausible(measured->return_ns, 850) };
}

void heap_overhead_begin(struct heap_overhead *o, const struct heap_reading *at)
{
	*o = (struct heap_overhead){ .last = *at };
}

void heap_overhead_forgive(struct heap_overhead *o, const struct heap_reading *at)
{
	o->last = *at;
	o->strikes = 0;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static double cost_ns(const struct heap_costs *costs, const struct sp_heap_counts *now,
		      const struct sp_heap_counts *before)
{
	const struct {
		enum sp_heap_counter counter;
		double each_ns;
	} rows[] = {
		{ SP_HEAP_HITS, costs->emulated_ns },
		{ SP_HEAP_STEPPED_HITS, costs->stepped_ns },
		{ SP_HEAP_RETURN_HITS, costs->return_ns },
		{ SP_HEAP_BPF_NS, 1 },
	};
	double sum = 0;

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		sum += rows[i].each_ns *
		       since(now->count[rows[i].counter], before->count[rows[i].counter]);
	return sum;
}

/*
 * The process's own time is what is left when the probes' is taken away, but at least a tenth of
 * what it ran: what a hit costs was measured at another time, and may be more than it is here.
 */
static double percent_of(double cost, double cpu)
{
	double own = cpu - cost > cpu / LEAST_OWN ? cpu - cost : cpu / LEAST_OWN;

	return own > 0 ? 100 * cost / own : 0;
}

enum heap_judgement heap_overhead_take(struct heap_overhead *o, const struct heap_costs *costs,
				       const struct heap_reading *at, double most)
{
	uint64_t wall = since(at->now_ns, o->last.now_ns);
	uint64_t cpu = since(at->cpu_ns, o->last.cpu_ns);
	bool is_felt = cpu >= CPU_ENOUGH_NS;

	if (wall < WINDOW_NS || (!is_felt && wall < LONGEST_WINDOW_NS))
		return HEAP_WITHIN_CAP;
	o->percent = percent_of(cost_ns(costs, &at->counts, &o->last.counts), cpu);
	o->is_known = true;
	o->last = *at;
	if (!is_felt || o->percent <= most)
		o->strikes = 0;
	else
		o->strikes += o->percent > FAR_OVER * most ? STRIKES : 1;
	return o->strikes >= STRIKES ? HEAP_OVER_CAP : HEAP_WITHIN_CAP;
}
