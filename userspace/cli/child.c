/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/child.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#define EXIT_NO_EXEC 127 /* as the shell has it */

static ssize_t read_all(int fd, void *data, size_t len)
{
	ssize_t got;

	do {
		got = read(fd, data, len);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* In the child: waits for its byte, then becomes the program. */
static void __attribute__((noreturn))
become(int hold, int report, char **argv, const sigset_t *mask)
{
	char go;
	int err;

	if (read_all(hold, &go, 1) != 1)
		_exit(EXIT_NO_EXEC);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_FAILURE);
	_exit(EXIT_NO_EXEC);
}

int child_start(struct child *c, char **argv, const sigset_t *mask)
{
	int hold[2], report[2];
	pid_t pid;

	if (pipe2(hold, O_CLOEXEC))
		return -errno;

	OWNS_FD int hold_read = hold[0];
	OWNS_FD int hold_write = hold[1];

	if (pipe2(report, O_CLOEXEC))
		return -errno;

	OWNS_FD int report_read = report[0];
	OWNS_FD int report_write = report[1];

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		close(hold_write); /* else it would never see us die */
		become(hold_read, report_write, argv, mask);
	}
	*c = (struct child){ .pid = pid };
	c->hold = TAKE_FD(hold_write);
	c->report = TAKE_FD(report_read);
	return 0;
}

int child_release(struct child *c)
{
	int err = 0;

	c->is_released = true;
	if (write(c->hold, "", 1) != 1)
		return -errno;
	/* A successful exec closes the other end. */
	if (read_all(c->report, &err, sizeof(err)) == sizeof(err))
		return -err;
	return 0;
}

bool child_has_ended(struct child *c)
{
	if (!c->has_ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->has_ended = true;
	return c->has_ended;
}

int child_exit_code(const struct child *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void child_fini(struct child *c)
{
	if (!c->pid)
		return;
	close(c->hold);
	close(c->report);
	if (!c->is_released) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, &c->status, 0);
	}
	*c = (struct child){ 0 };
}
