/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks an opener for uprobes in a child of ours, has the child call what they sit on, and says
 * what was counted:
 *
 *	NAME calls=N hits=N changed=N restored=N
 *
 * changed: bytes of the child's text that differ from the file's while the probe is there,
 * restored: the same after it is closed. "NAME error=N" if it could not be opened.
 */
#include "base/cleanup.h"
#include "base/procfs.h"
#include "collect/perf_open.h"
#include "native/probe_site.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define CALLS 1000
#define TEXT_BYTES 16 /* of a function, that are compared */

typedef void function(void);

__attribute__((naked)) static void pushes(void)
{
	__asm__("push %rbx; pop %rbx; ret; .fill 16, 1, 0xcc");
}

__attribute__((naked)) static void is_stepped(void)
{
	__asm__("lea 1(%rdi), %rax; ret; .fill 16, 1, 0xcc");
}

__attribute__((naked)) static void begins_with_endbr(void)
{
	__asm__("endbr64; push %rbx; pop %rbx; ret; .fill 16, 1, 0xcc");
}

static const struct {
	const char *name;
	function *call;
} functions[] = {
	{ "push", pushes },
	{ "stepped", is_stepped },
	{ "endbr", begins_with_endbr },
};

/* The child: calls the function of each number that it is sent, and answers with a byte. */
static void run_target(int socket)
{
	uint8_t which;

	while (read(socket, &which, 1) == 1) {
		for (int i = 0; i < CALLS; i++)
			functions[which].call();
		if (write(socket, &which, 1) != 1)
			break;
	}
	_exit(0);
}

struct place {
	uintptr_t address;
	uint64_t offset; /* in the file */
};

static int on_mapping(const struct proc_mapping *m, void *ctx)
{
	struct place *p = ctx;

	if (p->address - m->start >= m->end - m->start)
		return 0;
	p->offset = p->address - m->start + m->offset;
	return 1;
}

static int changed_bytes(pid_t pid, const void *text)
{
	uint8_t there[TEXT_BYTES];
	struct iovec local = { there, TEXT_BYTES }, remote = { (void *)text, TEXT_BYTES };
	int changed = 0;

	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != TEXT_BYTES)
		return -1;
	for (int i = 0; i < TEXT_BYTES; i++)
		changed += there[i] != ((const uint8_t *)text)[i];
	return changed;
}

static void probe(int opener, int file, pid_t pid, int socket, uint8_t which)
{
	const void *text = (const void *)functions[which].call;
	struct place place = { .address = (uintptr_t)text };
	struct probe_site site = { 0 };
	uint64_t hits = 0;
	int changed;

	probe_site_find(text, TEXT_BYTES, place.address, 0, &site);
	proc_each_mapping(getpid(), on_mapping, &place);

	struct perf_uprobe at = { .pid = pid, .offset = place.offset + site.offset };
	int fd = perf_open_uprobe(opener, file, &at);

	if (fd < 0) {
		printf("%s error=%d\n", functions[which].name, -fd);
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	changed = changed_bytes(pid, text);
	if (write(socket, &which, 1) != 1 || read(socket, &which, 1) != 1 ||
	    read(fd, &hits, sizeof(hits)) != sizeof(hits))
		changed = -1;
	close(fd);
	printf("%s calls=%d hits=%llu changed=%d restored=%d emulated=%d\n", functions[which].name,
	       CALLS, (unsigned long long)hits, changed, changed_bytes(pid, text),
	       site.is_emulated);
}

int main(void)
{
	OWNS_FD int opener = perf_open_spawn();
	OWNS_FD int file = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	int to_child[2];
	pid_t pid;

	if (opener < 0 || file < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, to_child))
		return 1;
	pid = fork();
	if (!pid)
		run_target(to_child[1]);
	for (uint8_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		probe(opener, file, pid, to_child[0], i);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
