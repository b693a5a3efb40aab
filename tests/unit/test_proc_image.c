/* SPDX-License-Identifier: Apache-2.0 */
/* What a process runs, held on to: tried on children of the test. */
#include "base/proc_image.h"

#include "base/cleanup.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#define NOBODY 0x7ffffffe /* above any pid that a kernel gives out */

/* A child that waits for a byte and then ends, or becomes cat(1), which writes one and waits. */
struct child {
	pid_t pid;
	int to, from;
};

static void live(int in, int out, const char *program)
{
	char byte;

	(void)!read(in, &byte, 1);
	if (!program)
		_exit(0);
	dup2(in, 0);
	dup2(out, 1);
	execl(program, program, NULL);
	_exit(1);
}

static struct child begin(const char *program)
{
	int to[2], from[2];
	struct child c;

	cr_assert(pipe(to) == 0 && pipe(from) == 0);
	c.pid = fork();
	if (!c.pid)
		live(to[0], from[1], program);
	close(to[0]);
	close(from[1]);
	c.to = to[1];
	c.from = from[0];
	return c;
}

static void end(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(c->to);
	close(c->from);
}

Test(proc_image, lives_as_long_as_its_process)
{
	struct child c = begin(NULL);
	OWNS_FD int image = proc_image_open(c.pid);

	cr_assert(ge(int, image, 0));
	cr_expect(proc_image_lives(image));
	cr_expect(proc_image_lives(image), "it can be asked again");
	end(&c);
	cr_expect(not(proc_image_lives(image)));
}

Test(proc_image, ends_when_its_process_becomes_something_else)
{
	struct child c = begin("/bin/cat");
	OWNS_FD int before = proc_image_open(c.pid), after = -1;
	char bytes[2] = "xy";

	cr_assert(proc_image_lives(before));
	cr_assert(eq(int, write(c.to, bytes, 2), 2));
	cr_assert(eq(int, read(c.from, bytes, 1), 1)); /* cat runs */
	cr_expect(not(proc_image_lives(before)));
	after = proc_image_open(c.pid);
	cr_expect(proc_image_lives(after));
	end(&c);
}

Test(proc_image, of_a_zombie_and_of_nobody_there_is_none)
{
	struct child c = begin(NULL);
	siginfo_t info;

	cr_assert(eq(int, write(c.to, "x", 1), 1));
	cr_assert(eq(int, waitid(P_PID, c.pid, &info, WEXITED | WNOWAIT), 0));
	cr_expect(eq(int, proc_image_open(c.pid), -ESRCH));
	cr_expect(eq(int, proc_image_open(NOBODY), -ESRCH));
	end(&c);
}
