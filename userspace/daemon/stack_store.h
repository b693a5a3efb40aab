/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_store - each distinct stack and thread of the sampled processes once, however many
 * windows and sessions count it. Counted references; owned by the sampler's thread.
 */
#ifndef SPPROF_STACK_STORE_H
#define SPPROF_STACK_STORE_H

#include "daemon/process.h"
#include "spprof_event.h"

struct stack_store;

struct stack {
	struct stack *next; /* in the store's bucket */
	uint64_t hash;
	struct stack_store *store;
	struct process *process; /* a reference: it has the names */
	uint32_t refs;
	uint32_t window_refs; /* of these, the windows' */
	uint32_t end;	      /* enum sp_stack_end */
	uint32_t frame_count;
	struct sp_frame frames[]; /* newest first */
};

/*
 * A thread is its tid: until Python knows it, it has no ident, and it may change its names.
 * The newest count.
 */
struct thread {
	struct thread *next;
	uint64_t hash;
	struct stack_store *store;
	struct process *process; /* a reference */
	uint32_t refs;
	uint32_t window_refs;
	uint32_t tid;
	size_t window_bytes; /* that they count as its */
	uint64_t ident;
	char comm[SP_COMM_BYTES];
	char *name;		/* as Python knows it, or NULL; see daemon/naming.h */
	uint64_t name_since_ns; /* CLOCK_MONOTONIC: first sight, or when it was last looked up */
	uint64_t name_due_ns;	/* when it is to be looked up */
	uint64_t name_wait_ns;	/* that passed before it was */
};

/* NULL when out of memory. */
struct stack_store *stack_store_new(void);
/* Every reference has been given back. NULL is fine. */
void stack_store_free(struct stack_store *s);
DEFINE_OWNS(stack_store);

/* The stack and the thread of @sample, which @p ran: references, or NULL without memory. */
struct stack *stack_store_stack(struct stack_store *s, struct process *p,
				const struct sp_sample *sample);
struct thread *stack_store_thread(struct stack_store *s, struct process *p,
				  const struct sp_sample *sample);

/* A sample on its way to who wants it; stored once somebody does. */
struct sampled {
	const struct sp_sample *record;
	struct process *process;
	struct stack_store *store;
	struct stack *stack; /* both NULL until sampled_store() */
	struct thread *thread;
};

/* Sets @x->stack and @x->thread. 0 or -ENOMEM. */
int sampled_store(struct sampled *x);

/* Gives back what was set. */
void sampled_fini(struct sampled *x);

struct stack *stack_ref(struct stack *stack);
void stack_unref(struct stack *stack); /* NULL is fine */
struct thread *thread_ref(struct thread *thread);
void thread_unref(struct thread *thread); /* NULL is fine */

/* Bytes that it takes. */
size_t stack_bytes(const struct stack *stack);
size_t thread_bytes(const struct thread *thread);

/* Stacks held now. */
size_t stack_store_count(const struct stack_store *s);

#endif
