/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile - what was sampled: tables of strings, functions, frames, stacks and
 * threads, and samples that sum up weights over them.
 *
 * Tables only grow; equal rows get equal ids, dense from 0. Stacks form a prefix
 * tree from the root. Not thread-safe: each profile has one owning thread.
 */
#ifndef SPPROF_PROFILE_H
#define SPPROF_PROFILE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids count from 0. PROFILE_NONE: no prefix, no such thing. */
typedef uint32_t profile_id;
#define PROFILE_NONE UINT32_MAX

enum profile_kind { PROFILE_PYTHON, PROFILE_NATIVE, PROFILE_KERNEL, PROFILE_UNKNOWN };

/* "python", "native", "kernel" or "unknown". */
const char *profile_kind_name(enum profile_kind kind);

struct profile_function {
	profile_id name, file; /* strings; file may be the empty one (0) */
	uint32_t first_line;   /* 0: unknown */
	enum profile_kind kind;
	profile_id resource; /* string: what it belongs to, a library or package; 0: not said */
};

struct profile_frame {
	profile_id function;
	uint32_t line;	     /* the line that runs; 0: none */
	profile_id category; /* string; 0: not said */
};

struct profile_stack {
	profile_id prefix; /* the caller's stack, PROFILE_NONE at the root */
	profile_id frame;
};

struct profile_thread {
	uint32_t pid, tid;  /* as the kernel numbers them */
	uint64_t ident;	    /* threading.get_ident(); 0: unknown */
	profile_id name;    /* string: the thread's name */
	profile_id process; /* string: the process's name */
};

struct profile_sample {
	profile_id stack; /* PROFILE_NONE: nothing was on the stack */
	profile_id thread;
	int64_t weight;	       /* in 10^-decimals of the profile's unit */
	uint64_t count;	       /* samples summed up in this row */
	uint64_t timestamp_ns; /* Unix time; 0 in a profile that sums up */
};

struct profile_loss {
	profile_id name; /* string: as in include/spprof_counters.h */
	uint64_t count;
};

/* Everything about a profile but its rows. Strings are ids. */
struct profile_about {
	uint64_t start_ns;    /* Unix time */
	uint64_t duration_ns; /* on the monotonic clock, so end >= start */
	uint64_t interval_ns; /* period of the clock while it was taken */
	uint64_t taken;	      /* ticks in the targets */
	uint64_t lost;	      /* of these, not in the profile */
	profile_id python;    /* "3.11.2"; several versions are joined by ", " */
	profile_id platform;  /* "Linux-6.1.0-x86_64" */
	profile_id rates;     /* "99,4999": in Hz, all at which the clock ran meanwhile */
	profile_id unit;      /* "nanoseconds" */
	profile_id weighed;   /* "inuse_space": which of several of that unit; 0: not said */
	uint32_t decimals;    /* 0 to 9: weights count 10^-decimals of the unit */
	bool keeps_order;     /* samples carry timestamps and are not summed up */
};

struct profile;

/* An empty profile in nanoseconds; string 0 is "". NULL when out of memory. */
struct profile *profile_new(void);
void profile_free(struct profile *p); /* NULL is fine */
DEFINE_OWNS(profile);

/* Written by whoever makes the profile, at any time. */
struct profile_about *profile_about(struct profile *p);
const struct profile_about *profile_about_get(const struct profile *p);

/* Each adds a row or finds it: *@id and 0, or -ENOMEM. Text is copied; it is valid UTF-8. */
int profile_add_string(struct profile *p, const char *text, size_t len, profile_id *id);
int profile_add_function(struct profile *p, const struct profile_function *f, profile_id *id);
int profile_add_frame(struct profile *p, const struct profile_frame *f, profile_id *id);
int profile_add_stack(struct profile *p, const struct profile_stack *s, profile_id *id);
int profile_add_thread(struct profile *p, const struct profile_thread *t, profile_id *id);

/* Adds to the row of the same stack and thread, or appends where the order is kept. */
int profile_add_sample(struct profile *p, const struct profile_sample *s);

/* Counts loss @count under @name. */
int profile_add_loss(struct profile *p, const char *name, uint64_t count);

/* Rows, valid until the next addition. */
const char *profile_string(const struct profile *p, profile_id id); /* NUL-terminated */
size_t profile_string_len(const struct profile *p, profile_id id);  /* may hold NULs */
const struct profile_function *profile_functions(const struct profile *p, uint32_t *count);
const struct profile_frame *profile_frames(const struct profile *p, uint32_t *count);
const struct profile_stack *profile_stacks(const struct profile *p, uint32_t *count);
const struct profile_thread *profile_threads(const struct profile *p, uint32_t *count);
const struct profile_sample *profile_samples(const struct profile *p, uint32_t *count);
const struct profile_loss *profile_losses(const struct profile *p, uint32_t *count);
uint32_t profile_string_count(const struct profile *p);

#endif
