# SPDX-License-Identifier: Apache-2.0
"""heap_service.py LEAK own|shared: a service that makes and drops 30 MB a second, of objects and
texts of many sizes and of larger buffers, and forgets to drop LEAK bytes a second.

What it forgets has a size class of its own, or that of the objects which it drops. How much of
what it makes lives varies from request to request. Says where the leak is: {"function", "line"};
then, for each line that it is told, what it did so far: {"leaked": bytes, "churned", "requests"}.
"""
import json
import random
import signal
import sys
import threading
import time

LIMIT_S = 7200  # a thousand times probes take 40 minutes
CHURN_BYTES_A_SECOND = 30e6
RECENT = 12  # requests that are still known of, at most
LETTER = "x"


class Request:
    __slots__ = ("a", "b", "c", "d")


class Answer:
    __slots__ = ("a", "b", "c", "d", "e", "f", "g", "h")


class OfOwnSize:
    """Not 512 bytes, as lists have while they grow."""
    __slots__ = tuple("s%d" % i for i in range(57))


class OfSharedSize:
    __slots__ = ("a", "b", "c", "d")


def blocks(one):
    return (sys.getsizeof(one) + 15) // 16 * 16


FORGOTTEN = {"own": OfOwnSize, "shared": OfSharedSize}[sys.argv[2]]
LEAK_BYTES_A_SECOND = float(sys.argv[1])
SIZE = blocks(FORGOTTEN())
forgotten = []
done = {"leaked": 0, "churned": 0, "requests": 0}


def remember():
    forgotten.append(FORGOTTEN())


def serve(random_size):
    made = [Request() for _ in range(random_size(1, 4000))]
    made += [Answer() for _ in range(random_size(1, 2000))]
    made += [LETTER * random_size(1, 380) for _ in range(random_size(1, 1000))]
    made += [bytearray(random_size(600, 60000)) for _ in range(random_size(1, 10))]
    return made


def answer():
    for _ in sys.stdin:
        print(json.dumps(done), flush=True)


def wait_until(due):
    """When that is; late ones are not waited for."""
    left = due - time.monotonic()
    if left > 0:
        time.sleep(left)


def main():
    began, random_size = time.monotonic(), random.Random(1).randrange
    recent = []
    line = remember.__code__.co_firstlineno + 1
    print(json.dumps({"function": remember.__name__, "line": line}), flush=True)
    while True:
        recent.append(serve(random_size))
        done["churned"] += sum(map(blocks, recent[-1]))
        done["requests"] += 1
        del recent[:random_size(0, 4) * (len(recent) > random_size(1, RECENT))]
        due = int((time.monotonic() - began) * LEAK_BYTES_A_SECOND / SIZE)
        while len(forgotten) < due:
            remember()
        done["leaked"] = len(forgotten) * SIZE
        wait_until(began + done["churned"] / CHURN_BYTES_A_SECOND)


signal.alarm(LIMIT_S)
threading.Thread(target=answer, daemon=True).start()
main()
