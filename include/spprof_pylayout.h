/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where one CPython build keeps what the walk reads. Fields carry CPython's own
 * names, so that its source can be searched for them. Offsets are in bytes.
 *
 * Made by python/ (rows up to 3.12, _Py_DebugOffsets from 3.13) and trusted only
 * after resolve/ has tried every field on a live process.
 */
#ifndef SPPROF_PYLAYOUT_H
#define SPPROF_PYLAYOUT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SP_NO_FIELD 0xffffu   /* this version has no such field */
#define SP_TSTATE_BYTES 512   /* every thread-state field lies below */
#define SP_IFRAME_BYTES 112   /* every frame field lies below */
#define SP_CODE_KEY_BYTES 128 /* longest identity block */
#define SP_NO_KEY 0xffffffffu /* of runtime_autotsskey: a thread-local variable has its place */
/*
 * PyThreadState.root_cframe of 3.11 and 3.12 begins so far behind datastack_chunk. It decides how
 * much is read at once, not what is believed. Held against the headers by tests/tools.
 */
#define SP_ROOT_CFRAME 40
#define SP_OWNER_NONE 0xff /* no owner value marks a shim frame */
/*
 * Up to 3.10 PyFrameObject.f_gen, the generator that the frame is of or NULL, lies so far before
 * f_lasti. Held against the headers by tests/tools.
 */
#define SP_GEN_BEFORE_LASTI 8

/* What a frame says of its instruction. */
enum sp_instr_kind {
	SP_INSTR_POINTER = 0,	  /* from 3.11: a pointer into the bytecode */
	SP_INSTR_LASTI_BYTES = 1, /* 3.8, 3.9: f_lasti, in bytes from the bytecode's start */
	SP_INSTR_LASTI_UNITS = 2, /* 3.10: f_lasti, in code units */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct sp_pylayout {
	__u32 version; /* Py_Version: 0x030b02f0 is 3.11.2 */

	/* _PyRuntimeState */
	__u32 runtime_interpreters_head;
	__u32 runtime_autotsskey;     /* Py_tss_t: int _is_initialized, then the pthread key */
	__u32 runtime_tstate_current; /* gilstate: of who has the GIL; 0: not there, from 3.12 on */

	/* PyInterpreterState */
	__u32 interp_threads_head;
	__u32 interp_code_generation; /* counts code objects that died; 0: not before 3.14 */
	__u32 interp_tlbc_generation; /* counts starts and ends of threads; 0: where code_tlbc is not */

	/* PyThreadState */
	__u16 tstate_prev;
	__u16 tstate_next;
	__u16 tstate_interp;
	__u16 tstate_cframe;	    /* 3.11, 3.12; else SP_NO_FIELD */
	__u16 tstate_current_frame; /* from 3.13; up to 3.10 `frame`; else SP_NO_FIELD */
	__u16 tstate_thread_id;
	__u16 tstate_native_thread_id; /* SP_NO_FIELD up to 3.10, as is the next */
	__u16 tstate_datastack_chunk;

	__u16 cframe_current_frame; /* _PyCFrame; SP_NO_FIELD where tstate_cframe is */

	/* _PyInterpreterFrame; up to 3.10 PyFrameObject: f_code, f_back, f_lasti */
	__u16 frame_executable;
	__u16 frame_previous;
	__u16 frame_instr;	/* prev_instr (3.11, 3.12) or instr_ptr; see frame_instr_kind */
	__u16 frame_owner;	/* SP_NO_FIELD up to 3.11: they have no shim frames */
	__u16 frame_tlbc_index; /* which copy of the bytecode runs; SP_NO_FIELD where code_tlbc is */

	/* PyCodeObject */
	__u16 code_firstlineno;
	__u16 code_filename;
	__u16 code_qualname;  /* up to 3.10 co_name: there is no other */
	__u16 code_linetable; /* 3.8, 3.9: co_lnotab */
	__u16 code_bytecode;  /* co_code_adaptive; SP_NO_FIELD up to 3.10 */
	__u16 code_version;   /* co_version, from 3.12 on; else SP_NO_FIELD */
	__u16 code_tlbc;      /* co_tlbc: free-threaded builds from 3.14 on; else SP_NO_FIELD */

	/* PyObject, PyBytesObject, PyASCIIObject, PyCompactUnicodeObject */
	__u16 object_type;
	__u16 var_size; /* PyVarObject.ob_size */
	__u16 bytes_data;
	__u16 unicode_length;
	__u16 unicode_state;
	__u16 ascii_size;   /* compact ASCII text starts here */
	__u16 compact_size; /* compact other text starts here */

	__u32 owner_shim;	/* frames with this owner or a higher one are not Python's */
	__u32 frame_instr_kind; /* enum sp_instr_kind */
	__u32 unicode_kind; /* the lowest bit of PyASCIIObject.state.kind; compact, ascii follow */
	__u32 is_free_threaded;
};
_Static_assert(sizeof(struct sp_pylayout) == 100, "wire layout");

#pragma GCC diagnostic pop
#endif
