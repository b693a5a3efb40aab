# SPDX-License-Identifier: Apache-2.0
"""heap_hooked.py LIBRARY: lets that stand before its allocator, then makes some objects, waits."""
import ctypes
import json
import signal
import sys

LIMIT_S = 300
COUNT = 20000


class Node:
    __slots__ = ("value",)


signal.alarm(LIMIT_S)
ctypes.PyDLL(sys.argv[1]).stand_before()
nodes = [Node() for _ in range(COUNT)]
print(json.dumps({"Node": len(nodes)}), flush=True)
sys.stdin.read()
