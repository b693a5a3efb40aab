/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What perf records for the tests: recursion, leaves that several functions share, a thread of
 * another name, a child that executes the program again, and functions inlined into others.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile unsigned long sink;

static inline void __attribute__((always_inline)) square(int n)
{
	for (int i = 0; i < n; i++)
		sink += (unsigned long)i * i;
}

APART static void leaf_a(int n)
{
	square(n);
	sink++;
}

APART static void leaf_b(int n)
{
	for (int i = 0; i < n; i++)
		sink ^= (unsigned long)i * 3;
}

APART static int fib(int n)
{
	int sum = n;

	if (n < 2)
		leaf_a(60);
	else
		sum = fib(n - 1) + fib(n - 2);
	if (n % 3 == 0)
		leaf_b(40);
	return sum;
}

static void pong(int n);

APART static void ping(int n)
{
	leaf_a(4000);
	if (n > 0)
		pong(n - 1);
	sink++;
}

APART static void pong(int n)
{
	leaf_b(6000);
	if (n > 0)
		ping(n - 1);
	sink++;
}

APART static void work(int n)
{
	leaf_a(n);
	leaf_b(n / 2);
	sink++;
}

APART static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

APART static void sort(int n)
{
	int *numbers = malloc(n * sizeof(*numbers));

	for (int i = 0; i < n; i++)
		numbers[i] = rand();
	qsort(numbers, n, sizeof(*numbers), compare);
	sink += numbers[n / 2];
	free(numbers);
}

static void *in_thread(void *turns)
{
	prctl(PR_SET_NAME, "my thread: 1");
	for (int i = 0; i < *(int *)turns; i++) {
		work(100000);
		ping(6);
	}
	return NULL;
}

static void in_child(int turns)
{
	for (int i = 0; i < turns; i++)
		work(100000);
}

static void in_main(int turns)
{
	for (int i = 0; i < turns; i++) {
		fib(17);
		ping(12);
		sort(2000);
	}
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 100;
	pthread_t thread;

	if (argc > 2) {
		in_child(turns);
		return 0;
	}
	if (pthread_create(&thread, NULL, in_thread, &turns))
		return 1;
	if (fork() == 0) {
		execl(argv[0], "child", argv[1], "again", NULL);
		_exit(1);
	}
	in_main(turns);
	pthread_join(thread, NULL);
	return wait(NULL) < 0;
}
