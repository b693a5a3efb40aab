# SPDX-License-Identifier: Apache-2.0
"""Recursion and leaves that several functions share, each path measured by the thread's clock.

The paths take turns of varying lengths, so that no clock can fall into step with them. Answers
each line on standard input with [PATH, nanoseconds so far] of each, a path as "main work leaf_a".
"""
import json
import random
import signal
import sys
import threading
from time import thread_time_ns

TURN_NS = 500000
LIMIT_S = 300
spent = {}


def leaf_a(path, length_ns):
    burn(path, length_ns, "leaf_a")


def leaf_b(path, length_ns):
    burn(path, length_ns, "leaf_b")


def burn(path, length_ns, leaf):
    start = now = thread_time_ns()
    while now - start < length_ns:
        now = thread_time_ns()
    path = f"{path} {leaf}"
    spent[path] = spent.get(path, 0) + now - start


def work(length_ns):
    leaf_a("main work", 3 * length_ns)
    leaf_b("main work", length_ns)


def fib(depth, length_ns):
    if depth:
        fib(depth - 1, length_ns)
        return
    leaf_a("main fib", 2 * length_ns)
    leaf_b("main fib", length_ns)


def ping(depth, length_ns):
    if depth:
        pong(depth - 1, length_ns)
    else:
        leaf_a("main ping", length_ns)


def pong(depth, length_ns):
    ping(depth, length_ns)
    leaf_b("main ping", length_ns // 2)


def answer():
    for _ in sys.stdin:
        print(json.dumps(sorted(spent.items())), flush=True)


def main():
    lengths = random.Random(1)
    print(json.dumps("ready"), flush=True)
    while True:
        work(int(TURN_NS * lengths.uniform(0.5, 1.5)))
        fib(9, int(TURN_NS * lengths.uniform(0.5, 1.5)))
        ping(4, int(TURN_NS * lengths.uniform(0.5, 1.5)))


signal.alarm(LIMIT_S)
threading.Thread(target=answer, daemon=True).start()
main()
