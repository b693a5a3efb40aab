# SPDX-License-Identifier: Apache-2.0
"""Told to, runs threads one after the other, each with the ident of the one before it. Says
{name: [tid, ident]} and ends."""
import json
import signal
import sys
import threading
import time

LIMIT_S = 300
LEGS = 3
LEG_S = 0.4
met = {}


def run():
    thread = threading.current_thread()
    met[thread.name] = [threading.get_native_id(), thread.ident]
    end = time.monotonic() + LEG_S
    while time.monotonic() < end:
        pass


signal.alarm(LIMIT_S)
print(json.dumps("ready"), flush=True)
sys.stdin.readline()
for i in range(LEGS):
    leg = threading.Thread(target=run, name="leg %d" % i)
    leg.start()
    leg.join()
print(json.dumps(met), flush=True)
