# SPDX-License-Identifier: Apache-2.0
"""A service that makes and drops 30 MB of objects a second, and forgets to drop 100 of them.

Both are of one size class. What lives of those that it drops varies from request to request.
Says the size of a block; then, for each line that it is told, how many it has forgotten.
"""
import json
import random
import signal
import sys
import threading
import time

LIMIT_S = 300
CHURN_BYTES_A_SECOND = 30e6
FORGOTTEN_A_SECOND = 100
MOST_AT_ONCE = 20000


class Request:
    __slots__ = ("a", "b", "c", "d")


class Forgotten:
    __slots__ = ("a", "b", "c", "d")


BLOCK_BYTES = (sys.getsizeof(Request()) + 15) // 16 * 16
forgotten = []


def answer():
    for _ in sys.stdin:
        print(json.dumps(len(forgotten)), flush=True)


def wait_until(due):
    """When that is; late ones are not waited for."""
    left = due - time.monotonic()
    if left > 0:
        time.sleep(left)


def main():
    began, made, sizes = time.monotonic(), 0, random.Random(1)
    requests = []
    print(json.dumps(BLOCK_BYTES), flush=True)
    while True:
        requests = [Request() for _ in range(sizes.randrange(1, MOST_AT_ONCE))]
        made += len(requests)
        due = int((time.monotonic() - began) * FORGOTTEN_A_SECOND)
        forgotten.extend(Forgotten() for _ in range(due - len(forgotten)))
        wait_until(began + made * BLOCK_BYTES / CHURN_BYTES_A_SECOND)


signal.alarm(LIMIT_S)
threading.Thread(target=answer, daemon=True).start()
main()
