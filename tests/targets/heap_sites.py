# SPDX-License-Identifier: Apache-2.0
"""heap_sites.py: told a line of JSON, does that to its allocator and answers with another line.

    ["objects", COUNT, BYTES]   keeps COUNT blocks of BYTES bytes of the object allocator's
    ["libc", COUNT, BYTES]      calls each function of the C library's allocator COUNT times
    ["python", COUNT, BYTES]    calls PyObject_Malloc, _Calloc, _Realloc and _Free COUNT times
"""
import ctypes
import json
import signal
import sys

LIMIT_S = 300
BYTES_OVERHEAD = sys.getsizeof(b"")
ADDRESS = ctypes.c_void_p
SIZE = ctypes.c_size_t

signal.alarm(LIMIT_S)
libc = ctypes.CDLL(None)
python = ctypes.pythonapi
kept = []


def function(library, name, *arguments, returns=ADDRESS):
    one = getattr(library, name)
    one.argtypes, one.restype = arguments, returns
    return one


malloc = function(libc, "malloc", SIZE)
calloc = function(libc, "calloc", SIZE, SIZE)
realloc = function(libc, "realloc", ADDRESS, SIZE)
free = function(libc, "free", ADDRESS, returns=None)
aligned_alloc = function(libc, "aligned_alloc", SIZE, SIZE)
posix_memalign = function(libc, "posix_memalign", ctypes.POINTER(ADDRESS), SIZE, SIZE,
                          returns=ctypes.c_int)
object_malloc = function(python, "PyObject_Malloc", SIZE)
object_calloc = function(python, "PyObject_Calloc", SIZE, SIZE)
object_realloc = function(python, "PyObject_Realloc", ADDRESS, SIZE)
object_free = function(python, "PyObject_Free", ADDRESS, returns=None)


def objects(count, size):
    kept.append([bytes(size - BYTES_OVERHEAD) for _ in range(count)])


def of_libc(count, size):
    place = ADDRESS()
    for _ in range(count):
        free(realloc(malloc(size), size + 8))
        free(calloc(size, 3))
        free(aligned_alloc(64, size))
        assert posix_memalign(ctypes.byref(place), 64, size) == 0
        free(place)


def of_python(count, size):
    for _ in range(count):
        object_free(object_realloc(object_malloc(size), size * 2))
        object_free(object_calloc(size, 1))


WORK = {"objects": objects, "libc": of_libc, "python": of_python}
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    what, count, size = json.loads(line)
    WORK[what](count, size)
    print(json.dumps(what), flush=True)
