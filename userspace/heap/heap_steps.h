/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The atomic operations on what threads share in the heap map and the freed log.
 *
 * Each is one step: between two of them any other thread may do any number of its own. The one
 * seam is HEAP_STEP() before and HEAP_SAW() after: tests/unit/test_heap_model.c stops threads
 * there and tries every order. Loads acquire and stores release; there are no fences, which
 * ThreadSanitizer does not know.
 */
#ifndef SPPROF_HEAP_STEPS_H
#define SPPROF_HEAP_STEPS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef HEAP_STEP
#define HEAP_STEP() ((void)0)
#define HEAP_SAW(value) ((void)(value))
#define HEAP_WAIT() sched_yield()
#endif

#define step_load(p)                                                              \
	({                                                                        \
		HEAP_STEP();                                                      \
		__auto_type saw_ = atomic_load_explicit(p, memory_order_acquire); \
		HEAP_SAW(saw_);                                                   \
		saw_;                                                             \
	})

#define step_store(p, value)                                           \
	({                                                             \
		HEAP_STEP();                                           \
		atomic_store_explicit(p, value, memory_order_release); \
	})

/* From @expected, which stays as it is, to @value: whether it was so. */
#define step_swap(p, expected, value)                                                 \
	({                                                                            \
		__auto_type was_ = (expected);                                        \
		HEAP_STEP();                                                          \
		bool swapped_ = atomic_compare_exchange_strong_explicit(              \
			p, &was_, value, memory_order_acq_rel, memory_order_acquire); \
		HEAP_SAW(swapped_);                                                   \
		swapped_;                                                             \
	})

/* What was there before. In one total order with the other additions and step_load_ordered(). */
#define step_add(p, value)                                                                    \
	({                                                                                    \
		HEAP_STEP();                                                                  \
		__auto_type saw_ = atomic_fetch_add_explicit(p, value, memory_order_seq_cst); \
		HEAP_SAW(saw_);                                                               \
		saw_;                                                                         \
	})

#define step_load_ordered(p)                                                      \
	({                                                                        \
		HEAP_STEP();                                                      \
		__auto_type saw_ = atomic_load_explicit(p, memory_order_seq_cst); \
		HEAP_SAW(saw_);                                                   \
		saw_;                                                             \
	})

#endif
