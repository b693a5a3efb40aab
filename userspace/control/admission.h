/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission - who may hold how many connections. No user keeps another out, whatever it
 * opens: the last quarter of all is for users who hold at most one, and root and the
 * daemon's own user are counted by themselves.
 */
#ifndef SPPROF_CONTROL_ADMISSION_H
#define SPPROF_CONTROL_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct admission_user {
	uid_t uid;
	unsigned int count; /* of connections; never 0 */
};

/* Zeroed but for the limits, it is empty. */
struct admission {
	unsigned int most;	    /* of all users together, and of root and @own together */
	unsigned int most_per_user; /* not of root and @own */
	uid_t own;
	unsigned int privileged;      /* connections of root and @own */
	unsigned int others;	      /* those of @users, summed up */
	struct admission_user *users; /* without root and @own */
	size_t user_count, user_room;
};

void admission_fini(struct admission *a);

/* Why one more connection of @uid is refused, a text that lives on; NULL: it is not. */
const char *admission_refusal(const struct admission *a, uid_t uid);

/* @uid has one more. 0 or -ENOMEM. */
int admission_enter(struct admission *a, uid_t uid);

/* @uid, who has entered, has one less. */
void admission_leave(struct admission *a, uid_t uid);

#endif
