/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-check, threads of a version that keeps the running thread's state in thread-local
 * variables: _Py_tss_gilstate always, _Py_tss_tstate while the thread is attached.
 * Source: CPython 3.15 Python/pystate.c.
 *
 * On x86-64 the program's own variables lie at fixed offsets below the thread pointer
 * (ELF TLS variant II), so the offset that holds the thread state of every thread is it.
 */
#include "resolve/check_parts.h"

#include <errno.h>
#include <string.h>

#define SEARCHED_BYTES 4096
#define WORDS (SEARCHED_BYTES / 8)

/* Which words below the thread pointer hold the thread's state; how many do. */
static size_t mark_words(const struct check *c, const struct check_thread *t, bool holds[WORDS])
{
	uint64_t words[WORDS];
	size_t count = 0;

	if (check_read(c, t->ident - SEARCHED_BYTES, words, sizeof(words)))
		return 0;
	for (size_t i = 0; i < WORDS; i++) {
		holds[i] = words[i] == t->tstate;
		count += holds[i];
	}
	return count;
}

int check_thread_local(struct check *c, const struct check_threads *threads, int32_t slots[2])
{
	bool all[WORDS], one[WORDS];
	int32_t found[2] = { 0 };
	size_t count = 0;
	bool any = false;

	memset(all, true, sizeof(all));
	for (size_t i = 0; i < threads->kept_count; i++) {
		const struct check_thread *t = &threads->kept[i];

		if (!t->native_id || !t->ident || !mark_words(c, t, one))
			continue; /* not started yet */
		any = true;
		for (size_t word = 0; word < WORDS; word++)
			all[word] &= one[word];
	}
	for (size_t word = 0; any && word < WORDS; word++) {
		if (all[word] && count < 2)
			found[count] = (int32_t)(word * 8) - SEARCHED_BYTES;
		count += all[word];
	}
	if (!count)
		return REFUSE(c, "threads do not keep their state below the thread pointer, or "
				 "thread_id is not where this version keeps it");
	if (count > 2)
		return -EAGAIN;
	memcpy(slots, found, sizeof(found));
	return 0;
}
