/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a few threads, which are no real ones, in every order of their steps there is.
 *
 * A thread stops before each atomic operation: interleave_step(). What it saw there is all that
 * its later steps depend on, so a state is the memory that they share, with what each has seen;
 * one that was met before is not tried again. Who waits goes on after a step of another thread.
 */
#ifndef SPPROF_TEST_INTERLEAVE_H
#define SPPROF_TEST_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

#define INTERLEAVE_THREADS 3

struct interleaving {
	void *arg;
	int threads;
	void (*reset)(void *arg); /* everything as before the first step */
	void (*run)(void *arg, int thread);
	void (*stepped)(void *arg);    /* after each step: what must hold always */
	void (*ended)(void *arg);      /* all threads have returned */
	uint64_t (*memory)(void *arg); /* a hash of all that they share */
};

struct interleave_cost {
	uint64_t states, ends;
};

struct interleave_cost interleave(const struct interleaving *what);

/* To be called by the threads; elsewhere they do nothing. */
void interleave_step(void);
void interleave_saw(uint64_t value);
void interleave_wait(void);
int interleave_is_running(void);

#endif
