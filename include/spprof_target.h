/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values and keys of the maps that user space fills and the BPF programs read:
 * which processes are Python, and where their interpreter is.
 */
#ifndef SPPROF_TARGET_H
#define SPPROF_TARGET_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SP_MAX_TARGETS 16384	   /* processes followed at once */
#define SP_MAX_LAYOUTS 64	   /* distinct interpreter builds at once */
#define SP_MAX_BINARIES 1024	   /* executables known to be a Python */
#define SP_HEAP_SESSIONS 64	   /* processes whose allocator has probes at once */
#define SP_MAX_PROBES 2048	   /* in all of them */
#define SP_LAYOUT_NONE 0xffffffffu /* followed, but its interpreter is not known yet */

/*
 * Thread-specific data of glibc on x86-64: the first block starts at the thread
 * pointer + 0x310, 16 bytes a key, the value 8 bytes in (reference: nptl/descr.h;
 * unchanged from 2.27 to 2.42). Confirmed on the live process, like all the rest.
 */
#define SP_TSD_BASE 0x310
#define SP_TSD_STRIDE 16
#define SP_TSD_DATA 8
#define SP_TSD_KEYS 32 /* keys beyond go through a second level */

/*
 * The thread's own number: struct pthread.tid of glibc on x86-64, from the thread pointer.
 * Measured on 2.36, 2.41 and 2.43. Read from outside only, of Pythons up to 3.10.
 */
#define SP_PTHREAD_TID 0x2d0

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* Value of `targets`; the key is the process id. */
struct sp_target {
	__u64 runtime; /* address of _PyRuntime in the process */
	__u32 layout;  /* index into `layouts`, or SP_LAYOUT_NONE */
	__u32 epoch;   /* differs from that of any earlier image under this pid */
	/*
	 * Where a thread has its thread state, in bytes from the thread pointer. Of autoTSSkey,
	 * 0 until a tick has found it; of thread-local variables, up to two that may have it,
	 * one of which is NULL while the thread does not hold the GIL.
	 */
	__s32 slot[2];
};
_Static_assert(sizeof(struct sp_target) == 24, "wire layout");

/* Key of `binaries`: as /proc/PID/maps prints them. */
struct sp_binary_id {
	__u64 inode;
	__u32 major;
	__u32 minor;
};

/* Value of `binaries`: an executable that holds _PyRuntime itself. */
struct sp_binary {
	__u64 runtime_offset; /* of _PyRuntime from mm->start_code; see on_exec() */
	__u32 layout;
	__s32 slot[2]; /* as struct sp_target's, for thread-local variables */
	__u32 spare;
};
_Static_assert(sizeof(struct sp_binary) == 24, "wire layout");

/* Value of `heap_targets`; the key is the process id. */
struct sp_heap_target {
	__u32 session; /* below SP_HEAP_SESSIONS: whose counters, and what its records carry */
	__u32 rate;    /* bytes from sample to sample, on average; 0: none is taken any more */
};

/*
 * What a probe is at. One function may call another that has a probe: the C library's realloc()
 * its malloc() and free(), Python's the like, posix_memalign() malloc(). The outermost counts: from
 * the entry of one that allocates, sampled or not, unless @most leaves it to somebody else, until
 * the thread returns from it, nothing that the thread hits at or below that stack pointer does.
 */
enum sp_probe_kind {
	SP_PROBE_REFILL, /* allocate_from_new_pool(): argument @size is a size class */
	SP_PROBE_MALLOC, /* argument @size is bytes; memalign() and aligned_alloc(), too */
	SP_PROBE_CALLOC, /* argument @size times the next one */
	/*
	 * Argument @size is bytes, the one before it a pointer or NULL. Of more bytes than @most:
	 * the pointer is freed, which is told at the entry, and the new one seen elsewhere.
	 */
	SP_PROBE_REALLOC,
	SP_PROBE_POSIX_MEMALIGN, /* argument 1 leads to the pointer, @size is bytes */
	SP_PROBE_FREE,		 /* argument @size is the pointer */
};

/* Key of `probes`: where a probe sits. */
struct sp_probe_at {
	__u64 ip;
	__u32 pid;
	__u32 spare; /* 0 */
};

/* Value of `probes`. */
struct sp_probe {
	__u32 most; /* sizes above it are somebody else's to see; 0: all are seen here */
	__u8 kind;  /* enum sp_probe_kind */
	__u8 size;  /* number of the argument, from 1 on */
	__u8 domain;
	__u8 is_stepped; /* the kernel has to step over its instruction, which costs more */
};

#pragma GCC diagnostic pop
#endif
