/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is started, but held before its first instruction until it is released. */
#ifndef SPPROF_CLI_CHILD_H
#define SPPROF_CLI_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;  /* 0: none */
	int hold;   /* a byte written here releases it, closing ends it */
	int report; /* the errno of a failed exec comes from here */
	bool is_released, has_ended;
	int status; /* as waitpid() gives it, once it has ended */
};

/* Forks; the program will have @mask as its signal mask. 0 or -errno. */
int child_start(struct child *c, char **argv, const sigset_t *mask);

/* Lets it go. 0, or -errno: it could not be executed. */
int child_release(struct child *c);

/* Whether it has ended; does not wait. */
bool child_has_ended(struct child *c);

/* The exit code to pass on: 128 + the signal's number if one ended it. */
int child_exit_code(const struct child *c);

/* A child that was never released is killed; any other is left alone. */
void child_fini(struct child *c);

static inline void child_cleanup(struct child *c)
{
	child_fini(c);
}

#endif
