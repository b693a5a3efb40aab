# SPDX-License-Identifier: Apache-2.0
"""allocations.py SECONDS: six pieces of work that do little but allocate, each for so long when
nobody looks on.

Told the name of one, it does it and answers [wall, processor time] in nanoseconds. Told "gaps" it
works in small rounds until the next line, and answers with the longest time that one took. Told
"tracemalloc" or "none" it starts or stops that, and answers with the word. While it waits it
allocates a little, as an attaching debugger waits for that.
"""
import json
import select
import signal
import sys
import time
import tracemalloc

LIMIT_S = 900
RECORD = json.dumps([{"id": i, "name": "n%d" % i, "tags": ["a", "b"], "score": i / 3}
                     for i in range(40)])


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


def objs(turns):
    kept = []
    for i in range(turns):
        kept.append(Point(i, i + 1))
        if len(kept) > 1000:
            kept.clear()


def dicts(turns):
    kept = []
    for i in range(turns):
        kept.append({"a": i, "b": [i]})
        if len(kept) > 1000:
            kept.clear()


def parse(turns):
    for _ in range(turns):
        json.loads(RECORD)


def floats(turns):
    x = 0.5
    for _ in range(turns):
        x = x * 1.0000001 + 0.25


def strings(turns):
    for i in range(turns):
        "key %d" % i


def grow(depth):
    return (grow(depth - 1), grow(depth - 1)) if depth else [depth]


def tree(turns):
    for _ in range(turns):
        grow(8)


WORK = {"objs": objs, "dicts": dicts, "json": parse, "float": floats, "str": strings, "tree": tree}


def timed(work, turns):
    wall, used = time.perf_counter_ns(), time.thread_time_ns()
    work(turns)
    return [time.perf_counter_ns() - wall, time.thread_time_ns() - used]


def turns_for(work, seconds):
    turns = 1
    while timed(work, turns)[1] < 20e6:
        turns *= 2
    return max(1, int(turns * seconds * 1e9 / timed(work, turns)[1]))


def is_told(patience_s):
    return select.select([sys.stdin], [], [], patience_s)[0]


def longest_gap():
    last, longest = time.perf_counter_ns(), 0
    while not is_told(0):
        objs(20)
        bytearray(1000)
        now = time.perf_counter_ns()
        longest, last = max(longest, now - last), now
    sys.stdin.readline()
    return longest


def lines():
    while True:
        while not is_told(0.02):
            bytearray(1000)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.strip()


def main(seconds):
    turns = {name: turns_for(work, seconds) for name, work in WORK.items()}
    print(json.dumps(list(turns)), flush=True)
    for name in lines():
        if name in WORK:
            said = timed(WORK[name], turns[name])
        elif name == "gaps":
            said = longest_gap()
        else:
            said = name
            if name == "tracemalloc":
                tracemalloc.start(1)
            else:
                tracemalloc.stop()
        print(json.dumps(said), flush=True)


signal.alarm(LIMIT_S)
main(float(sys.argv[1]))
