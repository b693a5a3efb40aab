# SPDX-License-Identifier: Apache-2.0
"""Does the same amount of work each time it is told to, and says how long that took.

Calls 30 deep, with a little arithmetic, as programs do. Answers each line on standard
input with [wall, processor time] in nanoseconds.
"""
import json
import signal
import sys
import time

LIMIT_S = 600
DEPTH = 30


def step(depth):
    if depth:
        return step(depth - 1) + 1
    return sum(range(50))


def work(turns):
    for _ in range(turns):
        step(DEPTH)


def timed(turns):
    wall, used = time.monotonic_ns(), time.thread_time_ns()
    work(turns)
    return [time.monotonic_ns() - wall, time.thread_time_ns() - used]


def turns_for(seconds):
    work(1000)
    return int(1000 * seconds * 1e9 / timed(1000)[0])


def main(seconds):
    turns = turns_for(seconds)
    print(json.dumps("ready"), flush=True)
    for _ in sys.stdin:
        print(json.dumps(timed(turns)), flush=True)


signal.alarm(LIMIT_S)
main(float(sys.argv[1]))
