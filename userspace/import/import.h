/* SPDX-License-Identifier: Apache-2.0 */
/* import - a file that some profiler wrote, of a kind that its content tells, as a profile. */
#ifndef SPPROF_IMPORT_H
#define SPPROF_IMPORT_H

#include "base/buffer.h"
#include "profile/profile.h"
#include "profile/pruned.h"

enum import_kind {
	IMPORT_COLLAPSED,
	IMPORT_SPEEDSCOPE,
	IMPORT_PPROF,
	IMPORT_PERF_SCRIPT,
	IMPORT_PERF_REPORT,
	IMPORT_PERF_DATA,
};

/* "collapsed", "speedscope", "pprof", "perf-script", "perf-report" or "perf-data". */
const char *import_kind_name(enum import_kind kind);

/* Which way the chains of a perf report go: from the root, or from the leaf. */
enum import_order { IMPORT_ORDER_UNSAID, IMPORT_ORDER_CALLER, IMPORT_ORDER_CALLEE };

/* How a perf report shows call graphs; perf-report(1), -g. */
enum import_mode {
	IMPORT_MODE_UNSAID, /* no report */
	IMPORT_MODE_GRAPH,
	IMPORT_MODE_FRACTAL,
	IMPORT_MODE_FLAT,
	IMPORT_MODE_FOLDED,
	IMPORT_MODE_NONE,
};

/* What is wanted of a file; zeroed memory, or no request: all of it. */
struct import_request {
	const char *event;	 /* only its samples; NULL: any */
	bool is_first_event;	 /* only those of the file's first event, if @event is NULL */
	bool is_as_printed;	 /* "py::f:/a.py" of CPython's perf maps is not f of /a.py */
	enum import_order order; /* of a report that does not tell */
	const char *symfs;	 /* where the binaries of a perf.data are; NULL: "/" */
	/* Called now and then: what is before @at will not be read again soon. NULL: no. */
	void (*passed)(void *arg, const char *at);
	void *passed_arg;
};

/* What is known of the file beside its profile. Texts are NUL-terminated, one after another. */
struct import_facts {
	enum import_kind kind;
	enum import_mode mode;
	enum import_order order;
	struct buffer events; /* names of perf's events, in the file's order */
	uint32_t event_count;
	int event;	 /* the one whose samples these are; -1: several, or none is named */
	bool has_chains; /* false: not one sample has a call chain */
	struct profile_pruned *pruned; /* NULL: the profile is all of it, and exact */
};

void import_facts_fini(struct import_facts *f);

static inline void import_facts_cleanup(struct import_facts *f)
{
	import_facts_fini(f);
}

/*
 * Reads @len bytes from anywhere, gzip or not, into @out, an empty profile; samples come
 * in the file's order. Limits: import/reason.h. 0 and
 * @facts (zeroed memory, to be finished in any case); warnings are then in @why, a line
 * each, which else stays empty. Or an error, with a line of text in @why (an empty buffer)
 * that says what is wrong and where, and @out of no use: -EBADMSG: no whole file of any
 * kind; -ENOTSUP: a perf report that cannot be read right; -ENOENT: it has no such event
 * (@facts names those there are); -E2BIG: more than the limits; -ENOMEM.
 */
int import_profile(const void *bytes, size_t len, const struct import_request *request,
		   struct profile *out, struct import_facts *facts, struct buffer *why);

#endif
