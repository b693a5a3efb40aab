# SPDX-License-Identifier: Apache-2.0
"""Objects that are too large for the allocator of small ones, and lie outside of its pools.

Says how many of each type there are, and how many bytes of texts, then waits.
"""
import gc
import json
import signal
import sys

LIMIT_S = 300
COUNT = 2000
ITEMS = 500
TEXTS, TEXT_BYTES = 4000, 10000


class Wide:
    __slots__ = tuple("s%d" % i for i in range(100))


def main():
    gc.disable()
    shared = list(range(ITEMS))
    heap = {
        "Wide": [Wide() for _ in range(COUNT)],
        "tuple": [([], *shared) for _ in range(COUNT)],  # of numbers alone the collector has none
        "list": [list(shared) for _ in range(COUNT)],
        "dict": [dict.fromkeys(shared) for _ in range(COUNT)],
        "set": [set(shared) for _ in range(COUNT)],
    }
    texts = ["x" * (TEXT_BYTES + i % 10) for i in range(TEXTS)]
    texts += [b"x" * (TEXT_BYTES + i % 10) for i in range(TEXTS)]
    truth = {"count": COUNT, "texts": sum(map(sys.getsizeof, texts)),
             "bytes": {name: sum(map(sys.getsizeof, objects)) for name, objects in heap.items()}}
    print(json.dumps(truth), flush=True)
    sys.stdin.read()


signal.alarm(LIMIT_S)
main()
