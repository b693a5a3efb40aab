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
#define SP_IFRAME_BYTES 96    /* every frame field lies below */
#define SP_CODE_KEY_BYTES 128 /* longest identity block */
#define SP_NO_KEY 0xffffffffu /* of runtime_autotsskey: a thread-local variable has its place */
/*
 * PyThreadState.root_cframe of 3.11 and 3.12 begins so far behind datastack_chunk. It decides how
 * much is read at once, not what is believed. Held against the headers by tests/tools.
 */
#define SP_ROOT_CFRAME 40
#define SP_OWNER_NONE 0xff /* no owner value marks a shim frame */

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct sp_pylayout {
	__u32 version; /* Py_Version: 0x030b02f0 is 3.11.2 */

	/* _PyRuntimeState */
	__u32 runtime_interpreters_head;
	__u32 runtime_autotsskey; /* Py_tss_t: int _is_initialized, then the pthread key */

	/* PyInterpreterState */
	__u32 interp_threads_head;
	__u32 interp_code_generation; /* counts code objects that died; 0: not before 3.14 */

	/* PyThreadState */
	__u16 tstate_prev;
	__u16 tstate_next;
	__u16 tstate_interp;
	__u16 tstate_cframe;	    /* 3.11, 3.12; else SP_NO_FIELD */
	__u16 tstate_current_frame; /* from 3.13; else SP_NO_FIELD */
	__u16 tstate_thread_id;
	__u16 tstate_native_thread_id;
	__u16 tstate_datastack_chunk;

	__u16 cframe_current_frame; /* _PyCFrame; SP_NO_FIELD where tstate_cframe is */

	/* _PyInterpreterFrame */
	__u16 frame_executable;
	__u16 frame_previous;
	__u16 frame_instr; /* prev_instr (3.11, 3.12) or instr_ptr */
	__u16 frame_owner; /* SP_NO_FIELD on 3.11: it has no shim frames */

	/* PyCodeObject */
	__u16 code_firstlineno;
	__u16 code_filename;
	__u16 code_qualname;
	__u16 code_linetable;
	__u16 code_bytecode; /* co_code_adaptive */
	__u16 code_version;  /* co_version, from 3.12 on; else SP_NO_FIELD */

	/* PyObject, PyBytesObject, PyASCIIObject, PyCompactUnicodeObject */
	__u16 object_type;
	__u16 var_size; /* PyVarObject.ob_size */
	__u16 bytes_data;
	__u16 unicode_length;
	__u16 unicode_state;
	__u16 ascii_size;   /* compact ASCII text starts here */
	__u16 compact_size; /* compact other text starts here */

	__u32 owner_shim; /* frames with this owner or a higher one are not Python's */
};
_Static_assert(sizeof(struct sp_pylayout) == 76, "wire layout");

#pragma GCC diagnostic pop
#endif
