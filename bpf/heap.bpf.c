/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes of allocators: which allocations are samples, with the stack of who asked, and which
 * frees may be theirs. An object file of its own, loaded when somebody wants it: it shares the
 * maps of the others, and a kernel that refuses it has its clock all the same.
 */
#include "heap_frees.bpf.h"
#include "heap_record.bpf.h"
#include "heap_refills.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_MAX_PROBES);
	__type(key, struct sp_probe_at);
	__type(value, struct sp_probe);
} probes SEC(".maps");

/* Barriers, else clang computes where in @ctx to read, which the verifier does not let pass. */
static __always_inline __u64 argument(struct pt_regs *ctx, __u32 number)
{
	__u64 first = PT_REGS_PARM1(ctx), second = PT_REGS_PARM2(ctx);
	__u64 third = PT_REGS_PARM3(ctx), fourth = PT_REGS_PARM4(ctx);

	SP_BARRIER(first);
	SP_BARRIER(second);
	SP_BARRIER(third);
	SP_BARRIER(fourth);
	if (number == 1)
		return first;
	if (number == 2)
		return second;
	return number == 3 ? third : fourth;
}

/* The bytes that a call asks for. 1: nobody can have as many. */
static __always_inline int asked_bytes(struct pt_regs *ctx, const struct sp_probe *probe,
				       __u64 *size)
{
	__u64 count, most;

	*size = argument(ctx, probe->size);
	if (probe->kind != SP_PROBE_CALLOC || !*size)
		return 0;
	count = argument(ctx, probe->size + 1);
	most = ~0ull / *size;
	SP_BARRIER(most); /* else clang makes a multiplication of 128 bits of it */
	if (count > most)
		return 1;
	*size *= count;
	return 0;
}

static __always_inline void on_allocate(struct pt_regs *ctx, const struct sp_probe *probe,
					const struct hit *hit)
{
	struct heap_thread *t = heap_thread_of(hit->ids, hit->session);
	__u64 sp = PT_REGS_SP(ctx) + sizeof(__u64);
	__u32 domain = probe->domain != SP_DOMAIN_OBJECT;
	struct heap_call call = { .sp = sp };

	if (!t || asked_bytes(ctx, probe, &call.size) || is_nested(t, sp))
		return;
	call.is_counted = !probe->most || call.size <= probe->most;
	if (call.is_counted) {
		heap_count(hit->counts, SP_HEAP_ALLOCATIONS, 1);
		heap_count(hit->counts, SP_HEAP_ALLOCATED_BYTES, call.size);
		if (domain == SP_DOMAIN_OBJECT)
			heap_count(hit->counts, SP_HEAP_OBJECT_BYTES, call.size);
		if (hit->rate && is_sample(t, hit->rate, call.size)) {
			heap_count(hit->counts, SP_HEAP_SAMPLED, 1);
			call.rate = hit->rate;
		}
	}
	if (probe->kind == SP_PROBE_REALLOC) {
		__u64 old = argument(ctx, probe->size - 1);

		if (gives_back(hit, t, old)) {
			call.old = old;
			call.began_ns = bpf_ktime_get_ns();
		}
	}
	if (probe->kind == SP_PROBE_POSIX_MEMALIGN)
		call.result = argument(ctx, 1);
	give_up_call(t, &t->call[domain]);
	t->call[domain] = call;
}

static __always_inline void on_refill(struct pt_regs *ctx, const struct sp_probe *probe,
				      const struct hit *hit)
{
	struct what what = { .kind = SP_EVENT_REFILL };

	what.size = (__u32)argument(ctx, probe->size); /* unsigned int: the rest is anything */
	if (what.size >= SP_SIZE_CLASSES)
		return;
	heap_count(hit->counts, SP_HEAP_REFILLS, 1);
	if (!hit->rate)
		return;
	what.rate = refill_weight(hit->session, what.size);
	if (what.rate)
		record(ctx, hit, &what);
	else
		heap_count(hit->counts, SP_HEAP_REFILLS_SKIPPED, 1);
}

static __always_inline void on_free(struct pt_regs *ctx, const struct sp_probe *probe,
				    const struct hit *hit)
{
	__u64 pointer = argument(ctx, probe->size);

	heap_count(hit->counts, SP_HEAP_FREES, 1);
	if (gives_back(hit, heap_thread_kept(hit->ids, hit->session), pointer))
		send_free(hit, pointer, bpf_ktime_get_ns());
}

/* In this order: what the filter knows, user space knows. Nobody frees it before we return. */
static __always_inline void on_sample(struct pt_regs *ctx, const struct hit *hit,
				      const struct what *what)
{
	if (!record(ctx, hit, what))
		return;
	is_not_freed(hit->session, what->address);
	filter_add(hit, what->address);
}

SEC("kprobe")
int on_heap_probe(struct pt_regs *ctx)
{
	struct hit hit = { 0 };
	struct sp_probe_at at = { .ip = PT_REGS_IP(ctx) };
	const struct sp_probe *probe;

	if (!begin_hit(&hit))
		return 0;
	at.pid = hit.pid;
	probe = bpf_map_lookup_elem(&probes, &at);
	if (!probe)
		return 0;
	heap_count(hit.counts, probe->is_stepped ? SP_HEAP_STEPPED_HITS : SP_HEAP_HITS, 1);
	if (probe->kind == SP_PROBE_FREE)
		on_free(ctx, probe, &hit);
	else if (probe->kind == SP_PROBE_REFILL)
		on_refill(ctx, probe, &hit);
	else
		on_allocate(ctx, probe, &hit);
	return 0;
}

/* What a call gave, or 0. posix_memalign() returns an errno. */
static __always_inline __u64 given_pointer(struct pt_regs *ctx, const struct heap_call *call)
{
	__u64 pointer = PT_REGS_RC(ctx);

	if (!call->result)
		return pointer;
	if ((__u32)pointer || sp_read_target(&pointer, sizeof(pointer), call->result))
		return 0;
	return pointer;
}

SEC("kprobe")
int on_heap_return(struct pt_regs *ctx)
{
	struct what what = { .kind = SP_EVENT_ALLOC };
	struct heap_call *call, was;
	struct hit hit = { 0 };
	struct heap_thread *t;

	if (!begin_hit(&hit))
		return 0;
	heap_count(hit.counts, SP_HEAP_RETURN_HITS, 1);
	t = heap_thread_kept(hit.ids, hit.session);
	call = t ? returning_call(t, PT_REGS_SP(ctx), &what.domain) : NULL;
	if (!call)
		return 0;
	was = *call;
	call->sp = 0;
	call->old = 0;
	what.address = given_pointer(ctx, &was);
	if (!what.address) {
		if (was.rate)
			heap_count(hit.counts, SP_HEAP_FAILED, 1);
		if (was.old)
			is_not_freed(hit.session, was.old);
		return 0;
	}
	if (was.old)
		send_free(&hit, was.old, was.began_ns);
	what.size = was.size;
	what.rate = was.rate;
	if (was.rate)
		on_sample(ctx, &hit, &what);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
