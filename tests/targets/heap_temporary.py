# SPDX-License-Identifier: Apache-2.0
"""heap_temporary.py SIZE OBJECTS_A_SECOND: makes objects of that many bytes and drops them.

Says where: {"function", "line"}. For each line that it is told, how many it has made so far, and
when that was: [objects, seconds].
"""
import json
import signal
import sys
import threading
import time

LIMIT_S = 300
TURN_S = 0.005
HEAD = sys.getsizeof(b"")
made = 0


def make_and_drop(length, count):
    for _ in range(count):
        one = BYTE * length
    return one


def answer():
    for _ in sys.stdin:
        print(json.dumps([made, time.monotonic()]), flush=True)


def main():
    global made
    size, a_second = int(sys.argv[1]), float(sys.argv[2])
    line = make_and_drop.__code__.co_firstlineno + 2
    print(json.dumps({"function": make_and_drop.__name__, "line": line}), flush=True)
    began = time.monotonic()
    while True:
        count = int((time.monotonic() - began) * a_second) - made
        if count:
            make_and_drop(size - HEAD, count)
        made += count
        time.sleep(TURN_S)


BYTE = b"x"
signal.alarm(LIMIT_S)
threading.Thread(target=answer, daemon=True).start()
main()
