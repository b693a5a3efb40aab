/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As pylayout_offsets.c, for CPython 3.8 to 3.10, whose frames are objects. What the layout
 * and the self-check take for granted of them is asserted.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#else
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif

#include "resolve/check_objects.h"
#include "spprof_pylayout.h"

#include <stddef.h>
#include <stdio.h>

#define FIELD(name, type, member) printf("%s %zu\n", name, offsetof(type, member))

#if PY_VERSION_HEX < 0x030a0000
#define LINETABLE co_lnotab
#define INSTR_KIND SP_INSTR_LASTI_BYTES
#else
#define LINETABLE co_linetable
#define INSTR_KIND SP_INSTR_LASTI_UNITS
#endif

_Static_assert(offsetof(PyFrameObject, f_gen) + SP_GEN_BEFORE_LASTI ==
		       offsetof(PyFrameObject, f_lasti),
	       "what the walk reads of a frame");
_Static_assert(sizeof(PyFrameObject) == offsetof(PyFrameObject, f_lasti) + OLD_FRAME_AFTER_LASTI,
	       "what the self-check says of f_lasti");
_Static_assert(sizeof(PyCodeObject) == offsetof(PyCodeObject, LINETABLE) + OLD_CODE_AFTER_LINETABLE,
	       "what the self-check says of the line table");
_Static_assert(offsetof(PyCodeObject, co_code) ==
		       offsetof(PyCodeObject, co_firstlineno) + OLD_CODE_BEHIND_LINE,
	       "what the self-check says of co_firstlineno");

static void print_thread(void)
{
	FIELD("runtime_interpreters_head", _PyRuntimeState, interpreters.head);
	FIELD("runtime_autotsskey", _PyRuntimeState, gilstate.autoTSSkey);
	FIELD("runtime_tstate_current", _PyRuntimeState, gilstate.tstate_current);
	FIELD("interp_threads_head", PyInterpreterState, tstate_head);
	puts("interp_code_generation 0\ninterp_tlbc_generation 0");
	FIELD("tstate_prev", PyThreadState, prev);
	FIELD("tstate_next", PyThreadState, next);
	FIELD("tstate_interp", PyThreadState, interp);
	FIELD("tstate_current_frame", PyThreadState, frame);
	FIELD("tstate_thread_id", PyThreadState, thread_id);
}

static void print_objects(void)
{
	FIELD("frame_executable", PyFrameObject, f_code);
	FIELD("frame_previous", PyFrameObject, f_back);
	FIELD("frame_instr", PyFrameObject, f_lasti);
	printf("frame_instr_kind %d\n", INSTR_KIND);
	FIELD("code_firstlineno", PyCodeObject, co_firstlineno);
	FIELD("code_filename", PyCodeObject, co_filename);
	FIELD("code_qualname", PyCodeObject, co_name);
	FIELD("code_linetable", PyCodeObject, LINETABLE);
	FIELD("object_type", PyObject, ob_type);
	FIELD("var_size", PyVarObject, ob_size);
	FIELD("bytes_data", PyBytesObject, ob_sval);
	FIELD("unicode_length", PyASCIIObject, length);
	FIELD("unicode_state", PyASCIIObject, state);
	printf("ascii_size %zu\ncompact_size %zu\n", sizeof(PyASCIIObject),
	       sizeof(PyCompactUnicodeObject));
}

int main(void)
{
	print_thread();
	print_objects();
	return 0;
}
