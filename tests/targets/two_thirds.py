# SPDX-License-Identifier: Apache-2.0
"""Two thirds of its processor time in a(), one third in b(), in many short turns.

The turns' lengths vary, so that no clock can fall into step with them.
"""
import json
import random
import signal
from time import thread_time_ns

TURN_NS = 1000000
LIMIT_S = 300


def a(length_ns):
    end = thread_time_ns() + length_ns
    while thread_time_ns() < end:
        pass


def b(length_ns):
    end = thread_time_ns() + length_ns
    while thread_time_ns() < end:
        pass


def main():
    lengths = random.Random(1)
    print(json.dumps("ready"), flush=True)
    while True:
        a(int(2 * TURN_NS * lengths.uniform(0.5, 1.5)))
        b(int(TURN_NS * lengths.uniform(0.5, 1.5)))


signal.alarm(LIMIT_S)
main()
