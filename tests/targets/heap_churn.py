# SPDX-License-Identifier: Apache-2.0
"""heap_churn.py COUNT: drops some of its objects and makes as many, without pause, in no order; as
many of another class are never touched, and lie among them. A line on standard input is answered
with the rounds so far.
"""
import json
import random
import signal
import sys
import threading

LIMIT_S = 300
MISSING_AT_MOST = 400  # one in so many


class Kept:
    __slots__ = ("value", "other")


class Replaced:
    __slots__ = ("value", "other")


class Worker:
    rounds = 0

    def __init__(self, count):
        self.kept, self.replaced = [], []
        for _ in range(count):
            self.kept.append(Kept())
            self.replaced.append(Replaced())

    def run(self):
        """One at a time would leave each pool full, as if nothing had happened."""
        number, count = random.Random(1).random, len(self.replaced)
        while True:
            chosen = [int(number() * count) for _ in range(count // MISSING_AT_MOST)]
            for at in chosen:
                self.replaced[at] = None
            for at in chosen:
                self.replaced[at] = Replaced()
            self.rounds += 1


def answer(worker):
    for _ in sys.stdin:
        print(json.dumps(worker.rounds), flush=True)


def main():
    worker = Worker(int(sys.argv[1]))
    threading.Thread(target=answer, args=(worker,), daemon=True).start()
    print(json.dumps("ready"), flush=True)
    worker.run()


signal.alarm(LIMIT_S)
main()
