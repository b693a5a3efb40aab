# SPDX-License-Identifier: Apache-2.0
"""Three threads that run the same code for ever, while others that run it too come and go.

turns() spends two thirds of its time below spin() in one call and one third in another, and
resumes a generator that the threads share. How long these are differs from turn to turn: turns of
one length would run in step with the clock. Says which lines of each function can run,
{function: [lines]}, and the two calls'.
"""
import dis
import json
import random
import signal
import sys
import threading
from time import thread_time_ns

LIMIT_S = 300
TURN_NS = 250000, 750000
STEPS = 5000


def spin(length_ns):
    end = thread_time_ns() + length_ns
    while thread_time_ns() < end:
        pass


def shared():
    while True:
        for _ in range(STEPS):
            pass
        yield


def turns(count):
    while count:
        length_ns = random.randrange(*TURN_NS)
        spin(2 * length_ns)
        spin(length_ns)
        with LOCK:
            next(SHARED)
        count -= 1


LOCK, SHARED = threading.Lock(), shared()


def lasting():
    turns(-1)


def short():
    turns(8)


def lines_of(function):
    """With the first: where a call is before its first instruction."""
    code = function.__code__
    return sorted({line for _, line in dis.findlinestarts(code) if line} | {code.co_firstlineno})


def main():
    first = turns.__code__.co_firstlineno
    threads = [threading.Thread(target=lasting) for _ in range(3)]
    for thread in threads:
        thread.daemon = True
        thread.start()
    functions = (spin, shared, turns, lasting, short)
    print(json.dumps({"lines": {f.__name__: lines_of(f) for f in functions},
                      "calls": [first + 3, first + 4],
                      "tids": [thread.native_id for thread in threads]}), flush=True)
    while True:
        thread = threading.Thread(target=short)
        thread.start()
        thread.join()


signal.alarm(LIMIT_S)
sys.setswitchinterval(0.001)
main()
