/* SPDX-License-Identifier: Apache-2.0 */
#include "control/admission.h"

#include <errno.h>
#include <stdlib.h>

#define FEW 2 /* with fewer than these, a user may come when others hold nearly all */

void admission_fini(struct admission *a)
{
	free(a->users);
	a->users = NULL;
	a->user_count = a->user_room = 0;
}

static bool is_privileged(const struct admission *a, uid_t uid)
{
	return uid == 0 || uid == a->own;
}

static struct admission_user *find(const struct admission *a, uid_t uid)
{
	for (size_t i = 0; i < a->user_count; i++)
		if (a->users[i].uid == uid)
			return &a->users[i];
	return NULL;
}

const char *admission_refusal(const struct admission *a, uid_t uid)
{
	const struct admission_user *user = find(a, uid);
	unsigned int held = user ? user->count : 0;
	unsigned int most = held < FEW ? a->most : a->most - a->most / 4;

	if (is_privileged(a, uid))
		return a->privileged < a->most ? NULL : "spprofd serves as many clients as it may";
	if (held >= a->most_per_user)
		return "this user has as many connections to spprofd as one user may have";
	if (a->others >= most)
		return "spprofd serves as many clients as it may; try again later";
	return NULL;
}

static struct admission_user *add_user(struct admission *a, uid_t uid)
{
	size_t room = a->user_room ? a->user_room * 2 : 8;
	struct admission_user *grown;

	if (a->user_count == a->user_room) {
		grown = reallocarray(a->users, room, sizeof(*grown));
		if (!grown)
			return NULL;
		a->users = grown;
		a->user_room = room;
	}
	a->users[a->user_count] = (struct admission_user){ .uid = uid };
	return &a->users[a->user_count++];
}

int admission_enter(struct admission *a, uid_t uid)
{
	struct admission_user *user;

	if (is_privileged(a, uid)) {
		a->privileged++;
		return 0;
	}
	user = find(a, uid);
	if (!user)
		user = add_user(a, uid);
	if (!user)
		return -ENOMEM;
	user->count++;
	a->others++;
	return 0;
}

void admission_leave(struct admission *a, uid_t uid)
{
	struct admission_user *user;

	if (is_privileged(a, uid)) {
		a->privileged--;
		return;
	}
	user = find(a, uid);
	a->others--;
	if (!--user->count)
		*user = a->users[--a->user_count];
}
