/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_model.h"

#include "spprof_target.h"

#include <stdatomic.h>

#define USUAL_RATE 524288 /* bytes; each sample says its own */

struct heap_model {
	_Atomic uint32_t refs;
	struct heap_profiler *profiler;
};

static int start(struct heap_profiler *p)
{
	const struct heap_settings settings = { .sampling_rate = USUAL_RATE,
						.capture_python = true };
	__attribute__((cleanup(buffer_cleanup))) struct buffer why = { 0 };
	int err = heap_profiler_init(p, &settings, &why);

	return err ? err : heap_profiler_start(p, &why);
}

struct heap_model *heap_model_new(void)
{
	OWNS(heap_profiler) struct heap_profiler *p = heap_profiler_new();
	struct heap_model *m = calloc(1, sizeof(*m));

	if (!p || !m || start(p)) {
		free(m);
		return NULL;
	}
	m->refs = 1;
	m->profiler = TAKE(p);
	return m;
}

struct heap_model *heap_model_ref(struct heap_model *m)
{
	atomic_fetch_add(&m->refs, 1);
	return m;
}

void heap_model_unref(struct heap_model *m)
{
	if (!m || atomic_fetch_sub(&m->refs, 1) > 1)
		return;
	heap_profiler_free(m->profiler);
	free(m);
}

struct heap_profiler *heap_model_profiler(const struct heap_model *m)
{
	return m->profiler;
}

struct heap_ids heap_ids_of(uint32_t n, uint32_t cycle)
{
	uint32_t first = (cycle * SP_HEAP_SESSIONS + n) * HEAP_DOMAINS;

	return (struct heap_ids){ { (uint16_t)first, (uint16_t)(first + 1) } };
}

uint32_t heap_ids_session(uint16_t process)
{
	return process / HEAP_DOMAINS % SP_HEAP_SESSIONS;
}
