# SPDX-License-Identifier: Apache-2.0
"""Threads with names of all kinds, which use the processor in turn. Says {name: tid}, and again
when it was told to give one thread another name."""
import json
import signal
import sys
import threading

LIMIT_S = 300
NAMES = ["ascii", "caf\u00e9", "\u6f22\u5b57", "\U0001f40d", "a;b\nc d", "x" * 100,
         "\u6f22" * 100, "y" * 300, "lone \ud800"]
tids = {}


class Slotted(threading.Thread):
    __slots__ = ("more",)


class Full(threading.Thread):
    """With more attributes than keys that instances share."""

    def __init__(self, **options):
        super().__init__(**options)
        for i in range(40):
            setattr(self, "attribute%d" % i, i)


def burn(n=2000):
    while n:
        n -= 1


def run(started):
    tids[threading.current_thread().name] = threading.get_native_id()
    started.set()
    while True:
        burn()


def start(make=threading.Thread, **options):
    started = threading.Event()
    thread = make(target=run, args=(started,), daemon=True, **options)
    thread.start()
    started.wait()
    return thread


def say():
    print(json.dumps(tids), flush=True)


signal.alarm(LIMIT_S)
sys.setswitchinterval(0.001)
tids["MainThread"] = threading.get_native_id()
for given in NAMES:
    start(name=given)
start()
start(Slotted, name="slotted")
start(Full, name="full")
renamed = start(name="before")
vars(start(name="looked into"))
say()
while sys.stdin.readline():
    tids["after"] = tids.pop("before")
    renamed.name = "after"
    say()
