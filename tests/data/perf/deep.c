/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of more levels than perf has bits for their pipes: each call runs itself, too. */
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) static void spin(long n)
{
	for (long i = 0; i < n * 1000; i++)
		sum += i;
}

__attribute__((noinline)) static void down(int levels)
{
	for (long i = 0; i < 600000; i++)
		sum += i;
	if (levels % 16 == 0)
		spin(2000);
	if (levels)
		down(levels - 1);
	sum++;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
		down(44);
	return 0;
}
