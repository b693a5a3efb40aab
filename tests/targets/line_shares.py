# SPDX-License-Identifier: Apache-2.0
"""line_shares.py SECONDS: a program whose lines know what they use of the processor.

Waits for "go" on standard input; then two threads go through lines that compute and lines that
make system calls, for SECONDS, one compresses and one sleeps. At the end it says what each line
of the first two and each thread used, in nanoseconds. A line takes milliseconds, as reading the
clock takes microseconds.
"""
import json
import os
import signal
import sys
import threading
import time
import zlib

LIMIT_S = 300
now = time.thread_time_ns
ZEROS = open("/dev/zero", "rb", buffering=0)
NUMBERS = [(i * 7919) % 10007 for i in range(40000)]
TEXT = "the quick brown fox jumps over the lazy dog " * 4000
DATA = bytes(range(256)) * 2048


def line_after(text):
    """Number of the line below the one that ends with @text."""
    with open(__file__) as f:
        return next(i + 2 for i, line in enumerate(f) if line.rstrip().endswith(text))


def phases(used, end):
    buffer = bytearray(1 << 21)
    while time.monotonic() < end:
        a = now()  # line: sort
        sorted(NUMBERS)
        b = now()  # line: split
        TEXT.split("o")
        c = now()  # line: power
        pow(3, 30000, 1 << 30000)
        d = now()  # line: read
        ZEROS.readinto(buffer)
        e = now()  # line: random
        os.urandom(1 << 19)
        f = now()
        used["sort"] += b - a
        used["split"] += c - b
        used["power"] += d - c
        used["read"] += e - d
        used["random"] += f - e


def compress(end):
    while time.monotonic() < end:
        zlib.compress(DATA, 6)


def sleep(end):
    time.sleep(max(0, end - time.monotonic()))


NAMES = ["sort", "split", "power", "read", "random"]


def run(function, args, threads):
    begin = now()
    function(*args)
    threads[threading.get_native_id()] = [function.__name__, now() - begin]


def main(seconds):
    print(json.dumps("ready"), flush=True)
    sys.stdin.readline()
    end = time.monotonic() + seconds
    used = [dict.fromkeys(NAMES, 0) for _ in range(2)]
    work = [(phases, (used[0], end)), (phases, (used[1], end)), (compress, (end,)), (sleep, (end,))]
    threads = {}
    running = [threading.Thread(target=run, args=(function, args, threads))
               for function, args in work]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    lines = {line_after(f"line: {name}"): used[0][name] + used[1][name] for name in NAMES}
    print(json.dumps({"lines": lines, "threads": threads}), flush=True)
    sys.stdin.read()


signal.alarm(LIMIT_S)
main(float(sys.argv[1]))
