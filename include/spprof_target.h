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

#pragma GCC diagnostic pop
#endif
