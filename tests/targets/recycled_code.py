# SPDX-License-Identifier: Apache-2.0
"""Makes functions f0, f1, …, runs each for some 200 us and drops it, so that their code
objects follow one another at the same addresses.

At a line on standard input it prints who ran when: [[number, address, first line, from, to],
…], in CLOCK_MONOTONIC nanoseconds, read just before the call and just after it.
"""
import gc
import json
import select
import signal
import sys
from time import monotonic_ns

RUN_NS = 200000
LIMIT_S = 300
IS_FREE_THREADED = "t" in getattr(sys, "abiflags", "")


def run_one(number, log):
    name = f"f{number}"
    above = number % 89
    source = "\n" * above + f"def {name}(clock, end):\n  while clock() < end:\n    pass\n"
    made = {}
    exec(compile(source, "<made>", "exec"), made)
    function = made.pop(name)
    address = id(function.__code__)
    start = monotonic_ns()
    function(monotonic_ns, start + RUN_NS)
    log.append((number, address, above + 1, start, monotonic_ns()))


def main():
    log = []
    print(json.dumps("ready"), flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(50):
            run_one(len(log), log)
        if IS_FREE_THREADED:
            gc.collect()  # nothing else drops a code object there
    print(json.dumps(log), flush=True)


signal.alarm(LIMIT_S)
main()
