/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records that bpf/ pushes into the ring buffer and collect/ takes out.
 * Little endian, no padding. Ids are those of the daemon's own PID namespace,
 * times are CLOCK_MONOTONIC.
 */
#ifndef SPPROF_EVENT_H
#define SPPROF_EVENT_H

#ifndef __bpf__
#include <linux/types.h> /* bpf/ gets these types from vmlinux.h */
#endif

#define SP_MAX_FRAMES 4096	  /* newest frames kept of a stack, where stack_depth says so */
#define SP_FRAMES_USUAL 128	  /* stack_depth, if nothing is said */
#define SP_NATIVE_FRAMES 16	  /* of an allocation: those above the interpreter's */
#define SP_SIZE_CLASSES 32	  /* of pymalloc: blocks of 16 bytes, 32, ... 512 */
#define SP_TEXT_BYTES 4096	  /* of a name or a file name that the kernel copies */
#define SP_LINETABLE_BYTES 8192	  /* of a line table that the kernel copies */
#define SP_COMM_BYTES 16	  /* TASK_COMM_LEN */
#define SP_RING_BYTES (32u << 20) /* holds 65,536 samples of 256 bytes with their headers */

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

enum sp_event_kind {
	SP_EVENT_SAMPLE = 1, /* struct sp_sample */
	SP_EVENT_CODE = 2,   /* struct sp_code */
	SP_EVENT_EXEC = 3,   /* struct sp_process */
	SP_EVENT_FORK = 4,   /* struct sp_process */
	SP_EVENT_EXIT = 5,   /* struct sp_process */
	SP_EVENT_SEEN = 6,   /* struct sp_process: an unknown process uses the processor */
	SP_EVENT_ALLOC = 7,  /* struct sp_alloc: a sampled allocation */
	SP_EVENT_REFILL = 8, /* struct sp_alloc: the allocator took a new pool for a size */
	SP_EVENT_FREE = 9,   /* struct sp_free: of what may be a sampled allocation */
};

/* Why a stack is shorter than the truth. 0 means the walk reached the end. */
enum sp_stack_end {
	SP_END_COMPLETE = 0,
	SP_END_DEPTH = 1,     /* stack_depth reached: older frames are missing */
	SP_END_FAULT = 2,     /* a user page was not resident */
	SP_END_NO_THREAD = 3, /* not a thread that Python knows (yet) */
	SP_END_STARTING = 4,  /* the process has no layout yet */
};

struct sp_event {
	__u32 kind;    /* enum sp_event_kind */
	__u32 size;    /* bytes, with this header */
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u32 pid;     /* process */
	__u32 tid;     /* thread */
};
_Static_assert(sizeof(struct sp_event) == 24, "wire layout");

/* SP_INSTR_BEFORE: 3.11 and 3.12 leave prev_instr one unit before the code at a call's start. */
#define SP_INSTR_BEFORE 0xffffffffu
#define SP_INSTR_NOWHERE 0xfffffffeu /* it could not be told: no line */
#define SP_UNITS_MOST (1u << 24)     /* code units of a code object; none has as many */

/*
 * 32 bits would do to tell a code object from the one before it at its address, not from
 * all that were there: 48 do, of which 16 stand above the address.
 */
#define SP_CODE_BITS 48
#define SP_CODE_ADDRESS(code) ((code) & ((1ull << SP_CODE_BITS) - 1))

struct sp_frame {
	__u64 code;  /* address of the PyCodeObject, and above it the key's upper 16 bits */
	__u32 instr; /* code unit (2 bytes) that runs, or SP_INSTR_BEFORE */
	__u32 key;   /* recognises another code object at the same address */
};
_Static_assert(sizeof(struct sp_frame) == 16, "wire layout");

struct sp_sample {
	struct sp_event head;
	__u64 weight_ns; /* that this processor was busy since its last tick that found it so */
	__u64 taken;	 /* this processor's count of taken ticks, this one included */
	__u64 ring_full; /* this processor's count of samples that found the ring full */
	__u64 ident;	 /* threading.get_ident() of the thread, 0 if not Python's */
	char comm[SP_COMM_BYTES];
	__u32 cpu;
	__u32 epoch;		  /* of the target: changes with every new image under a pid */
	__u32 end;		  /* enum sp_stack_end */
	__u32 frame_count;	  /* <= SP_MAX_FRAMES */
	struct sp_frame frames[]; /* newest first */
};
_Static_assert(sizeof(struct sp_sample) == 88, "wire layout");

/* A PyUnicode object, as far as it was copied. */
struct sp_text {
	__u32 length; /* code points of the whole string */
	__u16 stored; /* bytes that follow; < length * width if cut */
	__u8 width;   /* bytes a code point: 1 (Latin-1), 2, 4; 0: could not be read */
	__u8 spare;
};

/* Sent when a code object is seen for the first time: what user space needs to name it. */
struct sp_code {
	struct sp_event head;
	__u64 code;
	__u32 key;
	__u32 epoch;
	__u32 first_line;
	__u32 linetable_stored; /* bytes */
	__u32 linetable_length; /* bytes of the whole table: up to 3.9 it may have none */
	__u32 has_linetable;	/* 0: it could not be read */
	struct sp_text name;	/* co_qualname */
	struct sp_text file;	/* co_filename */
	__u8 bytes[];		/* name.stored, file.stored, linetable_stored */
};
_Static_assert(sizeof(struct sp_code) == 72, "wire layout");

struct sp_process {
	struct sp_event head; /* pid: the process that execed, was born or ended */
	__u32 parent;	      /* SP_EVENT_FORK: the process it is a copy of */
	__u32 epoch;	      /* of its target; 0 if it is not (yet) followed */
};
_Static_assert(sizeof(struct sp_process) == 32, "wire layout");

/* Who gave the memory. */
enum sp_domain {
	SP_DOMAIN_OBJECT, /* the Python's own allocator: pymalloc or mimalloc */
	SP_DOMAIN_LIBC,	  /* the C library: large objects, the raw domain, C libraries */
};

/* An event of the allocator, with the stack of who asked for it. */
struct sp_alloc {
	struct sp_event head;
	__u64 address;	    /* that was given; 0: a refill */
	__u64 size;	    /* bytes asked for; of a refill the number, < SP_SIZE_CLASSES */
	__u32 rate;	    /* bytes; that it was sampled at; of refills: how many it stands for */
	__u32 session;	    /* struct sp_heap_target's */
	__u32 domain;	    /* enum sp_domain */
	__u32 native_count; /* <= SP_NATIVE_FRAMES */
	__u64 native[SP_NATIVE_FRAMES]; /* by frame pointers, newest first */
	struct sp_sample sample;	/* as a tick's, but for weight_ns, taken and ring_full: 0 */
};
_Static_assert(sizeof(struct sp_alloc) == 56 + 8 * SP_NATIVE_FRAMES + 88, "wire layout");

/*
 * Of a block that realloc() took back, time_ns is when that began: what another thread was given
 * at the address since then is another block.
 */
struct sp_free {
	struct sp_event head;
	__u64 address;
	__u32 session;
	__u32 spare;
};
_Static_assert(sizeof(struct sp_free) == 40, "wire layout");

#pragma GCC diagnostic pop
#endif
