# SPDX-License-Identifier: Apache-2.0
"""Asks every function that gives memory for it, each on a line of its own.

Told "main", "thread" or "fork", it does so in the main thread, in one of its own, or in a child,
and says what lives of each: [process id, {function: line}, {"large" or "small": bytes}]. Twice as
much was given, and half of it is given back at once; the child also gives back what it inherited.
"""
import array
import ctypes
import json
import os
import signal
import sys
import threading

LIMIT_S = 600
PR_SET_PDEATHSIG = 1
LARGE, LARGE_COUNT = 100000, 10
SMALL, SMALL_COUNT = 400, 800
LIBC, PYTHON = ctypes.CDLL(None), ctypes.pythonapi
SIZE, POINTER = ctypes.c_size_t, ctypes.c_void_p
RESULT = ctypes.c_void_p()
RESULT_AT = ctypes.addressof(RESULT)


def function(library, name, *kinds, gives=ctypes.c_void_p):
    found = library[name]
    found.argtypes, found.restype = kinds, gives
    return found


malloc = function(LIBC, "malloc", SIZE)
calloc = function(LIBC, "calloc", SIZE, SIZE)
realloc = function(LIBC, "realloc", POINTER, SIZE)
posix_memalign = function(LIBC, "posix_memalign", POINTER, SIZE, SIZE, gives=ctypes.c_int)
aligned_alloc = function(LIBC, "aligned_alloc", SIZE, SIZE)
memalign = function(LIBC, "memalign", SIZE, SIZE)
free = function(LIBC, "free", POINTER)
raw_malloc = function(PYTHON, "PyMem_RawMalloc", SIZE)
raw_calloc = function(PYTHON, "PyMem_RawCalloc", SIZE, SIZE)
raw_realloc = function(PYTHON, "PyMem_RawRealloc", POINTER, SIZE)
raw_free = function(PYTHON, "PyMem_RawFree", POINTER)
mem_malloc = function(PYTHON, "PyMem_Malloc", SIZE)
mem_calloc = function(PYTHON, "PyMem_Calloc", SIZE, SIZE)
mem_realloc = function(PYTHON, "PyMem_Realloc", POINTER, SIZE)
mem_free = function(PYTHON, "PyMem_Free", POINTER)
object_malloc = function(PYTHON, "PyObject_Malloc", SIZE)
object_calloc = function(PYTHON, "PyObject_Calloc", SIZE, SIZE)
object_realloc = function(PYTHON, "PyObject_Realloc", POINTER, SIZE)
object_free = function(PYTHON, "PyObject_Free", POINTER)


def to_nothing(address):
    realloc(address, 0)


FUNCTIONS = {  # who gives, who takes back
    "malloc": (lambda size: malloc(size), free),
    "calloc": (lambda size: calloc(size // 8, 8), free),
    "realloc": (lambda size: realloc(malloc(size // 2), size), free),
    "realloc of nothing": (lambda size: realloc(None, size), free),
    "realloc to nothing": (lambda size: malloc(size), to_nothing),
    "posix_memalign": (lambda size: posix_memalign(RESULT_AT, 64, size) or RESULT.value, free),
    "aligned_alloc": (lambda size: aligned_alloc(64, size), free),
    "aligned_alloc as malloc": (lambda size: aligned_alloc(16, size), free),
    "memalign": (lambda size: memalign(64, size), free),
    "PyMem_RawMalloc": (lambda size: raw_malloc(size), raw_free),
    "PyMem_RawCalloc": (lambda size: raw_calloc(size // 8, 8), raw_free),
    "PyMem_RawRealloc": (lambda size: raw_realloc(raw_malloc(size // 2), size), raw_free),
    "PyMem_Malloc": (lambda size: mem_malloc(size), mem_free),
    "PyMem_Calloc": (lambda size: mem_calloc(size // 8, 8), mem_free),
    "PyMem_Realloc": (lambda size: mem_realloc(mem_malloc(size // 2), size), mem_free),
    "PyMem_Realloc of nothing": (lambda size: mem_realloc(None, size), mem_free),
    "PyObject_Malloc": (lambda size: object_malloc(size), object_free),
    "PyObject_Calloc": (lambda size: object_calloc(size // 8, 8), object_free),
    "PyObject_Realloc": (lambda size: object_realloc(object_malloc(size // 2), size), object_free),
    "PyObject_Realloc of nothing": (lambda size: object_realloc(None, size), object_free),
}
given = []  # (who takes it back, addresses)


def large(ask, into):
    for at in range(len(into)):
        into[at] = ask(LARGE)


def small(ask, into):
    for at in range(len(into)):
        into[at] = ask(SMALL)


def give_back(back, addresses):
    for address in addresses:
        back(address)


def allocate():
    for ask, back in FUNCTIONS.values():
        for of_size, count in ((large, LARGE_COUNT), (small, SMALL_COUNT)):
            addresses = array.array("Q", bytes(16 * count))
            of_size(ask, addresses)
            assert all(addresses)
            give_back(back, addresses[::2])
            given.append((back, addresses[1::2]))
    lines = {name: ask.__code__.co_firstlineno for name, (ask, _) in FUNCTIONS.items()}
    truth = {"large": LARGE * LARGE_COUNT, "small": SMALL * SMALL_COUNT}
    print(json.dumps([os.getpid(), lines, truth]), flush=True)


def in_main():
    allocate()


def in_thread():
    allocate()


def in_child():
    if os.fork():
        return
    signal.alarm(LIMIT_S)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for back, addresses in given:
        give_back(back, addresses)
    given.clear()
    allocate()
    signal.pause()


def main():
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        if line == "fork\n":
            in_child()
        elif line == "main\n":
            in_main()
        else:
            thread = threading.Thread(target=in_thread)
            thread.start()
            thread.join()


signal.alarm(LIMIT_S)
main()
