/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints struct sp_pylayout's fields, as far as the headers of one CPython tell them: "FIELD
 * VALUE" a line. test_pylayout.py compiles it against each CPython that has its headers here.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>

#include "spprof_pylayout.h"

#include <stddef.h>
#include <stdio.h>

#define FIELD(name, type, member) printf("%s %zu\n", name, offsetof(type, member))

#if PY_VERSION_HEX < 0x030d0000
_Static_assert(offsetof(PyThreadState, root_cframe) ==
		       offsetof(PyThreadState, datastack_chunk) + SP_ROOT_CFRAME,
	       "what the walk reads of a thread state");
#endif

static void print_frame(void)
{
#if PY_VERSION_HEX < 0x030d0000
	FIELD("tstate_cframe", PyThreadState, cframe);
	FIELD("cframe_current_frame", _PyCFrame, current_frame);
	FIELD("frame_executable", _PyInterpreterFrame, f_code);
	FIELD("frame_instr", _PyInterpreterFrame, prev_instr);
#else
	FIELD("tstate_current_frame", PyThreadState, current_frame);
	FIELD("frame_executable", _PyInterpreterFrame, f_executable);
	FIELD("frame_instr", _PyInterpreterFrame, instr_ptr);
#endif
#if PY_VERSION_HEX >= 0x030c0000
	FIELD("frame_owner", _PyInterpreterFrame, owner);
#endif
	FIELD("frame_previous", _PyInterpreterFrame, previous);
}

static void print_thread(void)
{
	FIELD("runtime_interpreters_head", _PyRuntimeState, interpreters.head);
#if PY_VERSION_HEX < 0x030c0000
	FIELD("runtime_autotsskey", _PyRuntimeState, gilstate.autoTSSkey);
	FIELD("runtime_tstate_current", _PyRuntimeState, gilstate.tstate_current);
#elif PY_VERSION_HEX < 0x030d0000
	FIELD("runtime_autotsskey", _PyRuntimeState, autoTSSkey);
#endif
#if PY_VERSION_HEX >= 0x030c0000
	puts("runtime_tstate_current 0");
#endif
	FIELD("interp_threads_head", PyInterpreterState, threads.head);
#if PY_VERSION_HEX < 0x030e0000
	puts("interp_code_generation 0");
#else
	FIELD("interp_code_generation", PyInterpreterState, _code_object_generation);
#endif
#if PY_VERSION_HEX < 0x030e0000 || !defined(Py_GIL_DISABLED)
	puts("interp_tlbc_generation 0");
#else
	FIELD("interp_tlbc_generation", PyInterpreterState, tlbc_indices.tlbc_generation);
	FIELD("frame_tlbc_index", _PyInterpreterFrame, tlbc_index);
	FIELD("code_tlbc", PyCodeObject, co_tlbc);
#endif
	FIELD("tstate_prev", PyThreadState, prev);
	FIELD("tstate_next", PyThreadState, next);
	FIELD("tstate_interp", PyThreadState, interp);
	FIELD("tstate_thread_id", PyThreadState, thread_id);
	FIELD("tstate_native_thread_id", PyThreadState, native_thread_id);
	FIELD("tstate_datastack_chunk", PyThreadState, datastack_chunk);
}

static void print_objects(void)
{
	FIELD("code_firstlineno", PyCodeObject, co_firstlineno);
	FIELD("code_filename", PyCodeObject, co_filename);
	FIELD("code_qualname", PyCodeObject, co_qualname);
	FIELD("code_linetable", PyCodeObject, co_linetable);
	FIELD("code_bytecode", PyCodeObject, co_code_adaptive);
#if PY_VERSION_HEX >= 0x030c0000
	FIELD("code_version", PyCodeObject, co_version);
#endif
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
	print_frame();
	print_thread();
	print_objects();
	return 0;
}
