# SPDX-License-Identifier: Apache-2.0
"""heap_threads.py EACH: objects that threads made which have ended, and that others dropped.

Every class has EACH objects at first; of Dropped and of OtherDropped every second one is gone,
of the latter by a thread that did not make it while its maker waits. Says how many there are of
each, then waits.
"""
import json
import os
import signal
import sys
import threading

LIMIT_S = 300
ENDED = 4


class Kept:
    pass


class OfEnded:
    __slots__ = ("value",)


class Dropped(list):
    pass


class OtherDropped:
    pass


def make(kind, count, into):
    into.extend(kind() for _ in range(count))


def drop_half(objects):
    for at in range(0, len(objects), 2):
        objects[at] = None


def make_by_ended(each):
    made = []
    for _ in range(ENDED):
        thread = threading.Thread(target=make, args=(OfEnded, each // ENDED, made))
        thread.start()
        thread.join()
    return made


def make_by_waiting(each):
    made, ready = [], threading.Event()

    def run():
        make(OtherDropped, each, made)
        ready.set()
        threading.Event().wait()

    threading.Thread(target=run, daemon=True).start()
    ready.wait()
    drop_half(made)
    return made


def main():
    each = int(sys.argv[1])
    kept, dropped = [], []
    make(Kept, each, kept)
    make(Dropped, each, dropped)
    drop_half(dropped)
    everything = [kept, dropped, make_by_ended(each), make_by_waiting(each)]
    os.write(1, json.dumps({"Kept": each, "OfEnded": each, "Dropped": each // 2,
                            "OtherDropped": each // 2,
                            "blocks": sys.getallocatedblocks()}).encode() + b"\n")
    signal.alarm(LIMIT_S)
    signal.pause()
    return everything


main()
