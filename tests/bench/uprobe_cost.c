/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uprobe-cost ROUNDS: what a hit of a uprobe costs the program that is probed, by the instruction
 * it sits on. With and without take turns in one child; nothing is attached to the event, so it
 * is the kernel's own cost, to which a BPF program adds its run. A line a placement:
 *
 *	NAME MEDIAN LOWEST HIGHEST    nanoseconds a call
 */
#include "base/cleanup.h"
#include "collect/perf_open.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS 10000
#define MOST_ROUNDS 100

#define BODY(name, text)                                \
	__attribute__((naked)) static void name(void)   \
	{                                               \
		__asm__(text "ret; .fill 16, 1, 0xcc"); \
	}

BODY(pushes, "push %rbx; pop %rbx;")
BODY(has_nop, "nop;")
BODY(jumps, "test %rdi, %rdi; je 1f; 1:") /* the jump is 3 bytes in */
BODY(is_stepped, "mov %rdi, %rax;")
BODY(begins_with_endbr, "endbr64; push %rbx; pop %rbx;")

typedef void function(void);

enum { ENTRY = 1, RETURN = 2 };

static const struct placement {
	const char *name;
	function *call;
	uint64_t at; /* bytes into the function */
	int kinds;
} placements[] = {
	{ "push", pushes, 0, ENTRY },
	{ "nop", has_nop, 0, ENTRY },
	{ "jcc", jumps, 3, ENTRY },
	{ "stepped", is_stepped, 0, ENTRY },
	{ "endbr64", begins_with_endbr, 0, ENTRY },
	{ "return", pushes, 0, RETURN },
	{ "entry+return", pushes, 0, ENTRY | RETURN },
	{ "stepped+return", is_stepped, 0, ENTRY | RETURN },
};
#define PLACEMENTS (sizeof(placements) / sizeof(placements[0]))

struct place {
	uintptr_t address;
	uint64_t offset; /* in the file */
};

/* Of the first object, which is the program. */
static int on_object(struct dl_phdr_info *object, size_t size, void *ctx)
{
	struct place *p = ctx;

	for (int i = 0; size && i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && p->address - start < h->p_memsz)
			p->offset = p->address - start + h->p_offset;
	}
	return 1;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others use the machine too */
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The child: calls the function of each number that it is sent, and answers with the time. */
static void run_target(int socket)
{
	uint8_t which;

	while (read(socket, &which, 1) == 1) {
		double begin = now_ns(), took;

		for (int i = 0; i < CALLS; i++)
			placements[which].call();
		took = (now_ns() - begin) / CALLS;
		if (write(socket, &took, sizeof(took)) != sizeof(took))
			break;
	}
	_exit(0);
}

static double call_ns(int socket, uint8_t which)
{
	double took = -1;

	if (write(socket, &which, 1) != 1 || read(socket, &took, sizeof(took)) != sizeof(took))
		return -1;
	return took;
}

static int open_event(int opener, int file, pid_t pid, const struct placement *p, int kind)
{
	struct place place = { .address = (uintptr_t)p->call };
	struct perf_uprobe at = { .pid = pid, .is_return = kind == RETURN };
	int fd;

	dl_iterate_phdr(on_object, &place);
	at.offset = place.offset + p->at;
	fd = p->kinds & kind ? perf_open_uprobe(opener, file, &at) : -EAGAIN;
	if (fd >= 0)
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	return fd;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(int opener, int file, pid_t pid, int socket, uint8_t which, int rounds)
{
	const struct placement *p = &placements[which];
	double costs[MOST_ROUNDS];

	for (int i = 0; i < rounds; i++) {
		double without = call_ns(socket, which);
		OWNS_FD int entry = open_event(opener, file, pid, p, ENTRY);
		OWNS_FD int at_return = open_event(opener, file, pid, p, RETURN);

		if ((entry < 0 && entry != -EAGAIN) || (at_return < 0 && at_return != -EAGAIN)) {
			printf("%s error %s\n", p->name, strerror(entry < 0 ? -entry : -at_return));
			return;
		}
		costs[i] = call_ns(socket, which) - without;
	}
	qsort(costs, rounds, sizeof(*costs), by_value);
	printf("%s %.0f %.0f %.0f\n", p->name, costs[rounds / 2], costs[0], costs[rounds - 1]);
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0, to_child[2];
	OWNS_FD int opener = perf_open_spawn();
	OWNS_FD int file = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	pid_t pid;

	if (rounds <= 0 || rounds > MOST_ROUNDS) {
		fprintf(stderr, "usage: uprobe-cost ROUNDS\n");
		return 2;
	}
	if (opener < 0 || file < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, to_child))
		return 1;
	pid = fork();
	if (!pid)
		run_target(to_child[1]);
	for (uint8_t i = 0; i < PLACEMENTS; i++)
		measure(opener, file, pid, to_child[0], i, rounds);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
