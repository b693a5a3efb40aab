/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds struct pynames_layout against the headers of one CPython: prints what differs, and exits 1
 * if anything does. Its argument names a file with the first bytes of that version's _PyRuntime.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#else
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif

#include "python/pynames_layout.h"

#include <stddef.h>
#include <stdio.h>

#if PY_VERSION_HEX < 0x030c0000
#define MODULES modules
#define SIZE ob_base.ob_size
#define DIGITS ob_digit
#else
#define MODULES imports.modules
#define SIZE long_value.lv_tag
#define DIGITS long_value.ob_digit
#endif

#ifdef Py_GIL_DISABLED
#define FREE_THREADED 1
#else
#define FREE_THREADED 0
#endif

_Static_assert(PYLONG_BITS_IN_DIGIT == 30, "what python/pydict says of an int");

static int differs(const char *name, size_t ours, size_t theirs)
{
	if (ours != theirs)
		printf("%s %zu, in the headers %zu\n", name, ours, theirs);
	return ours != theirs;
}

static int compare(const struct pynames_layout *at)
{
	int count = differs("interp_next", at->interp_next, offsetof(PyInterpreterState, next));

#define FIELD(name, type, member) count += differs(#name, at->name, offsetof(type, member))
	FIELD(interp_modules, PyInterpreterState, MODULES);
	FIELD(object_type, PyObject, ob_type);
	FIELD(type_basicsize, PyTypeObject, tp_basicsize);
	FIELD(type_flags, PyTypeObject, tp_flags);
	FIELD(type_cached_keys, PyHeapTypeObject, ht_cached_keys);
	FIELD(dict_keys, PyDictObject, ma_keys);
	FIELD(dict_values, PyDictObject, ma_values);
	FIELD(long_size, PyLongObject, SIZE);
	FIELD(long_digits, PyLongObject, DIGITS);
	if (PY_VERSION_HEX < 0x030d0000)
		FIELD(type_dictoffset, PyTypeObject, tp_dictoffset);
	return count + differs("object_size", at->object_size, sizeof(PyObject));
}

int main(int argc, char **argv)
{
	const struct sp_pylayout of = { .version = PY_VERSION_HEX,
					.is_free_threaded = FREE_THREADED };
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	struct pynames_layout at;
	uint8_t head[1024];
	size_t len;

	if (!file)
		return 2;
	len = fread(head, 1, sizeof(head), file);
	fclose(file);
	if (pynames_layout_find(&of, head, len, &at)) {
		puts("not known");
		return 1;
	}
	return compare(&at) != 0;
}
