/* SPDX-License-Identifier: Apache-2.0 */
/* A program of another name that has CPython in it, as a shared library. */
#include <Python.h>

int main(int argc, char **argv)
{
	return Py_BytesMain(argc, argv);
}
