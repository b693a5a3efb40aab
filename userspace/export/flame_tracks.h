/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_tracks - the samples of a profile thread by thread, the heaviest thread first, and
 * inside of a thread by time where the profile keeps the order.
 */
#ifndef SPPROF_FLAME_TRACKS_H
#define SPPROF_FLAME_TRACKS_H

#include "profile/profile.h"

/* A thread, or all those together for which no track was left. */
struct flame_track {
	profile_id thread;    /* the heaviest, if there are several */
	uint32_t threads;     /* how many: 1 but for the last track */
	int64_t weight;	      /* of its samples with a stack */
	uint32_t first, last; /* its samples in `samples`; last is behind the end */
};

struct flame_tracks {
	struct flame_track *rows;
	uint32_t count;
	uint32_t *samples; /* indexes of the profile's samples */
};

/* At most @most tracks. 0 or -ENOMEM. Zeroed memory before; flame_tracks_fini() in any case. */
int flame_tracks_init(struct flame_tracks *t, const struct profile *p, uint32_t most);
void flame_tracks_fini(struct flame_tracks *t);

static inline void flame_tracks_cleanup(struct flame_tracks *t)
{
	flame_tracks_fini(t);
}

#endif
