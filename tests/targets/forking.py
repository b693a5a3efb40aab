# SPDX-License-Identifier: Apache-2.0
"""Waits for a line, then forks; parent and child run each in a function of their own."""
import json
import os
import signal
import sys

LIMIT_S = 300


def in_parent():
    while True:
        pass


def in_child():
    signal.alarm(LIMIT_S)
    while os.getppid() == PARENT:
        pass


PARENT = os.getpid()
signal.alarm(LIMIT_S)
print(json.dumps("ready"), flush=True)
sys.stdin.readline()
child = os.fork()
if child:
    print(json.dumps(child), flush=True)
    in_parent()
in_child()
