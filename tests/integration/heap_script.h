/* SPDX-License-Identifier: Apache-2.0 */
/* The child of heap_events.c: what it asks the C library's allocator for, and its account of it. */
#ifndef SPPROF_HEAP_SCRIPT_H
#define SPPROF_HEAP_SCRIPT_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_MOST 8192
#define THREADS 3 /* the child's first one runs the script */
#define ROUNDS 1000
#define MANY 200000
#define RATE 1024
#define SIZES 6

static const uint32_t sizes[SIZES] = { 16, 48, 200, 1000, 5000, 60000 };

struct event {
	uint64_t address;
	uint64_t size; /* 0: a free */
};

struct thread_log {
	pid_t tid;
	uint32_t count;
	struct event event[EVENTS_MOST];
};

/* The child's own account, in memory that is shared with it. */
struct account {
	struct thread_log thread[THREADS];
	uint64_t calls; /* of the script's, that ask for bytes */
	uint64_t bytes;
	uint64_t failed;
};

/* So that the compiler does not do without them. */
static void *(*volatile do_malloc)(size_t) = malloc;
static void *(*volatile do_calloc)(size_t, size_t) = calloc;
static void *(*volatile do_realloc)(void *, size_t) = realloc;
static int (*volatile do_posix_memalign)(void **, size_t, size_t) = posix_memalign;
static void *(*volatile do_aligned_alloc)(size_t, size_t) = aligned_alloc;
static void (*volatile do_free)(void *) = free;

struct child {
	struct account *account;
	int commands;
	int threads[THREADS][2];
};

static void note(struct thread_log *log, const void *address, uint64_t size)
{
	if (log->count < EVENTS_MOST)
		log->event[log->count++] = (struct event){ (uintptr_t)address, size };
}

static void *gave(struct account *a, void *pointer, uint64_t size)
{
	a->calls++;
	a->bytes += size;
	if (pointer)
		note(&a->thread[0], pointer, size);
	else
		a->failed++;
	return pointer;
}

static void freed(struct account *a, void *pointer)
{
	note(&a->thread[0], pointer, 0);
	do_free(pointer);
}

static void *moved(struct account *a, void *old, uint64_t size)
{
	uint32_t at = a->thread[0].count;
	void *now;

	note(&a->thread[0], old, 0);
	now = do_realloc(old, size);
	if (!now)
		a->thread[0].count = at; /* stayed where it was */
	return gave(a, now, size);
}

static void run_script(struct account *a)
{
	const uint64_t too_much = 1ull << 60;
	void *p = gave(a, do_malloc(100), 100), *q = NULL, *r = NULL, *s;

	freed(a, p);
	p = gave(a, do_calloc(10, 37), 370);
	p = moved(a, p, 1000);
	p = moved(a, p, 64 << 20);
	p = moved(a, p, 65 << 20);
	p = moved(a, p, 50);
	moved(a, p, too_much);
	freed(a, p);
	p = gave(a, do_realloc(NULL, 77), 77);
	note(&a->thread[0], p, 0);
	a->calls++; /* of 0 bytes, which is no sample */
	do_realloc(p, 0);
	do_posix_memalign(&p, 64, 500);
	gave(a, p, 500);
	do_posix_memalign(&q, 16, 200);
	gave(a, q, 200);
	gave(a, do_posix_memalign(&r, 24, 300) ? NULL : r, 300);
	s = gave(a, do_aligned_alloc(4096, 8192), 8192);
	freed(a, q);
	freed(a, p);
	freed(a, s);
	do_free(gave(a, do_malloc(too_much), too_much));
	do_calloc(1ull << 40, 1ull << 40); /* is no number of bytes: nobody's */
}

/* Of two that live, the filter of frees will be made to know the first one only. */
static void run_kept(struct account *a, void *two[2])
{
	two[0] = gave(a, do_malloc(111), 111);
	two[1] = gave(a, do_malloc(112), 112);
}

static void run_freed(struct account *a, void *two[2])
{
	freed(a, two[0]);
	do_free(two[1]);
}

static void *run_thread(void *log_and_pipe)
{
	struct {
		struct thread_log *log;
		int fd;
	} *mine = log_and_pipe;
	char go;

	mine->log->tid = gettid();
	while (read(mine->fd, &go, 1) == 1) {
		for (uint32_t i = 0; i < ROUNDS; i++) {
			void *p = do_malloc(64 + i), *q;

			note(mine->log, p, 64 + i);
			q = do_calloc(1, 100 + i);
			note(mine->log, q, 100 + i);
			note(mine->log, p, 0);
			do_free(p);
			note(mine->log, q, 0);
			do_free(q);
		}
		if (write(mine->fd, &go, 1) != 1)
			break;
	}
	return NULL;
}

static void run_threads(const struct child *c)
{
	char go = 0;

	for (int i = 1; i < THREADS; i++)
		if (write(c->threads[i][0], &go, 1) != 1)
			_exit(1);
	for (int i = 1; i < THREADS; i++)
		if (read(c->threads[i][0], &go, 1) != 1)
			_exit(1);
}

static void run_sizes(void)
{
	for (uint32_t i = 0; i < MANY; i++)
		do_free(do_malloc(sizes[i % SIZES]));
}

static void run_child(struct child *c)
{
	static struct {
		struct thread_log *log;
		int fd;
	} thread[THREADS];
	void *two[2] = { NULL };
	char command;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c->account->thread[0].tid = gettid();
	for (int i = 1; i < THREADS; i++) {
		pthread_t id;

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, c->threads[i]))
			_exit(1);
		thread[i].log = &c->account->thread[i];
		thread[i].fd = c->threads[i][1];
		pthread_create(&id, NULL, run_thread, &thread[i]);
	}
	do_free(do_malloc(1)); /* what the library makes for itself */
	while (read(c->commands, &command, 1) == 1) {
		if (command == 's')
			run_script(c->account);
		else if (command == 't')
			run_threads(c);
		else if (command == 'k')
			run_kept(c->account, two);
		else if (command == 'f')
			run_freed(c->account, two);
		else if (command == 'm')
			run_sizes();
		if (write(c->commands, &command, 1) != 1)
			break;
	}
	_exit(0);
}

#endif
