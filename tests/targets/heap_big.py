# SPDX-License-Identifier: Apache-2.0
"""heap_big.py BYTES: a heap of at least so many bytes of small objects.

Told a number, it works for so many seconds as a service would, over all of its heap, and says
how long the gaps between its rounds were: [count, 99.9th percentile, longest], nanoseconds.
Told "muppy" it does until pympler's muppy, in a thread, has told types apart, and says also
what that found: [seconds, types, nodes]. Told "exec", it becomes tests/targets/idle.py.
"""
import array
import gc
import json
import os
import random
import signal
import sys
import threading
import time

LIMIT_S = 900
STEP = 10000
ROUNDS = 2000000  # more than there can be in one go
ROOM = array.array("q", bytes(8 * ROUNDS))


class Node:
    __slots__ = ("name", "row", "values", "next")

    def __init__(self, i, after):
        self.name = "node %d" % i
        self.row = {"number": i, "half": i / 2}
        self.values = (i, i + 1, [i])
        self.next = after


def resident_bytes():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def build(size):
    nodes, until = [], resident_bytes() + size
    while resident_bytes() < until:
        nodes += [Node(i, None) for i in range(STEP)]
    return nodes


def serve(nodes, random_number):
    """A request: some of the heap is read, a little is replaced, something temporary is made."""
    count = len(nodes)
    for _ in range(20):
        at = int(random_number() * count)
        node = nodes[at]
        nodes[at] = Node(node.row["number"], None)
    return [(node, i) for i in range(50)]


def work(nodes, goes_on):
    clock, random_number = time.perf_counter_ns, random.random
    last, rounds = clock(), 0
    while goes_on(last) and rounds < ROUNDS:
        serve(nodes, random_number)
        now = clock()
        ROOM[rounds] = now - last
        last, rounds = now, rounds + 1
    gaps = sorted(ROOM[:rounds])
    return [rounds, gaps[int(rounds * 0.999)], gaps[-1]]


def work_for(nodes, seconds):
    end = time.perf_counter_ns() + int(seconds * 1e9)
    return work(nodes, lambda now: now < end)


def look_inside(said):
    from pympler import muppy, summary
    began = time.perf_counter()
    rows = summary.summarize(muppy.get_objects())
    said += [time.perf_counter() - began, len(rows),
             next(row[1] for row in rows if row[0].endswith("Node"))]


def work_beside_muppy(nodes):
    said = []
    thread = threading.Thread(target=look_inside, args=(said,))
    thread.start()
    return work(nodes, lambda now: thread.is_alive()) + said


def main():
    gc.disable()
    nodes = build(int(sys.argv[1]))
    print(json.dumps({"Node": len(nodes)}), flush=True)
    for line in sys.stdin:
        if line == "exec\n":
            idle = os.path.join(os.path.dirname(os.path.abspath(__file__)), "idle.py")
            os.execv(sys.executable, [sys.executable, "-B", idle])
        print(json.dumps(work_beside_muppy(nodes) if line == "muppy\n"
                         else work_for(nodes, float(line))), flush=True)


signal.alarm(LIMIT_S)
main()
