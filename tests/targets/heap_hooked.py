# SPDX-License-Identifier: Apache-2.0
"""heap_hooked.py LIBRARY [late]: lets that stand before its allocator, then makes some objects and
says how many; waits. Late: only when it is told to, and it says that it is ready before.
"""
import ctypes
import json
import signal
import sys

LIMIT_S = 300
COUNT = 20000


class Node:
    __slots__ = ("value",)


signal.alarm(LIMIT_S)
if sys.argv[2:] == ["late"]:
    print(json.dumps("ready"), flush=True)
    sys.stdin.readline()
ctypes.PyDLL(sys.argv[1]).stand_before()
nodes = [Node() for _ in range(COUNT)]
print(json.dumps({"Node": len(nodes)}), flush=True)
sys.stdin.read()
