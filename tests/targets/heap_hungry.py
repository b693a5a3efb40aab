# SPDX-License-Identifier: Apache-2.0
"""heap_hungry.py SIZE KEPT [DEPTH]: makes objects of that many bytes without pause, of which the
last KEPT live, in so many calls of a function by itself.

A line on standard input is answered with the objects so far; "exec" makes it
tests/targets/idle.py; "fork" is answered with how many children it had, which end at once.
"""
import collections
import json
import os
import signal
import sys
import threading

LIMIT_S = 900
FORKS = 12
HEAD = sys.getsizeof(b"")
BYTE = b"x"
made = 0


def make(length, count):
    global made
    recent = collections.deque(maxlen=count)
    while True:
        recent.append(BYTE * length)
        made += 1


def deeper(depth, length, count):
    if depth:
        deeper(depth - 1, length, count)
    make(length, count)


def have_children():
    for _ in range(FORKS):
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    return FORKS


def answer():
    for line in sys.stdin:
        if line == "exec\n":
            idle = os.path.join(os.path.dirname(os.path.abspath(__file__)), "idle.py")
            os.execv(sys.executable, [sys.executable, "-B", idle])
        print(json.dumps(have_children() if line == "fork\n" else made), flush=True)


signal.alarm(LIMIT_S)
threading.Thread(target=answer, daemon=True).start()
print(json.dumps("ready"), flush=True)
deeper(int((sys.argv + ["0"])[3]), int(sys.argv[1]) - HEAD, int(sys.argv[2]))
