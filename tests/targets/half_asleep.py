# SPDX-License-Identifier: Apache-2.0
"""One thread runs, one sleeps; with "all", both sleep. Says their native ids."""
import json
import signal
import sys
import threading

LIMIT_S = 300


def sleep(lock):
    lock.acquire()


def spin():
    while True:
        pass


def main(all_sleep):
    lock = threading.Lock()
    lock.acquire()
    sleeper = threading.Thread(target=sleep, args=(lock,), daemon=True)
    sleeper.start()
    print(json.dumps({"runs": threading.get_native_id(), "ident": threading.get_ident(),
                      "sleeps": sleeper.native_id}), flush=True)
    if all_sleep:
        sleep(lock)
    spin()


signal.alarm(LIMIT_S)
main(sys.argv[1:] == ["all"])
